"""The playout buffer: packets go in as they are sent, samples come out a constant time later."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from voicebench.line.codecs import Codec
from voicebench.line.concealment import Concealment

__all__ = ["Playout"]


class Playout:
    """Holds packets until their turn, decodes them then, and conceals those that are missing.

    Args:
        codec: the leg's codec; packets reach it in order, each at its turn.
        concealment: makes up the missing ones.
        packet_size: samples of a packet at the codec's rate.
        lead: samples between a packet's sending and its turn.
    """

    def __init__(self, codec: Codec, concealment: Concealment, packet_size: int, lead: int) -> None:
        self._codec = codec
        self._concealment = concealment
        self._size = packet_size
        self._queue: deque[bytes | None] = deque()
        self._ready = np.zeros(lead, dtype=np.int16)

    def exchange(self, payload: bytes | None) -> NDArray[np.int16]:
        """Put one packet in (None when it is missing), and take the samples of 20 ms, int16[packet_size], out."""
        self._queue.append(payload)
        while self._ready.size < self._size:
            self._ready = np.concatenate([self._ready, self._decode(self._queue.popleft())])
        out, self._ready = self._ready[: self._size], self._ready[self._size :]
        return out

    def _decode(self, payload: bytes | None) -> NDArray[np.int16]:
        if payload is None:
            return self._concealment.missing(self._size)
        return self._concealment.heard(self._codec.decode(payload))
