"""Recognition and synthesis for the caller: free jobs on the call's clock, each recorded as an exchange."""

from __future__ import annotations

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

__all__ = ["recognise", "shorten_pauses", "synthesise"]

_BLOCK = 160  # 10 ms at 16 kHz
_LONGEST_PAUSE_BLOCKS = 20
_PAUSE_DBOV = -50.0


async def recognise(
    recognizer: Transcriber, samples: npt.NDArray[np.int16], exchanges: Exchanges, *, start_ns: int, end_ns: int
) -> str:
    """Return the words in int16[n] at 16 kHz, heard between two call times; empty if there are none."""
    job: FinishedJob[Transcript] = await run_job(lambda: recognizer.transcribe(samples), charge=FREE, name="caller.asr")
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


async def synthesise(voice: Voice, text: str, exchanges: Exchanges, *, seed: int, n: int) -> npt.NDArray[np.int16]:
    """Return the n-th utterance of a call as int16[n] at 16 kHz, without a pause that could end the turn.

    Args:
        voice: who speaks.
        text: what to say.
        exchanges: gets a line about it.
        seed: the work unit's; each utterance has one of its own, derived from it.
        n: how many utterances were spoken before.
    """
    own_seed = derive_seed(seed, "caller.tts", n)
    job = await run_job(lambda: shorten_pauses(voice.synthesize(text, seed=own_seed)), charge=FREE, name="caller.tts")
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
