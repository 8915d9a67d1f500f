"""The waveform of a recording, small enough to be drawn without the recording."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["Peaks", "recording_peaks"]

_PER_S = 50
_MOST = 30_000
_FULL = 100


@dataclass(frozen=True)
class Peaks:
    """The loudest sample of each stretch of a stereo recording.

    Attributes:
        length_s: length of the recording, seconds.
        caller, agent: one a stretch, from 0 to 100, of which 100 is full scale.
    """

    length_s: float
    caller: list[int]
    agent: list[int]


def recording_peaks(path: Path) -> Peaks:
    """Return the peaks of a recording; they are kept in memory until the file changes.

    Raises:
        ValueError: the file is no WAV file with two channels.
    """
    stat = path.stat()
    return _read(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=64)
def _read(path: Path, _changed_ns: int, _size: int) -> Peaks:
    import soundfile

    try:
        samples, rate = soundfile.read(path, dtype="int16", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise ValueError(f"the recording cannot be read: {error}") from error
    if samples.shape[1] != 2:
        raise ValueError(f"a recording has two channels, caller and agent; this one has {samples.shape[1]}")
    stretch = max(rate // _PER_S, -(-len(samples) // _MOST))
    caller, agent = (_loudest(samples[:, side], stretch) for side in (0, 1))
    return Peaks(len(samples) / rate, caller, agent)


def _loudest(samples: npt.NDArray[np.int16], stretch: int) -> list[int]:
    stretches = -(-len(samples) // stretch)
    padded = np.zeros(stretches * stretch, dtype=np.float32)
    padded[: len(samples)] = np.abs(samples.astype(np.float32))
    levels: list[int] = np.rint(padded.reshape(stretches, stretch).max(axis=1) * (_FULL / 32768)).astype(int).tolist()
    return levels
