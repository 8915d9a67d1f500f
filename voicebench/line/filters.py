"""Linear-phase filters of a telephone, designed from tables by frequency sampling."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from voicebench.line.stage import RATE, Samples, to_sample_grid, to_tap_grid

__all__ = ["FILTERS", "Fir", "design", "telephone_filter"]

SPACING_HZ = 50
REFERENCE_HZ = 1_000

IRS_SEND_DB = {
    0: -90.0, 100: -45.8, 125: -36.1, 160: -25.6, 200: -19.2, 250: -14.3, 300: -11.3, 315: -10.8, 400: -8.4, 500: -6.9,
    600: -6.3, 630: -6.1, 800: -4.9, 1000: -3.7, 1250: -2.3, 1600: -0.6, 2000: 0.3, 2500: 1.8, 3000: 1.5, 3150: 1.8,
    3500: -7.3, 4000: -37.2, 5000: -52.2, 6300: -73.6, 8000: -90.0,
}  # fmt: skip
"""ITU-T P.48, sending sensitivity of the Intermediate Reference System, Hz to dB V/Pa (ends added)."""

TELEPHONE_DB = {
    0: -90.0, 100: -50.0, 200: -20.0, 250: -6.0, 300: -0.5, 350: 0.0, 1000: 0.0, 3350: 0.0, 3400: -0.5, 3600: -12.0,
    4000: -40.0, 4600: -60.0, 8000: -90.0,
}  # fmt: skip
"""The band of a telephone channel, 300 to 3400 Hz within half a decibel; a trunk without a telephone set."""

FILTERS: dict[str, dict[int, float]] = {"irs": IRS_SEND_DB, "telephone": TELEPHONE_DB}
"""Filters by the name that settings use: Hz to dB."""


class Fir:
    """A filter of an odd number of symmetric taps, streaming."""

    def __init__(self, taps: Samples, rate_hz: int) -> None:
        self._taps = taps
        self._history: Samples = np.zeros(taps.size - 1)
        self._delay = (taps.size // 2) * RATE // rate_hz

    @property
    def delay_samples(self) -> int:
        """The constant delay, in samples at 16 kHz."""
        return self._delay

    @property
    def noise_gain(self) -> float:
        """What the filter makes of the amplitude of white noise."""
        return float(np.sqrt(np.dot(self._taps, self._taps)))

    def process(self, samples: Samples) -> Samples:
        """Filter float64[n] into float64[n]."""
        line = np.concatenate([self._history, samples])
        self._history = line[samples.size :]
        return to_sample_grid(np.convolve(line, self._taps, "valid")) if samples.size else samples


def telephone_filter(name: str, rate_hz: int) -> Fir:
    """Return the named filter for samples at ``rate_hz``.

    Raises:
        KeyError: there is no filter of that name.
    """
    return Fir(_taps(name, rate_hz), rate_hz)


@lru_cache(maxsize=8)
def _taps(name: str, rate_hz: int) -> Samples:
    return design(FILTERS[name], rate_hz)


def design(table: dict[int, float], rate_hz: int) -> Samples:
    """Design a linear-phase FIR whose response passes through a table, relative to its value at 1 kHz.

    Frequency sampling: the table, interpolated in dB over the frequency, is taken every 50 Hz and
    transformed to 20 ms of impulse response, which delays by 10 ms.

    Args:
        table: Hz to dB.
        rate_hz: samples per second, a multiple of 100.

    Returns:
        float64[rate_hz / 50 + 1], symmetric.
    """
    size = rate_hz // SPACING_HZ
    frequencies = np.arange(size // 2 + 1) * SPACING_HZ
    decibels = np.interp(frequencies, list(table), list(table.values())) - table[REFERENCE_HZ]
    circular = np.fft.fftshift(np.fft.irfft(10.0 ** (decibels / 20.0), size))
    taps = np.append(circular, circular[0])
    taps[[0, -1]] /= 2.0
    return to_tap_grid(taps)
