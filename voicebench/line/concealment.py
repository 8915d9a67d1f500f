"""Concealment of missing packets by name. A new one is a class and one line in ``CONCEALMENTS``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from voicebench.line.codecs import Codec, NativeConcealment
from voicebench.line.pitch import Extrapolation, blend
from voicebench.line.stage import FRAME_MS

__all__ = ["CONCEALMENTS", "Concealment", "Native", "Pitch", "Repeat", "ZeroFill"]

Pcm = NDArray[np.int16]


class Concealment(Protocol):
    """Makes up what is heard in place of packets that are missing."""

    def received(self, pcm: Pcm) -> Pcm:
        """Take a decoded packet, int16[n], and return what is played of it."""

    def conceal(self, following: bytes | None) -> Pcm:
        """Return 20 ms in place of a packet; ``following`` is the one after it, if that is there already."""


class ZeroFill:
    """Silence in place of what is missing."""

    def __init__(self, codec: Codec) -> None:
        self._size = codec.rate_hz * FRAME_MS // 1000

    def received(self, pcm: Pcm) -> Pcm:
        """Return the packet as it is."""
        return pcm

    def conceal(self, following: bytes | None) -> Pcm:
        """Return zeros."""
        return np.zeros(self._size, dtype=np.int16)


class Repeat:
    """The last packet again, fading out over 60 ms."""

    _PACKETS = 3

    def __init__(self, codec: Codec) -> None:
        self._last: Pcm = np.zeros(codec.rate_hz * FRAME_MS // 1000, dtype=np.int16)
        self._run = 0

    def received(self, pcm: Pcm) -> Pcm:
        """Return the packet as it is."""
        self._last, self._run = pcm, 0
        return pcm

    def conceal(self, following: bytes | None) -> Pcm:
        """Return the last packet, quieter."""
        size = self._last.size
        faded = 1.0 - (self._run + np.arange(size) / size) / self._PACKETS
        self._run += 1
        return np.rint(self._last * np.maximum(faded, 0.0)).astype(np.int16)


class Pitch:
    """Repeats the last pitch period, fading, and blends the next packet in (as ITU-T G.711 Appendix I does)."""

    _HISTORY_MS = 50

    def __init__(self, codec: Codec) -> None:
        self._rate_hz = codec.rate_hz
        self._history: Pcm = np.zeros(codec.rate_hz * self._HISTORY_MS // 1000, dtype=np.int16)
        self._speech: Extrapolation | None = None

    def received(self, pcm: Pcm) -> Pcm:
        """Return the packet, its beginning blended with what was made up before it."""
        if self._speech is not None:
            pcm = blend(self._speech.next(self._speech.overlap), pcm)
            self._speech = None
        self._history = np.concatenate([self._history, pcm])[pcm.size :]
        return pcm

    def conceal(self, following: bytes | None) -> Pcm:
        """Return 20 ms that repeat the last pitch period and fade."""
        if self._speech is None:
            self._speech = Extrapolation(self._history, self._rate_hz)
        made: Pcm = np.rint(self._speech.next(self._rate_hz * FRAME_MS // 1000)).astype(np.int16)
        self._history = np.concatenate([self._history, made])[made.size :]
        return made


class Native:
    """What the codec's own decoder makes up."""

    def __init__(self, codec: Codec) -> None:
        assert isinstance(codec, NativeConcealment)
        self._codec = codec

    def received(self, pcm: Pcm) -> Pcm:
        """Return the packet as it is."""
        return pcm

    def conceal(self, following: bytes | None) -> Pcm:
        """Ask the decoder."""
        return self._codec.conceal(following)


CONCEALMENTS: dict[str, Callable[[Codec], Concealment]] = {
    "zero": ZeroFill,
    "repeat": Repeat,
    "pitch": Pitch,
    "native": Native,
}
