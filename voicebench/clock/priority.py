"""Who goes first on a busy machine: what a call in real time waits for before what it does not."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

__all__ = ["LINE", "SERVER", "ahead_of_others"]

LINE = 2
"""Real-time priority of a process that holds a call in real time."""

SERVER = 1
"""Of a local server that answers such calls, and of the caller's recognizer: starved, it would make the caller deaf."""


@contextlib.contextmanager
def ahead_of_others(priority: int) -> Iterator[None]:
    """Let this thread, and those that it starts meanwhile, run before ordinary processes (``SCHED_RR``).

    Most systems grant it to root and to users with a limit for real-time priority (``ulimit -r``); elsewhere the thread
    keeps its place.

    Args:
        priority: 1 is the lowest real-time one.
    """
    before = _ordered(os.SCHED_RR, priority) if hasattr(os, "SCHED_RR") else None
    try:
        yield
    finally:
        if before is not None:
            _ordered(*before)


def _ordered(policy: int, priority: int) -> tuple[int, int] | None:
    """Set this thread's place; return the one that it had, None if the system does not grant it."""
    try:
        before = os.sched_getscheduler(0), os.sched_getparam(0).sched_priority
        os.sched_setscheduler(0, policy, os.sched_param(priority))
    except OSError:
        return None
    return before
