"""The caller's jobs: recognition and synthesis, each recorded as an exchange, and how long all of them take.

They are free on the call's clock. In real time they take what they take, and one that takes too long says something of
the machine, and nothing of the agent.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from voicebench.clock import FinishedJob, run_job
from voicebench.config.charges import FREE
from voicebench.config.seeds import derive_seed
from voicebench.record.exchanges import CallerAsrExchange, CallerTtsExchange
from voicebench.speech.asr import Transcriber, Transcript
from voicebench.speech.tts import Voice
from voicebench.store.trace import Exchanges

__all__ = ["CallerJob", "CallerJobs", "recognise", "shorten_pauses", "synthesise"]

_SAMPLE_RATE = 16_000

_BLOCK = 160  # 10 ms at 16 kHz
_LONGEST_PAUSE_BLOCKS = 20
_PAUSE_DBOV = -50.0

_LEAST_S = 1.0
"""Seconds that any job may take."""
_WORDS_A_SECOND = 2.5
"""150 words a minute: the length of speech that is not made yet."""


@dataclass(eq=False)
class CallerJob:
    """One job that is at work; ``audio_s`` is the length of the speech that it hears, answers or makes, in seconds."""

    what: str
    start_ns: int
    audio_s: float

    def overdue(self, now_ns: int) -> str | None:
        """Say that it has taken longer than its speech lasts, and longer than a second; None if it has not."""
        took_s = (now_ns - self.start_ns) / 1e9
        if took_s <= max(_LEAST_S, self.audio_s):
            return None
        return (
            f"timing: the caller's {self.what} took {took_s:.1f} s for {self.audio_s:.1f} s of speech; "
            f"{max(_LEAST_S, self.audio_s):.1f} s are allowed"
        )


@dataclass
class CallerJobs:
    """The jobs of one caller in one call.

    Attributes:
        now_ns: the call's clock.
        slow: the first that took too long, in words; None if none has. On the call's own clock none ever does.
    """

    now_ns: Callable[[], int]
    slow: str | None = None
    _pending: list[CallerJob] = field(default_factory=list)
    _closed: bool = False

    @property
    def is_pending(self) -> bool:
        """Whether one is at work."""
        return bool(self._pending)

    @contextlib.contextmanager
    def running(self, what: str, audio_s: float) -> Iterator[CallerJob]:
        """Follow one job from its submission to its end; its ``audio_s`` may be set when it is known."""
        job = CallerJob(what, self.now_ns(), audio_s)
        self._pending.append(job)
        try:
            yield job
        finally:
            self.check()
            self._pending.remove(job)

    def check(self) -> str | None:
        """Look at those at work; return what took too long so far."""
        if self.slow is None and not self._closed:
            overdue = (job.overdue(self.now_ns()) for job in self._pending)
            self.slow = next((found for found in overdue if found is not None), None)
        return self.slow

    def close(self) -> None:
        """The line is closed: what a job takes from here on changes nothing of the call."""
        self.check()
        self._closed = True


async def recognise(
    recognizer: Transcriber,
    samples: npt.NDArray[np.int16],
    exchanges: Exchanges,
    jobs: CallerJobs,
    *,
    start_ns: int,
    end_ns: int,
) -> str:
    """Return the words in int16[n] at 16 kHz, heard between two call times; empty if there are none."""
    job: FinishedJob[Transcript]
    with jobs.running("recognition", len(samples) / _SAMPLE_RATE):
        job = await run_job(lambda: recognizer.transcribe(samples), charge=FREE, name="caller.asr")
    transcript = job.value
    exchanges.add(
        CallerAsrExchange(
            party="caller",
            start_ns=start_ns,
            end_ns=end_ns,
            samples=len(samples),
            sha256=sha256(samples.tobytes()).hexdigest(),
            text=transcript.text,
            no_speech_prob=transcript.no_speech_prob,
            avg_logprob=transcript.avg_logprob,
            compression_ratio=transcript.compression_ratio,
            filtered=transcript.filtered,
        )
    )
    return transcript.text


async def synthesise(
    voice: Voice, text: str, exchanges: Exchanges, jobs: CallerJobs, *, seed: int, n: int
) -> npt.NDArray[np.int16]:
    """Return the n-th utterance of a call as int16[n] at 16 kHz, without a pause that could end the turn.

    Args:
        voice: who speaks.
        text: what to say.
        exchanges: gets a line about it.
        jobs: of the caller.
        seed: the work unit's; each utterance has one of its own, derived from it.
        n: how many utterances were spoken before.
    """
    own_seed = derive_seed(seed, "caller.tts", n)
    with jobs.running("synthesis", len(text.split()) / _WORDS_A_SECOND) as running:
        job = await run_job(
            lambda: shorten_pauses(voice.synthesize(text, seed=own_seed)), charge=FREE, name="caller.tts"
        )
        running.audio_s = len(job.value) / _SAMPLE_RATE
    exchanges.add(
        CallerTtsExchange(
            party="caller",
            start_ns=round(job.start_s * 1e9),
            text=text,
            voice=voice.name,
            seed=own_seed,
            samples=len(job.value),
            sha256=sha256(job.value.tobytes()).hexdigest(),
        )
    )
    return job.value


def shorten_pauses(samples: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Cut each pause of int16[n] at 16 kHz to 200 ms, in its middle.

    A pause is what stays under -50 dBov in every 10 ms. A voice pauses up to 0.4 s at a comma, and an agent that waits
    little for the next word would take the turn there.
    """
    blocks = samples[: len(samples) // _BLOCK * _BLOCK].reshape(-1, _BLOCK).astype(np.float64) / 32768.0
    quiet = np.mean(np.square(blocks), axis=1) < 10.0 ** (_PAUSE_DBOV / 10.0)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], quiet, [False])).astype(np.int8)))
    keep = np.ones(len(samples), bool)
    for start, stop in edges.reshape(-1, 2).tolist():
        if stop - start > _LONGEST_PAUSE_BLOCKS:
            head = start + _LONGEST_PAUSE_BLOCKS // 2
            keep[head * _BLOCK : (head + stop - start - _LONGEST_PAUSE_BLOCKS) * _BLOCK] = False
    return samples[keep]
