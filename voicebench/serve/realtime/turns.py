"""Server VAD: where the caller's speech begins and ends in the audio that a session was given."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voicebench.record.json_types import JsonObject
from voicebench.speech.vad import FRAME, Vad

__all__ = ["Started", "Stopped", "TurnDetector"]

Pcm = npt.NDArray[np.int16]

_SETTINGS = ("threshold", "prefix_padding_ms", "silence_duration_ms")
_FRAME_MS = 20
_WINDOW = 10
"""Frames among which the share of speech is taken, since a detector flickers within words."""
_LONGEST_FRAMES = 1_000


@dataclass(frozen=True)
class Started:
    """Speech has begun; the time counts from the session's first sample and includes the padding."""

    audio_start_ms: int


@dataclass(frozen=True)
class Stopped:
    """The silence after a turn is long enough: the turn's audio, int16[n] at 16 kHz, and its end with the silence."""

    audio_end_ms: int
    samples: Pcm


class TurnDetector:
    """Takes audio at 16 kHz in any chunks and finds turns.

    Args:
        threshold: how unlike background speech must be, 0 to 1.
        prefix_padding_ms: audio kept from before the speech.
        silence_duration_ms: silence that ends a turn; one of 20 s is cut.
    """

    def __init__(self, threshold: float = 0.5, prefix_padding_ms: int = 300, silence_duration_ms: int = 500) -> None:
        # The detector has four degrees of aggressiveness, 0 to 3.
        self._vad = Vad(min(3, round(threshold * 4)))
        # The window that decides lies before the speech that it finds, and is kept as well.
        self._padding = max(_WINDOW, prefix_padding_ms // _FRAME_MS + _WINDOW)
        self._silence = max(1, silence_duration_ms // _FRAME_MS)
        self._recent: deque[bool] = deque(maxlen=_WINDOW)
        self._kept: list[Pcm] = []
        self._rest: Pcm = np.zeros(0, dtype=np.int16)
        self._frames = 0
        self._quiet = 0
        self.speaking = False

    @classmethod
    def configured(cls, detection: JsonObject) -> TurnDetector:
        """Return one with the settings of the protocol's ``turn_detection``; those that are absent or null are usual.

        Raises:
            ValueError: a setting is no number.
        """
        given = {key: float(str(value)) for key, value in detection.items() if key in _SETTINGS and value is not None}
        return cls(
            given.get("threshold", 0.5),
            int(given.get("prefix_padding_ms", 300)),
            int(given.get("silence_duration_ms", 500)),
        )

    def receive(self, samples: Pcm) -> list[Started | Stopped]:
        """Take int16[n] at 16 kHz, and return what began or ended with it."""
        whole = np.concatenate([self._rest, samples])
        full = len(whole) // FRAME * FRAME
        self._rest = whole[full:]
        found = [self._frame(frame) for frame in whole[:full].reshape(-1, FRAME)]
        return [event for event in found if event is not None]

    def flush(self) -> Stopped:
        """End the turn here, even in the middle of speech."""
        samples = np.concatenate([*self._kept, self._rest]) if self._kept else self._rest
        self.speaking, self._kept, self._quiet = False, [], 0
        self._recent.clear()
        return Stopped(self._frames * _FRAME_MS, samples)

    def _frame(self, frame: Pcm) -> Started | Stopped | None:
        self._frames += 1
        speech = self._vad.is_speech(frame)
        self._recent.append(speech)
        self._kept.append(frame)
        if not self.speaking:
            del self._kept[: -self._padding]
            if sum(self._recent) * 2 < _WINDOW:
                return None
            self.speaking, self._quiet = True, 0
            return Started(max(0, self._frames - len(self._kept)) * _FRAME_MS)
        self._quiet = 0 if speech else self._quiet + 1
        if self._quiet < self._silence and len(self._kept) < _LONGEST_FRAMES:
            return None
        return self.flush()
