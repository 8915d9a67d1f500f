"""Running level meters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from voicebench.line.level import FULL_SCALE, P56, level_of_means
from voicebench.line.stage import RATE

__all__ = ["Meter", "SpeechMeter"]


class Meter:
    """Mean power and peak of all samples so far."""

    def __init__(self) -> None:
        self.peak = 0
        self._energy = 0
        self._count = 0

    def add(self, samples: NDArray[np.int16]) -> None:
        """Count int16[n]."""
        wide = samples.astype(np.int64)
        self._energy += int(np.dot(wide, wide))
        self._count += wide.size
        self.peak = max(self.peak, int(np.abs(wide).max(initial=0)))

    @property
    def power(self) -> float:
        """Mean square of all samples, on the scale of int16."""
        return self._energy / self._count if self._count else 0.0

    @property
    def rms_dbov(self) -> float | None:
        """Mean power in dBov, or None for digital silence, which has no level."""
        return 10.0 * math.log10(self.power / FULL_SCALE**2) if self._energy else None


class SpeechMeter(Meter):
    """A meter that also knows the active speech level (ITU-T P.56), from one mean of the rectified samples a ms."""

    _HZ = 1000

    def __init__(self) -> None:
        super().__init__()
        self._means: list[NDArray[np.float64]] = []

    def add(self, samples: NDArray[np.int16]) -> None:
        """Count int16[n] at 16 kHz, n a multiple of 16."""
        super().add(samples)
        rectified = np.abs(samples.astype(np.float64)).reshape(-1, RATE // self._HZ)
        self._means.append(rectified.mean(axis=1) / FULL_SCALE)

    @property
    def speech(self) -> P56:
        """The levels of all samples so far."""
        means = np.concatenate(self._means) if self._means else np.zeros(0)
        return level_of_means(means, self.power / FULL_SCALE**2 * means.size, self._HZ)
