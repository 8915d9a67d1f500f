"""Who speaks when, read off the samples of a line recording."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["Segment", "Speech", "read_recording", "recording_activity", "voice_activity"]

Segment = tuple[float, float]
"""Start and end of speech, seconds from the start of the recording."""

Speech = tuple[list[Segment], list[Segment]]
"""When the caller spoke, and when the agent did."""

FRAME_S = 0.02
BLOCKS = 4
"""Parts of a frame by which the edges of speech are found: 5 ms each."""

SPEECH_DBOV = -45.0
"""What a frame of speech is louder than: half way, in dB, between line noise (-65) and active speech (-26)."""

NOISY_DBOV = -32.0
MARGIN_DB = 9.0
BACKGROUND_PERCENTILE = 20.0
"""A loud background raises the threshold to ``MARGIN_DB`` above this percentile of the frames, up to ``NOISY_DBOV``."""

HANGOVER_S = 0.3
SHORTEST_FRAMES = 3
SILENCE_DBOV = -120.0
_AT_ONCE = 2048
"""Frames whose power is taken in one step."""


def recording_activity(recording: bytes) -> Speech:
    """Return the speech of the caller and of the agent in a stereo recording (left and right), as a WAV file's bytes.

    Raises:
        ValueError: the recording is no WAV file, or has not two channels.
    """
    caller, agent, rate = read_recording(io.BytesIO(recording))
    return voice_activity(caller, rate), voice_activity(agent, rate)


def read_recording(file: Path | io.BytesIO) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16], int]:
    """Return both channels of a stereo WAV file, and their rate.

    Returns:
        The caller's and the agent's samples, int16[n] each, and samples a second.

    Raises:
        ValueError: it is no WAV file, or has not two channels.
    """
    import soundfile

    try:
        samples, rate = soundfile.read(file, dtype="int16", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise ValueError(f"the recording cannot be read: {error}") from error
    if samples.shape[1] != 2:
        raise ValueError(f"a recording has two channels, caller and agent; this one has {samples.shape[1]}")
    return samples[:, 0], samples[:, 1], rate


def voice_activity(samples: npt.NDArray[np.int16], rate: int) -> list[Segment]:
    """Find the speech on one channel by its level.

    A frame of 20 ms is speech when its power exceeds a threshold; pauses under 300 ms belong to the speech around them,
    and what has less than 60 ms of speech is a click. Edges are exact to 5 ms.

    Args:
        samples: int16[n], mono.
        rate: samples a second, at least 200.

    Returns:
        Segments in order, not overlapping, in seconds.
    """
    block = round(rate * FRAME_S / BLOCKS)
    frames = len(samples) // (block * BLOCKS)
    if not frames:
        return []
    power = _power(samples[: frames * block * BLOCKS].reshape(frames, BLOCKS, block))
    levels = _dbov(power.mean(axis=1))
    background = float(np.percentile(levels, BACKGROUND_PERCENTILE))
    threshold = min(max(background + MARGIN_DB, SPEECH_DBOV), NOISY_DBOV)
    active = np.flatnonzero(levels > threshold)
    if not len(active):
        return []
    loud = _dbov(power) > threshold
    runs = np.split(active, np.flatnonzero(np.diff(active) > HANGOVER_S / FRAME_S) + 1)
    step = block / rate
    segments = []
    for run in runs:
        if len(run) >= SHORTEST_FRAMES:
            start = BLOCKS * int(run[0]) + int(loud[run[0]].argmax())
            end = BLOCKS * int(run[-1] + 1) - int(loud[run[-1]][::-1].argmax())
            segments.append((round(start * step, 6), round(end * step, 6)))
    return segments


def _power(blocks: npt.NDArray[np.int16]) -> npt.NDArray[np.float64]:
    """Return the mean power of each block, as much at a time as a cache holds.

    float64[frames, BLOCKS] of int16[frames, BLOCKS, n]. A sum of squared integers is exact in float64, in any order.
    """
    power = np.empty(blocks.shape[:2])
    for first in range(0, len(blocks), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        values = blocks[part].astype(np.float64)
        power[part] = np.einsum("ijk,ijk->ij", values, values) / 32768.0**2 / blocks.shape[2]
    return power


def _dbov(power: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Power over that of a full-scale square wave, in dB (ITU-T G.100.1)."""
    levels: npt.NDArray[np.float64] = 10.0 * np.log10(np.maximum(power, 10.0 ** (SILENCE_DBOV / 10.0)))
    return levels
