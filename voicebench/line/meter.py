"""A running level meter."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from voicebench.line.level import FULL_SCALE

__all__ = ["Meter"]


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
    def rms_dbov(self) -> float | None:
        """Mean power in dBov, or None for digital silence, which has no level."""
        return 10.0 * math.log10(self._energy / self._count / FULL_SCALE**2) if self._energy else None
