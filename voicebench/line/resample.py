"""Sample-rate conversion by a polyphase FIR that delays by exactly 2 ms, whatever the chunking.

Streaming resamplers of libraries hold back tens of milliseconds and emit bursts, which a 20 ms line cannot use.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from voicebench.line.stage import RATE, Samples, to_sample_grid, to_tap_grid

__all__ = ["Resampler", "convert"]

# 75 dB bring the images of speech at -26 dBov down to the noise of 16-bit samples. 4 ms of taps then have a transition
# band of 1.2 kHz (Kaiser's estimate), half of it on each side of the lower rate's Nyquist frequency.
DELAY_S = 0.002
STOPBAND_DB = 75.0


class Resampler:
    """Convert from one rate to another, one of which is 16 kHz.

    Output ``m`` is ``sum_k taps[(m * down) % up + k * up] * x[m * down // up - k]``: the filter runs at the least
    common multiple of the rates, and only the products that are not zero are formed (Crochiere and Rabiner, 1983).
    """

    def __init__(self, from_hz: int, to_hz: int) -> None:
        common = math.gcd(from_hz, to_hz)
        self._up, self._down = to_hz // common, from_hz // common
        self._phases = _phases(from_hz, to_hz)
        self._history: Samples = np.zeros(self._phases.shape[1] - 1)
        self._next = 0

    @property
    def delay_samples(self) -> int:
        """The constant delay, in samples at 16 kHz."""
        return round(DELAY_S * RATE)

    def process(self, samples: Samples) -> Samples:
        """Take float64[n] at the first rate and return all samples due at the second."""
        if samples.size == 0:
            return samples
        line = np.concatenate([self._history, samples])
        count = max(0, -(-(samples.size * self._up - self._next) // self._down))
        position = self._next + np.arange(count) * self._down
        self._next += count * self._down - samples.size * self._up
        self._history = line[samples.size :]
        width = self._phases.shape[1]
        windows = np.lib.stride_tricks.sliding_window_view(line, width)[position // self._up]
        return to_sample_grid(np.einsum("ij,ij->i", windows, self._phases[position % self._up]))


def convert(samples: Samples, from_hz: int, to_hz: int) -> Samples:
    """Convert a whole recording, without delay; one of the rates is 16 kHz.

    Returns:
        float64[ceil(n * to_hz / from_hz)]
    """
    resampler = Resampler(from_hz, to_hz)
    tail = np.zeros(math.ceil(DELAY_S * from_hz) + 1)
    blocks = np.split(samples, range(from_hz, samples.size, from_hz))
    converted = np.concatenate([resampler.process(block) for block in (*blocks, tail)])
    return converted[round(DELAY_S * to_hz) :][: math.ceil(samples.size * to_hz / from_hz)]


@lru_cache(maxsize=8)
def _phases(from_hz: int, to_hz: int) -> Samples:
    """Return the taps as float64[up, width], newest sample last; each phase passes a constant unchanged."""
    common = math.lcm(from_hz, to_hz)
    half = round(DELAY_S * common)
    time = np.arange(-half, half + 1)
    cutoff = min(from_hz, to_hz) / common
    # Kaiser's formula for the shape of his window, for more than 50 dB.
    beta = 0.1102 * (STOPBAND_DB - 8.7)
    taps = np.sinc(cutoff * time) * np.kaiser(time.size, beta)
    up = common // from_hz
    width = -(-taps.size // up)
    by_phase = np.pad(taps, (0, width * up - taps.size)).reshape(width, up).T[:, ::-1]
    return to_tap_grid(by_phase / by_phase.sum(axis=1, keepdims=True))
