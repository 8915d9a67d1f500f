"""Pitch periods: finding one, going on with it, and taking one out or putting one in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voicebench.line.stage import Samples

__all__ = ["Extrapolation", "blend", "lengthen", "period", "shorten"]

# The numbers of ITU-T G.711 Appendix I: pitch from 66 to 200 Hz, and a fade from 10 to 60 ms.
_SHORTEST_S, _LONGEST_S = 0.005, 0.015
_MATCH_S = 0.010
_REPEAT_S = 0.020
_FADE_FROM_S, _FADE_TO_S = 0.010, 0.060
# Two periods must fit into the 20 ms of a packet, so that a stretch looks for 100 to 400 Hz.
_STRETCH_SHORTEST_S, _STRETCH_LONGEST_S = 0.0025, 0.010
_ALIKE = 0.6
_QUIET = 40.0


def period(samples: Samples, shortest: int, longest: int, window: int) -> tuple[int, float]:
    """Return the lag at which the last samples are most like those before them, and how alike they are.

    Args:
        samples: float64[n], n at least ``window + longest``.
        shortest: least lag, in samples.
        longest: greatest lag.
        window: samples that are compared.

    Returns:
        The lag, and the normalised cross-correlation there, from -1 to 1.
    """
    recent = samples[-window:]
    earlier = samples[-window - longest : -shortest]
    products = np.correlate(earlier, recent, "valid")
    squares = np.concatenate([[0.0], np.cumsum(earlier * earlier)])
    energies = squares[window:] - squares[:-window]
    alike = products / np.sqrt(np.maximum(energies, 1.0) * max(float(np.dot(recent, recent)), 1.0))
    best = int(np.argmax(alike))
    return longest - best, float(alike[best])


class Extrapolation:
    """Continues speech by repeating its last pitch periods, fading.

    For the first 20 ms one period is repeated; then two, then three, so that a long gap does not buzz. The seam of the
    repetition is blended over a quarter of a period, and from 10 to 60 ms the sound fades to nothing.

    Args:
        history: int16[n], the last 50 ms.
        rate_hz: samples per second.
    """

    def __init__(self, history: NDArray[np.int16], rate_hz: int) -> None:
        self._history = history.astype(np.float64)
        self._rate_hz = rate_hz
        window = round(_MATCH_S * rate_hz)
        self._period = period(self._history, round(_SHORTEST_S * rate_hz), round(_LONGEST_S * rate_hz), window)[0]
        self._at = 0
        self._phase = 0
        self._cycle = self._cycles(1)

    @property
    def overlap(self) -> int:
        """Samples over which it is blended with what comes after it: an eighth of a period, more after a long gap."""
        beyond_ms = self._at * 1000 // self._rate_hz - round(_REPEAT_S * 1000)
        return self._period // 8 + self._rate_hz * min(10, max(0, beyond_ms) * 4 // 10) // 1000

    def next(self, count: int) -> Samples:
        """Return the next float64[count]."""
        change = round(_REPEAT_S * self._rate_hz)
        parts: list[Samples] = []
        while count > 0:
            until = change - self._at % change
            size = min(count, until)
            where = self._at + np.arange(size)
            faded = 1.0 - (where / self._rate_hz - _FADE_FROM_S) / (_FADE_TO_S - _FADE_FROM_S)
            sound = self._cycle.take(np.arange(self._phase, self._phase + size), mode="wrap")
            parts.append(sound * np.clip(faded, 0.0, 1.0))
            self._at += size
            self._phase = (self._phase + size) % self._cycle.size
            count -= size
            if size == until and self._at <= 2 * change:
                self._cycle = self._cycles(1 + self._at // change)
                self._phase += self._period
        return np.concatenate(parts)

    def _cycles(self, periods: int) -> Samples:
        """Return the last periods, their end blended into what came before their beginning."""
        size = periods * self._period
        overlap = self._period // 4
        cycle = self._history[-size:].copy()
        weight = np.arange(1, overlap + 1) / (overlap + 1)
        before = self._history[-size - overlap : -size]
        cycle[-overlap:] = (1.0 - weight) * cycle[-overlap:] + weight * before
        return cycle


def blend(fading: Samples, coming: NDArray[np.int16]) -> NDArray[np.int16]:
    """Cross-fade from float64[m] into the beginning of int16[n], m at most n."""
    weight = np.arange(1, fading.size + 1) / (fading.size + 1)
    mixed = coming.copy()
    mixed[: fading.size] = np.rint((1.0 - weight) * fading + weight * coming[: fading.size])
    return mixed


def shorten(pcm: NDArray[np.int16], rate_hz: int) -> NDArray[np.int16]:
    """Take one pitch period out of 20 ms of sound, or nothing where none repeats."""
    lag = _stretch_lag(pcm, rate_hz)
    if lag == 0:
        return pcm
    return np.concatenate([blend(pcm[:lag].astype(np.float64), pcm[lag : 2 * lag]), pcm[2 * lag :]])


def lengthen(pcm: NDArray[np.int16], rate_hz: int) -> NDArray[np.int16]:
    """Put one pitch period into 20 ms of sound, or nothing where none repeats."""
    lag = _stretch_lag(pcm, rate_hz)
    if lag == 0:
        return pcm
    again = blend(pcm[lag : 2 * lag].astype(np.float64), pcm[:lag])
    return np.concatenate([pcm[:lag], again, pcm[lag:]])


def _stretch_lag(pcm: NDArray[np.int16], rate_hz: int) -> int:
    """Return the period that can be taken out or put in: any in silence, none where the sound does not repeat."""
    samples = pcm.astype(np.float64)
    shortest, longest = round(_STRETCH_SHORTEST_S * rate_hz), round(_STRETCH_LONGEST_S * rate_hz)
    if float(np.mean(samples * samples)) < _QUIET**2:
        return longest
    lag, alike = period(samples, shortest, longest, longest)
    return lag if alike >= _ALIKE else 0
