"""Keypad tones (ITU-T Q.23) and a receiver for them: what a codec leaves of them can be counted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voicebench.line.level import FULL_SCALE
from voicebench.line.stage import RATE

__all__ = ["KEYS", "heard_keys", "tones"]

LOW_HZ, HIGH_HZ = (697, 770, 852, 941), (1209, 1336, 1477, 1633)
KEYS = "123A456B789C*0#D"

_WINDOW, _STEP = 20 * RATE // 1000, 10 * RATE // 1000
_LEAST_DBOV = -45.0
_TONAL = 0.5
_TWIST_DB = 10.0


def tones(keys: str, *, tone_ms: int = 100, pause_ms: int = 100, level_dbov: float = -13.0) -> NDArray[np.int16]:
    """Return the keys as int16[n] at 16 kHz, with a pause before, between and after.

    Args:
        keys: characters of ``KEYS``.
        tone_ms: length of each.
        pause_ms: silence around each.
        level_dbov: mean power of the two tones together.

    Raises:
        ValueError: a character is no key.
    """
    time = np.arange(tone_ms * RATE // 1000) / RATE
    amplitude = FULL_SCALE * 10.0 ** (level_dbov / 20.0)
    pause = np.zeros(pause_ms * RATE // 1000)
    parts = [pause]
    for key in keys:
        low, high = divmod(KEYS.index(key), len(HIGH_HZ))
        pair = np.sin(2.0 * np.pi * LOW_HZ[low] * time) + np.sin(2.0 * np.pi * HIGH_HZ[high] * time)
        parts += [amplitude * pair, pause]
    return np.rint(np.concatenate(parts)).astype(np.int16)


def heard_keys(samples: NDArray[np.int16]) -> str:
    """Return the keys that a receiver hears in int16[n] at 16 kHz.

    A key counts where three windows of 20 ms in a row, 10 ms apart, hold half their power in one tone of each group,
    less than 10 dB apart; it must end before it counts again.
    """
    found: list[str] = []
    run, last = 0, ""
    for start in range(0, samples.size - _WINDOW + 1, _STEP):
        key = _key(samples[start : start + _WINDOW].astype(np.float64))
        run = run + 1 if key == last else 1
        last = key
        if key and run == 3:
            found.append(key)
    return "".join(found)


def _key(window: NDArray[np.float64]) -> str:
    power = float(np.mean(window * window))
    if power < FULL_SCALE**2 * 10.0 ** (_LEAST_DBOV / 10.0):
        return ""
    low, high = (_powers(window, group) for group in (LOW_HZ, HIGH_HZ))
    row, column = int(np.argmax(low)), int(np.argmax(high))
    twist_db = abs(10.0 * np.log10(low[row] / max(high[column], 1e-9)))
    if low[row] + high[column] < _TONAL * power or twist_db > _TWIST_DB:
        return ""
    return KEYS[row * len(HIGH_HZ) + column]


def _powers(window: NDArray[np.float64], hertz: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the power of the tone at each frequency."""
    phases = -2j * np.pi * np.array(hertz)[:, None] * np.arange(window.size) / RATE
    powers: NDArray[np.float64] = 2.0 * np.abs(np.exp(phases) @ window / window.size) ** 2
    return powers
