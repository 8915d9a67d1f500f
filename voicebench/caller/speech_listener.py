"""Finds the agent's speech in what came through the line, and keeps it until the caller wants to recognise it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voicebench.speech.vad import Vad

__all__ = ["CallerListener", "HeardSpeech"]

# In frames of 20 ms. The pre-roll is kept because the recognizer loses a first consonant that the VAD took for silence.
_ONSET_FRAMES = 3
_HANGOVER_FRAMES = 10
_PRE_ROLL_FRAMES = 10
_TAIL_FRAMES = 15


@dataclass(frozen=True)
class HeardSpeech:
    """Some speech as it came through the line.

    Attributes:
        samples: int16[n] at 16 kHz, with a little of the silence around it.
        start: slot of its first speech frame; a slot is one 20 ms frame, counted from 0.
        end: slot after its last speech frame.
        speech_frames: how many of its frames are speech, pauses under 200 ms included.
    """

    samples: npt.NDArray[np.int16]
    start: int
    end: int
    speech_frames: int


class CallerListener:
    """Takes every frame of one call in order.

    Speech begins when three frames in a row are speech (clicks are not), and from then on each frame of speech prolongs
    it, as long as the pause is under 200 ms.
    """

    def __init__(self, vad: Vad) -> None:
        self._vad = vad
        self._run = 0
        self._kept: list[npt.NDArray[np.int16]] = []
        self._pre_roll: deque[npt.NDArray[np.int16]] = deque(maxlen=_PRE_ROLL_FRAMES)
        self._start: int | None = None
        self._speech_frames = 0
        self.slot = -1
        self.last_speech: int | None = None

    @property
    def quiet_frames(self) -> int:
        """Frames since the last speech, or since the call began."""
        return self.slot - (-1 if self.last_speech is None else self.last_speech)

    @property
    def is_speaking(self) -> bool:
        """Whether the agent is speaking, with less than 200 ms of pause."""
        return self.last_speech is not None and self.quiet_frames < _HANGOVER_FRAMES

    @property
    def is_stirring(self) -> bool:
        """Whether the last frame may be the first of speech."""
        return self._run > 0

    @property
    def kept_slots(self) -> int:
        """Slots since the first of the speech kept began; 0 if none is kept."""
        return 0 if self._start is None else self.slot + 1 - self._start

    def hear(self, frame: npt.NDArray[np.int16]) -> bool:
        """Take the next frame, int16[320]; return whether speech began with it after a pause."""
        self.slot += 1
        self._run = self._run + 1 if self._vad.is_speech(frame) else 0
        prolonged = self._run > 0 and self.is_speaking
        began = not prolonged and self._run >= _ONSET_FRAMES
        starts = prolonged or began
        if self._kept or starts:
            if not self._kept:
                self._kept = list(self._pre_roll)
                self._pre_roll.clear()
            self._kept.append(frame.copy())
        else:
            self._pre_roll.append(frame.copy())
        if prolonged or began:
            frames = self.quiet_frames if prolonged else _ONSET_FRAMES
            self._speech_frames += frames
            self.last_speech = self.slot
            if self._start is None:
                self._start = self.slot + 1 - (1 if prolonged else _ONSET_FRAMES)
        return began

    def peek(self) -> HeardSpeech | None:
        """Return the speech kept, without forgetting it; None if there is none."""
        if self._start is None or self.last_speech is None:
            return None
        quiet = max(0, self.quiet_frames - _TAIL_FRAMES)
        samples = np.concatenate(self._kept[: len(self._kept) - quiet])
        return HeardSpeech(samples, self._start, self.last_speech + 1, self._speech_frames)

    def take(self) -> HeardSpeech | None:
        """Return the speech kept and forget it; None if there is none."""
        heard = self.peek()
        self.drop()
        return heard

    def drop(self) -> None:
        """Forget the speech kept."""
        self._pre_roll.extend(self._kept[-_PRE_ROLL_FRAMES:])
        self._kept = []
        self._start = None
        self._speech_frames = 0
