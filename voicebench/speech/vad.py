"""Voice activity: WebRTC's detector behind a gate on the level, so that steady noise and babble are not speech."""

from __future__ import annotations

import bisect
import importlib.util
import math
from collections import deque

import numpy as np
import numpy.typing as npt

from voicebench.errors import ConfigError, ModelMissing

__all__ = ["FRAME", "SAMPLE_RATE", "Vad"]

SAMPLE_RATE = 16_000
FRAME = 320

# 3 s of history: longer than a sentence goes without a pause, so that the 20th percentile is a pause. In the first half
# second there is too little of it to tell, and the floor is the gate.
_HISTORY_FRAMES = 150
_WARM_FRAMES = 25
_PERCENTILE = 0.2
_FLOOR_DBOV = -52.0
_CAP_DBOV = -30.0
_SILENCE_DBOV = -100.0


class Vad:
    """Says for each 20 ms frame whether it is speech; keeps state, so one instance hears one stream in order.

    A frame is speech when WebRTC's detector says so and its level is above a gate: ``gate_db`` over the 20th
    percentile of the frame levels of the last 3 s. The gate is never under -52 dBov, which line noise stays below, and
    never over -30 dBov, so that long unbroken speech (whose percentile is speech) does not shut it.

    Args:
        aggressiveness: of WebRTC's detector, 0 (most is speech) to 3.
        gate_db: how far above the background's level speech must be, dB.

    Raises:
        ConfigError: an argument is out of range.
        ModelMissing: ``webrtcvad-wheels`` is not installed.
    """

    def __init__(self, aggressiveness: int = 2, gate_db: float = 6.0) -> None:
        if aggressiveness not in (0, 1, 2, 3):
            raise ConfigError(f"vad aggressiveness {aggressiveness} is not one of 0, 1, 2, 3")
        if gate_db < 0:
            raise ConfigError(f"vad gate_db {gate_db:g} is negative")
        if importlib.util.find_spec("webrtcvad") is None:
            raise ModelMissing(
                "the voice activity detector is not installed. Run: pip install webrtcvad-wheels==2.0.14.post1"
            )
        import webrtcvad

        self._detector = webrtcvad.Vad(aggressiveness)
        self._gate_db = gate_db
        self._recent: deque[float] = deque()
        self._ordered: list[float] = []

    @property
    def gate_dbov(self) -> float:
        """The level that a frame must exceed now, dBov."""
        if len(self._ordered) < _WARM_FRAMES:
            return _FLOOR_DBOV
        background = self._ordered[int(_PERCENTILE * len(self._ordered))]
        return min(max(background + self._gate_db, _FLOOR_DBOV), _CAP_DBOV)

    def is_speech(self, frame: npt.NDArray[np.int16]) -> bool:
        """Take the next frame, int16[320] at 16 kHz, and say whether it is speech.

        Raises:
            ValueError: the frame has another shape or type.
        """
        if frame.shape != (FRAME,) or frame.dtype != np.int16:
            raise ValueError(f"a frame is int16[{FRAME}], not {frame.dtype}{list(frame.shape)}")
        samples = frame.astype(np.float64)
        power = float(np.dot(samples, samples)) / (FRAME * 32768.0**2)
        level = 10.0 * math.log10(power) if power > 0.0 else _SILENCE_DBOV
        self._recent.append(level)
        bisect.insort(self._ordered, level)
        if len(self._recent) > _HISTORY_FRAMES:
            del self._ordered[bisect.bisect_left(self._ordered, self._recent.popleft())]
        voiced = bool(self._detector.is_speech(frame.tobytes(), SAMPLE_RATE))
        return voiced and level > self.gate_dbov
