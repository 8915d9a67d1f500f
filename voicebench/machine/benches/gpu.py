"""The GPU against the CPU: the same words from the same audio, how fast, in how much memory, and one whole call."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voicebench.caller.script import words_of
from voicebench.config import Pipeline, derive_seed
from voicebench.line import Line, preset
from voicebench.runner.plan import RunRequest
from voicebench.runner.progress import ProgressReporter
from voicebench.runner.run import run
from voicebench.speech.asr import Recognizer, load_recognizer
from voicebench.speech.tts import load_voice

__all__ = ["SENTENCES", "CheckedSentence", "GpuCheck", "check_gpu"]

SENTENCES = (
    "Hello, I would like to return the headphones that I ordered last week.",
    "My order number is K E, four four seven, nine zero zero two.",
    "The postal code is nine four one, one zero.",
    "Which protection plans do I have on my laptop?",
    "Please book the first available bench slot.",
    "My phone number is five four one, five five five, zero one four six.",
    "I cannot make that one, please cancel it.",
    "It was delivered on the third of August.",
    "They charged me forty-four dollars and ninety-nine cents.",
    "Thank you, that is all I needed.",
)
"""What a caller says, with the voice and over the line of the pipeline."""

_SILENCE = np.zeros(4_800, dtype=np.int16)


@dataclass(frozen=True)
class CheckedSentence:
    """One sentence, as both devices heard it; seconds are wall time."""

    said: str
    cpu: str
    cuda: str
    cpu_s: float
    cuda_s: float

    @property
    def equal(self) -> bool:
        """Whether the words are the same; case and punctuation aside."""
        return words_of(self.cpu) == words_of(self.cuda)


@dataclass(frozen=True)
class GpuCheck:
    """What came of the check.

    Attributes:
        model, compute_type: of the recognizer.
        utterances: one for each of :data:`SENTENCES`.
        memory_mb: of the GPU, in use by this process after the utterances; None where the driver does not tell.
        call: the whole call: ``task``, ``verdict``, ``call_s``, ``wall_s``, ``dir``.
    """

    model: str
    compute_type: str
    utterances: list[CheckedSentence]
    memory_mb: float | None
    call: dict[str, Any]

    @property
    def holds(self) -> bool:
        """Whether every utterance came out the same and the call has a verdict on the agent."""
        return all(one.equal for one in self.utterances) and self.call["verdict"] in ("passed", "failed")

    @property
    def median_s(self) -> dict[str, float]:
        """Device to the median seconds of wall time of one recognition there."""
        return {
            "cpu": statistics.median(one.cpu_s for one in self.utterances),
            "cuda": statistics.median(one.cuda_s for one in self.utterances),
        }

    def as_json(self) -> dict[str, Any]:
        """Return what ``bench gpu --json`` prints."""
        return {
            "holds": self.holds,
            "model": self.model,
            "compute_type": self.compute_type,
            "median_s": self.median_s,
            "memory_mb": self.memory_mb,
            "utterances": [{**vars(one), "equal": one.equal} for one in self.utterances],
            "call": self.call,
        }


def check_gpu(pipeline: Pipeline, task: str, folder: Path, reporter: ProgressReporter) -> GpuCheck:
    """Hear :data:`SENTENCES` on the CPU and on the GPU, then make one call whose recognizer is on the GPU.

    Args:
        pipeline: recognizer, caller's voice and line, and all of the call; its ``agent.asr.device`` is ``cuda``.
        task: ``[PACK/]ID`` of the call.
        folder: where the call goes; absent or empty.
        reporter: told how the call goes.

    Raises:
        ConfigError: there is no GPU, or something that it needs is missing; the message says what.
        ModelMissing: weights are absent.
    """
    asr = pipeline.cascade.asr
    gpu, cpu = (
        load_recognizer(asr.model, window=asr.window, device=device, compute_type=asr.compute_type)
        for device in ("cuda", "cpu")
    )
    utterances = [_hear(said, samples, cpu, gpu) for said, samples in _sayings(pipeline, SENTENCES)]
    memory_mb = _memory_mb(os.getpid())
    result = run(RunRequest(pipeline, tasks=[task], out=folder), reporter=reporter)
    [call] = result.calls
    kept = {key: call[key] for key in ("task", "verdict", "call_s", "wall_s", "dir")}
    return GpuCheck(asr.model, asr.compute_type, utterances, memory_mb, kept)


def _sayings(pipeline: Pipeline, sentences: Sequence[str]) -> list[tuple[str, npt.NDArray[np.int16]]]:
    """Return each sentence with its audio at the agent's end of the line, int16[n] at 16 kHz."""
    voice, settings = load_voice(pipeline.caller.voice_for(None)), preset(pipeline.line.preset).caller_to_agent
    said = []
    for sentence in sentences:
        line = Line(settings, leg="caller_to_agent", seed=derive_seed("gpu check", sentence))
        sent = np.concatenate([_SILENCE, voice.synthesize(sentence, seed=0), _SILENCE])
        said.append((sentence, np.concatenate([line.process(sent), line.flush()])))
    return said


def _hear(said: str, samples: npt.NDArray[np.int16], cpu: Recognizer, gpu: Recognizer) -> CheckedSentence:
    heard: dict[str, Any] = {}
    for device, recognizer in (("cpu", cpu), ("cuda", gpu)):
        begun_s = time.perf_counter()
        heard[device] = recognizer.transcribe(samples).text
        heard[f"{device}_s"] = time.perf_counter() - begun_s
    return CheckedSentence(said, **heard)


def _memory_mb(pid: int) -> float | None:
    """Ask the driver how much of the GPU's memory a process has, megabytes."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    asked = [tool, "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"]
    try:
        told = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True).stdout  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    rows = (line.split(",") for line in told.splitlines() if line.count(",") == 1)
    used = [float(memory) for owner, memory in rows if owner.strip() == str(pid) and memory.strip().isdigit()]
    return sum(used) if used else None
