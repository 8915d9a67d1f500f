"""The contract of a codec, and the one that leaves the samples alone."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Codec", "Linear"]


class Codec(Protocol):
    """Encoder and decoder of one leg; an object serves one leg, so it may keep state.

    Attributes:
        rate_hz: samples per second of what it codes.
    """

    rate_hz: int

    def encode(self, pcm: NDArray[np.int16]) -> bytes:
        """Code 20 ms of int16 samples at ``rate_hz`` into one payload."""

    def decode(self, payload: bytes) -> NDArray[np.int16]:
        """Turn one payload into 20 ms of int16 samples at ``rate_hz``."""


class Linear:
    """No codec: 16 kHz linear PCM, bit for bit."""

    rate_hz = 16_000

    def encode(self, pcm: NDArray[np.int16]) -> bytes:
        """Return the samples as little-endian bytes."""
        return pcm.astype("<i2").tobytes()

    def decode(self, payload: bytes) -> NDArray[np.int16]:
        """Return the samples of a payload."""
        return np.frombuffer(payload, dtype="<i2").astype(np.int16)
