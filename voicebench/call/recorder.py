"""The stereo recording of a call, taken from the line's samples."""

from __future__ import annotations

import io

import numpy as np

from voicebench.agent import SAMPLE_RATE, Pcm

__all__ = ["Recorder"]


class Recorder:
    """Keeps both sides of a call: left the caller as the agent heard it, right the agent as the caller heard it."""

    def __init__(self) -> None:
        self._left: list[Pcm] = []
        self._right: list[Pcm] = []

    def add(self, left: Pcm, right: Pcm) -> None:
        """Add one frame of each side: int16[320] at 16 kHz."""
        self._left.append(left)
        self._right.append(right)

    def wav(self) -> bytes:
        """Return the recording as a WAV file: stereo, 16 kHz, 16 bit."""
        import soundfile

        if not self._left:
            samples = np.zeros((0, 2), dtype=np.int16)
        else:
            samples = np.stack([np.concatenate(self._left), np.concatenate(self._right)], axis=1)
        file = io.BytesIO()
        soundfile.write(file, samples, SAMPLE_RATE, format="WAV", subtype="PCM_16")
        return file.getvalue()
