"""What every voice's samples go through: silence trimmed, pitch and rate changed, gain, 16 bit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["SAMPLE_RATE", "SPEECH_LEVEL_DBOV", "finish", "join_chunks", "trim_silence"]

SAMPLE_RATE = 16_000
SPEECH_LEVEL_DBOV = -26.0
"""Active speech level of every voice (ITU-T P.56), the customary level of telephone tests (ITU-T P.830)."""

_EDGE_S = 0.03
_BETWEEN_SENTENCES_S = 0.1
_BLOCK_S = 0.005
_SILENCE_BELOW_PEAK_DB = 45.0


def trim_silence(samples: npt.NDArray[np.float32], rate: int) -> npt.NDArray[np.float32]:
    """Cut silence from both ends of float32[n], leaving at most 30 ms at each.

    Silence is what lies 45 dB or more under the loudest 5 ms. An array that is silent throughout becomes empty.
    """
    block = int(_BLOCK_S * rate)
    count = len(samples) // block
    if count == 0:
        return samples[:0]
    levels = np.sqrt(np.mean(np.square(samples[: count * block].reshape(count, block)), axis=1))
    peak = float(levels.max())
    if peak <= 0.0:
        return samples[:0]
    loud = np.flatnonzero(levels > peak * 10.0 ** (-_SILENCE_BELOW_PEAK_DB / 20.0))
    edge = int(_EDGE_S * rate)
    start = max(0, int(loud[0]) * block - edge)
    stop = min(len(samples), (int(loud[-1]) + 1) * block + edge)
    return samples[start:stop]


def join_chunks(chunks: list[npt.NDArray[np.float32]], rate: int) -> npt.NDArray[np.float32]:
    """Join sentences, each trimmed, with a pause of 100 ms and the edges; far below any turn end."""
    trimmed = [chunk for chunk in (trim_silence(chunk, rate) for chunk in chunks) if len(chunk)]
    pause = np.zeros(int(_BETWEEN_SENTENCES_S * rate), np.float32)
    parts: list[npt.NDArray[np.float32]] = []
    for chunk in trimmed:
        parts += [chunk] if not parts else [pause, chunk]
    return np.concatenate(parts) if parts else np.zeros(0, np.float32)


def finish(samples: npt.NDArray[np.float32], rate: int, *, pitch: float, gain_db: float) -> npt.NDArray[np.int16]:
    """Bring float32[n] at ``rate`` Hz to int16 at 16 kHz.

    Reading the samples as if they were at ``rate * pitch`` raises the pitch and the pace by ``pitch``; the engine was
    asked for a pace lower by as much.
    """
    if not len(samples):
        return np.zeros(0, np.int16)
    import soxr

    at_16k = soxr.resample(samples, rate * pitch, SAMPLE_RATE, quality="HQ")
    scaled = np.rint(at_16k.astype(np.float64) * 10.0 ** (gain_db / 20.0) * 32768.0)
    clipped: npt.NDArray[np.int16] = np.clip(scaled, -32768, 32767).astype(np.int16)
    return clipped
