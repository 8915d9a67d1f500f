"""Models of packet loss by name. A new one is a class and one line in ``LOSSES``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

__all__ = ["LOSSES", "Loss", "NoLoss"]


class Loss(Protocol):
    """Decides which packets never arrive; asked once for each, in order."""

    def lost(self, index: int) -> bool:
        """Say whether packet ``index`` is lost."""


class NoLoss:
    """Every packet arrives."""

    def lost(self, index: int) -> bool:
        """Return False."""
        return False


LOSSES: dict[str, Callable[[], Loss]] = {"none": NoLoss}
