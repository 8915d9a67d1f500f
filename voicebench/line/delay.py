"""Models of network delay."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Delay", "FixedDelay"]


class Delay(Protocol):
    """Decides how long each packet takes."""

    def ms(self, index: int) -> float:
        """Return the time that packet ``index`` spends on the network, in milliseconds."""


class FixedDelay:
    """Every packet takes the same time: no jitter."""

    def __init__(self, delay_ms: float) -> None:
        self._delay_ms = delay_ms

    def ms(self, index: int) -> float:
        """Return the delay."""
        return self._delay_ms
