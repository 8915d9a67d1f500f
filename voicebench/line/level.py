"""The active speech level of ITU-T P.56, method B: how loud a talker is while talking.

Levels are in dBov: 0 dBov is the power of a full-scale square wave (G.191, ``10 log10(mean square / 32768**2)``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["P56", "SPEECH_LEVEL_DBOV", "active_level_dbov", "gain_db", "level_of_means", "rms_dbov"]

SPEECH_LEVEL_DBOV = -26.0
"""The nominal level of speech on a line (ITU-T P.56 practice; G.191 calls it the reference level)."""

FULL_SCALE = 32768.0

# The numbers of P.56, method B: the envelope's time constant, the hangover that bridges the gaps between words, the
# margin between the active level and the threshold that selects it, and thresholds a factor of 2 apart.
TIME_CONSTANT_S = 0.03
HANGOVER_S = 0.2
MARGIN_DB = 15.9
THRESHOLDS = 2.0 ** np.arange(15) / FULL_SCALE
_BLOCK = 4096


@dataclass(frozen=True)
class P56:
    """Levels of one signal.

    Attributes:
        active_dbov: mean power while active; ``-inf`` when nothing is.
        rms_dbov: mean power of the whole signal, pauses included; ``-inf`` for silence.
        activity: part of the time that counts as active, 0 to 1.
    """

    active_dbov: float
    rms_dbov: float
    activity: float


def rms_dbov(samples: NDArray[np.int16]) -> float:
    """Return the mean power of samples (int16[n]) in dBov, ``-inf`` for silence or no samples."""
    scaled = samples.astype(np.float64) / FULL_SCALE
    return _db(float(np.mean(scaled * scaled))) if samples.size else -math.inf


def active_level_dbov(samples: NDArray[np.int16], rate: int) -> P56:
    """Measure the active speech level by ITU-T P.56, method B.

    Args:
        samples: int16[n], mono.
        rate: samples per second.

    Raises:
        ValueError: the samples are not one-dimensional int16, or the rate is not positive.
    """
    if samples.ndim != 1 or samples.dtype != np.int16 or rate <= 0:
        raise ValueError(f"P.56 needs int16[n] and a positive rate, got {samples.dtype}{samples.shape} at {rate} Hz")
    scaled = samples.astype(np.float64) / FULL_SCALE
    return level_of_means(np.abs(scaled), float(np.dot(scaled, scaled)), rate)


def level_of_means(rectified: NDArray[np.float64], energy: float, rate: int) -> P56:
    """Measure the active level of a rectified signal, whose rate may be as low as 694 Hz (P.56, clause 5).

    Args:
        rectified: float64[n], the absolute values, or their means over 1/rate seconds; full scale is 1.
        energy: sum of n mean squares.
        rate: values per second.
    """
    if energy == 0.0:
        return P56(-math.inf, -math.inf, 0.0)
    long_term = _db(energy / rectified.size)
    decay = math.exp(-1.0 / (rate * TIME_CONSTANT_S))
    envelope = _smooth(_smooth(rectified, decay), decay)  # twice: the two-stage exponential average of P.56
    active = _interpolate(energy, _active_counts(envelope, rate))
    activity = min(1.0, 10.0 ** ((long_term - active) / 10.0)) if math.isfinite(active) else 0.0
    return P56(active, long_term, activity)


def gain_db(measured: P56, target_dbov: float = SPEECH_LEVEL_DBOV) -> float:
    """Return the gain that brings the active level to the target; 0 when nothing is active."""
    return target_dbov - measured.active_dbov if math.isfinite(measured.active_dbov) else 0.0


def _smooth(values: NDArray[np.float64], decay: float) -> NDArray[np.float64]:
    """First-order recursion ``y = decay * y + (1 - decay) * x``, as cumulative sums over blocks.

    Within a block the sums are of ``x / decay**n``; a block is short enough for that to stay in range.
    """
    block = max(1, min(_BLOCK, int(-20.0 / math.log(decay))))
    rows = np.zeros((-(-values.size // block), block))
    rows.reshape(-1)[: values.size] = values
    powers = decay ** np.arange(block)
    local: NDArray[np.float64] = (1.0 - decay) * powers * np.cumsum(rows / powers, axis=1)
    carry = 0.0
    for row in local:
        row += carry * decay * powers
        carry = float(row[-1])
    return local.reshape(-1)[: values.size]


def _active_counts(envelope: NDArray[np.float64], rate: int) -> list[int]:
    """Count for each threshold the samples at or above it, each with a hangover of 200 ms."""
    hangover = math.ceil(rate * HANGOVER_S)
    counts: list[int] = []
    for threshold in THRESHOLDS:
        above = np.flatnonzero(envelope >= threshold)
        if above.size == 0:
            break
        gaps = np.diff(above, append=envelope.size)
        counts.append(int(np.minimum(gaps, hangover + 1).sum()))
    return counts


def _interpolate(energy: float, counts: list[int]) -> float:
    """Find the level that lies the margin above the threshold that selects it, linear in decibels."""
    below: tuple[float, float] | None = None
    for threshold, count in zip(THRESHOLDS, counts, strict=False):
        level = _db(energy / count)
        excess = level - _db(float(threshold * threshold)) - MARGIN_DB
        if excess <= 0.0:
            if below is None:
                return level
            level_below, excess_below = below
            return level_below + (level - level_below) * excess_below / (excess_below - excess)
        below = (level, excess)
    return -math.inf if below is None else below[0]


def _db(power: float) -> float:
    return 10.0 * math.log10(power) if power > 0.0 else -math.inf
