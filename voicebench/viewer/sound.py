"""What a recording sounds like, small enough to be drawn without it: its waveform, and who spoke when."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voicebench.metrics import Speech, read_recording, voice_activity

__all__ = ["Sound", "read_sound"]

# Without peaks wavesurfer would fetch and decode the whole file before it draws: 38 MB for ten minutes. From there on
# they are spread, so that a page has less than 200 kB of them.
_PER_S = 50
_MOST = 30_000
_FULL = 100


@dataclass(frozen=True)
class Sound:
    """A stereo recording.

    Attributes:
        length_s: its length, seconds.
        caller, agent: the loudest sample of each stretch, from 0 to 100, of which 100 is full scale.
        speech: when the caller spoke, and when the agent did.
    """

    length_s: float
    caller: list[int]
    agent: list[int]
    speech: Speech


def read_sound(path: Path) -> Sound:
    """Return what a recording sounds like; it is kept in memory until the file changes.

    Raises:
        ValueError: the file is no WAV file with two channels.
    """
    stat = path.stat()
    return _read(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=64)
def _read(path: Path, _changed_ns: int, _size: int) -> Sound:
    caller, agent, rate = read_recording(path)
    stretch = max(rate // _PER_S, -(-len(caller) // _MOST))
    speech = voice_activity(caller, rate), voice_activity(agent, rate)
    return Sound(len(caller) / rate, _peaks(caller, stretch), _peaks(agent, stretch), speech)


def _peaks(samples: npt.NDArray[np.int16], stretch: int) -> list[int]:
    whole = len(samples) // stretch * stretch
    parts = [part for part in (samples[:whole].reshape(-1, stretch), samples[None, whole:]) if part.size]
    # -(-32768) is no int16: the minimum is widened before its sign is turned.
    loudest = [np.maximum(part.max(axis=1), -part.min(axis=1).astype(np.int32)) for part in parts]
    levels: list[int] = np.rint(np.concatenate(loudest or [np.zeros(0)]) * (_FULL / 32768)).astype(int).tolist()
    return levels
