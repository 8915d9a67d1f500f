"""The GPU against the CPU: the same words from the same audio, how fast, in how much memory, and one whole call."""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voicebench.caller.script import words_of
from voicebench.config import Pipeline, derive_seed
from voicebench.line import Line, preset
from voicebench.machine.hardware import ask_driver
from voicebench.record.json_types import JsonObject
from voicebench.record.results import CallRow
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

_BARE = ("--format=csv,noheader,nounits",)
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
    """The results of the check.

    Attributes:
        model, compute_type: of the recognizer.
        utterances: one for each of :data:`SENTENCES`.
        memory_mb: of the GPU, in use by this process after the utterances; None where the driver does not tell.
        call: the whole call.
    """

    model: str
    compute_type: str
    utterances: list[CheckedSentence]
    memory_mb: float | None
    call: CallRow

    @property
    def holds(self) -> bool:
        """Whether every utterance came out the same and the call has a verdict on the agent."""
        return all(one.equal for one in self.utterances) and self.call.verdict in ("passed", "failed")

    @property
    def median_s(self) -> dict[str, float]:
        """Device to the median seconds of wall time of one recognition there."""
        return {
            "cpu": statistics.median(one.cpu_s for one in self.utterances),
            "cuda": statistics.median(one.cuda_s for one in self.utterances),
        }

    def to_json(self) -> JsonObject:
        """Return what ``bench gpu --json`` prints."""
        call = self.call.to_json()
        return {
            "holds": self.holds,
            "model": self.model,
            "compute_type": self.compute_type,
            "median_s": dict(self.median_s),
            "memory_mb": self.memory_mb,
            "utterances": [{**vars(one), "equal": one.equal} for one in self.utterances],
            "call": {key: call[key] for key in ("task", "verdict", "call_s", "wall_s", "dir")},
        }


def check_gpu(pipeline: Pipeline, task: str, folder: Path, reporter: ProgressReporter) -> GpuCheck:
    """Hear :data:`SENTENCES` on the CPU and on the GPU, then make one call whose recognizer is on the GPU.

    Args:
        pipeline: recognizer, caller's voice and line, and all of the call; its ``agent.asr.device`` is ``cuda``.
        task: ``[PACK/]ID`` of the call.
        folder: where the call goes; absent or empty.
        reporter: gets the progress of the call.

    Raises:
        ConfigError: there is no GPU, or something that it needs is missing; the message says what.
        ModelMissing: weights are absent.
    """
    asr = pipeline.cascade.asr
    gpu, cpu = (
        load_recognizer(asr.model, window=asr.window, device=device, compute_type=asr.compute_type)
        for device in ("cuda", "cpu")
    )
    voice, settings = load_voice(pipeline.caller.voice_for(None)), preset(pipeline.line.preset).caller_to_agent
    utterances = []
    for sentence in SENTENCES:
        line = Line(settings, leg="caller_to_agent", seed=derive_seed("gpu check", sentence))
        sent = np.concatenate([_SILENCE, voice.synthesize(sentence, seed=0), _SILENCE])
        heard = np.concatenate([line.process(sent), line.flush()])
        utterances.append(_recognise(sentence, heard, cpu, gpu))
    rows = [row.split(",") for row in ask_driver("--query-compute-apps=pid,used_memory", *_BARE) if row.count(",") == 1]
    used = [float(memory) for pid, memory in rows if pid.strip() == str(os.getpid()) and memory.strip().isdigit()]
    memory_mb = sum(used) if used else None
    result = run(RunRequest(pipeline, tasks=[task], out=folder), reporter=reporter)
    [call] = result.calls
    return GpuCheck(asr.model, asr.compute_type, utterances, memory_mb, call)


def _recognise(said: str, samples: npt.NDArray[np.int16], cpu: Recognizer, gpu: Recognizer) -> CheckedSentence:
    words, times_s = [], []
    for recognizer in (cpu, gpu):
        begun_s = time.perf_counter()
        words.append(recognizer.transcribe(samples).text)
        times_s.append(time.perf_counter() - begun_s)
    return CheckedSentence(said, words[0], words[1], times_s[0], times_s[1])
