"""What a stage of the line is, and the number grid that makes its bits the same everywhere."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["FRAME", "FRAME_MS", "RATE", "Samples", "Stage", "to_pcm", "to_sample_grid", "to_tap_grid"]

RATE = 16_000
"""Samples per second at both ends of the line."""

FRAME = 320
"""Samples of one frame at 16 kHz: 20 ms, one packet."""

FRAME_MS = 20

Samples = NDArray[np.float64]
"""float64[n] on the scale of int16, between two stages."""

_SAMPLE_STEP = 2.0**-8
_TAP_STEP = 2.0**-20


class Stage(Protocol):
    """One causal step of the sending or receiving side; it keeps its own state between calls."""

    @property
    def delay_samples(self) -> int:
        """The constant delay, in samples at 16 kHz."""

    def process(self, samples: Samples) -> Samples:
        """Process float64[n] of any length; return the output samples that are ready."""


def to_sample_grid(values: Samples) -> Samples:
    """Round samples to 1/256 of an int16 step.

    Samples on this grid times taps on theirs, summed, need at most 46 bits (16 + 8 of the sample, 20 of the tap, and
    the growth of the sum), so float64 holds every partial sum exactly. The order of summation, and with it the
    chunking, the BLAS and the processor, cannot change a bit.
    """
    rounded: Samples = np.rint(values / _SAMPLE_STEP) * _SAMPLE_STEP
    return rounded


def to_tap_grid(taps: Samples) -> Samples:
    """Round filter taps to multiples of 2**-20; see :func:`to_sample_grid`."""
    rounded: Samples = np.rint(taps / _TAP_STEP) * _TAP_STEP
    return rounded


def to_pcm(samples: Samples) -> NDArray[np.int16]:
    """Round and clip float64[n] to int16[n]."""
    return np.clip(np.rint(samples), -32768, 32767).astype(np.int16)
