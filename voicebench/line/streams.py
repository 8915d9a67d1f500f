"""Random streams of the line: a function of seed, leg, stage and packet index, and of nothing else."""

from __future__ import annotations

import hashlib

import numpy as np

__all__ = ["Stream"]


class Stream:
    """The random numbers of one stage of one leg, packet by packet.

    Philox is a counter-based generator (Salmon et al., 2011): its key names the stage, and a packet's index selects a
    place in its counter. What one packet draws cannot move what the next one gets.
    """

    def __init__(self, seed: int, leg: str, stage: str) -> None:
        digest = hashlib.sha256(f"line\x1f{seed}\x1f{leg}\x1f{stage}".encode()).digest()
        self._key = np.frombuffer(digest[:16], dtype="<u8").astype(np.uint64)

    def at(self, index: int) -> np.random.Generator:
        """Return the generator of packet ``index`` (2**64 draws long)."""
        counter = np.array([0, index, 0, 0], dtype=np.uint64)
        return np.random.Generator(np.random.Philox(key=self._key, counter=counter))
