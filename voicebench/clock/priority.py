"""Who goes first on a busy machine: what a call in real time waits for before what it does not."""

from __future__ import annotations

import contextlib
import os

__all__ = ["LINE", "LISTENER", "SERVER", "set_priority"]

LINE = -10
"""Niceness of a process that holds a call in real time."""

SERVER = -5
"""Of a local server that answers such calls."""

LISTENER = 10
"""Of the caller's recognizer, for which nobody's tick waits."""


def set_priority(niceness: int) -> None:
    """Ask the system for a place of this process, -20 (first) to 19; most users are granted no better one than 0."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
