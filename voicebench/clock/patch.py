"""Call time for libraries that read the clock of the ``time`` module."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from voicebench.clock.loop import CallLoop

__all__ = ["EPOCH_S", "patch_time"]

EPOCH_S: Final = 1_767_225_600
"""What ``time.time`` says at call time 0: 2026-01-01 00:00 UTC, so that equal calls read equal dates."""

_real_time = time.time
_real_time_ns = time.time_ns
_real_monotonic = time.monotonic
_real_monotonic_ns = time.monotonic_ns


def _call_loop() -> CallLoop | None:
    loop = asyncio._get_running_loop()  # per thread: None in a job's thread
    return loop if isinstance(loop, CallLoop) else None


def date_s() -> float:
    """Stand for ``time.time``."""
    loop = _call_loop()
    return _real_time() if loop is None or loop.mode == "real" else EPOCH_S + loop.time()


def date_ns() -> int:
    """Stand for ``time.time_ns``."""
    loop = _call_loop()
    return _real_time_ns() if loop is None or loop.mode == "real" else EPOCH_S * 1_000_000_000 + loop.now_ns


def monotonic_s() -> float:
    """Stand for ``time.monotonic``."""
    loop = _call_loop()
    return _real_monotonic() if loop is None else loop.time()


def monotonic_ns() -> int:
    """Stand for ``time.monotonic_ns``."""
    loop = _call_loop()
    return _real_monotonic_ns() if loop is None else loop.now_ns


def patch_time() -> None:
    """Let ``time.time``, ``time_ns``, ``monotonic`` and ``monotonic_ns`` tell call time inside a running CallLoop.

    Elsewhere, other threads included, they tell the real time, as ``perf_counter`` does everywhere. In clock mode
    ``real``, ``time.time`` stays the date, since services check it. It may be called again. Call it before pipecat is
    imported: some of its dataclasses bind ``time.time`` when they are defined.
    """
    replacements: dict[str, Callable[[], float]] = {
        "time": date_s,
        "time_ns": date_ns,
        "monotonic": monotonic_s,
        "monotonic_ns": monotonic_ns,
    }
    for name, replacement in replacements.items():
        setattr(time, name, replacement)
