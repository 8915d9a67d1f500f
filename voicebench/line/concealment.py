"""Concealment of missing packets by name. A new one is a class and one line in ``CONCEALMENTS``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONCEALMENTS", "Concealment", "ZeroFill"]


class Concealment(Protocol):
    """Makes up what is heard in place of packets that are missing."""

    def heard(self, pcm: NDArray[np.int16]) -> NDArray[np.int16]:
        """Take a decoded packet, int16[n], and return what is played of it."""

    def missing(self, size: int) -> NDArray[np.int16]:
        """Return int16[size] in place of a packet."""


class ZeroFill:
    """Silence in place of what is missing."""

    def heard(self, pcm: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return the packet as it is."""
        return pcm

    def missing(self, size: int) -> NDArray[np.int16]:
        """Return zeros."""
        return np.zeros(size, dtype=np.int16)


CONCEALMENTS: dict[str, Callable[[], Concealment]] = {"zero": ZeroFill}
