"""Random streams of the line: a function of seed, leg, stage and packet index, and of nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PacketDraws", "Stream", "named_model", "uniform"]

_BLOCK = 256
"""Packets drawn at a time: making a generator costs far more than drawing from it."""


class Stream:
    """The random numbers of one stage of one leg, packet by packet.

    Philox is a counter-based generator (Salmon et al., 2011): its key names the stage, and a packet's index selects a
    place in its counter. What one packet draws cannot move what the next one gets.
    """

    def __init__(self, seed: int, leg: str, stage: str) -> None:
        # Hashed, so that neighbouring seeds have unrelated keys; "line" keeps them apart from other uses of the seed.
        digest = hashlib.sha256(f"line\x1f{seed}\x1f{leg}\x1f{stage}".encode()).digest()
        self._key = np.frombuffer(digest[:16], dtype="<u8").astype(np.uint64)

    def at(self, index: int) -> np.random.Generator:
        """Return the generator of packet ``index`` (2**64 draws long)."""
        # Philox counts up in the lowest word; the index stands in the next one, so that no two packets ever overlap.
        counter = np.array([0, index, 0, 0], dtype=np.uint64)
        return np.random.Generator(np.random.Philox(key=self._key, counter=counter))


class PacketDraws:
    """Some random numbers for each packet, drawn for 256 packets at a time.

    Args:
        stream: the stage's stream.
        draw: takes a generator and a count of packets, and returns float64[count, ...].
    """

    def __init__(self, stream: Stream, draw: Callable[[np.random.Generator, int], NDArray[np.float64]]) -> None:
        self._stream = stream
        self._draw = draw
        self._block = -1
        self._values: list[list[float]] = []

    def of(self, index: int) -> list[float]:
        """Return what packet ``index`` draws."""
        block, within = divmod(index, _BLOCK)
        if block != self._block:
            self._block = block
            self._values = self._draw(self._stream.at(block), _BLOCK).reshape(_BLOCK, -1).tolist()
        return self._values[within]


def uniform(generator: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Draw two numbers from 0 to 1 for each packet: every model draws as many, whether it uses both or not."""
    return generator.random((count, 2))


def named_model(value: Any) -> Any:
    """Take the name of a model of loss or jitter for one without parameters."""
    return {"model": value} if isinstance(value, str) else value
