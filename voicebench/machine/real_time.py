"""How many calls in real time a run may hold at once: what ``doctor`` measured here, else what is measured now."""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Callable
from pathlib import Path

from voicebench.config import Pipeline
from voicebench.errors import VoicebenchError
from voicebench.machine.capacity import measure_call, real_time_calls
from voicebench.machine.hardware import read_machine
from voicebench.speech.hash_cache import cache_dir

__all__ = ["most_at_once", "recall", "remember"]

_FILE = "real-time.json"


def most_at_once(pipeline: Pipeline, workers: int, note: Callable[[str], object]) -> float:
    """Return how many calls may be in flight; without limit where calls do not follow the wall.

    One is always allowed: whether it was punctual is seen in its ticks.

    Args:
        pipeline: the configuration.
        workers: how many are wanted.
        note: is told when that is too many, or when the machine has to be measured first.
    """
    if pipeline.clock.mode != "real" or workers == 1:
        return math.inf
    machine = read_machine(Path.cwd())
    capacity = real_time_calls(recall() or _measure(note), machine.cores, machine.memory_mb)
    allowed = max(1, capacity.calls)
    if allowed < workers:
        note(f"{allowed} of {workers} calls at once, as they are in real time: limited by {capacity.limit}")
    return allowed


def _measure(note: Callable[[str], object]) -> float:
    """Measure what a second of a call costs; where that fails, one whole core, so that each call gets two."""
    note("measuring what a call costs this machine, once; `voicebench doctor` does the same")
    try:
        cost = measure_call()
    except VoicebenchError as error:
        note(f"it could not be measured ({error}); a second of a call is taken for a second of a core")
        return 1.0
    remember(cost.share)
    return cost.share


def remember(share: float) -> None:
    """Keep what a second of a call costs this machine, CPU seconds; a cache that cannot be written is no trouble."""
    try:
        cache_dir().mkdir(parents=True, exist_ok=True)
        (cache_dir() / _FILE).write_text(json.dumps({"machine": _machine(), "share": share}))
    except OSError:
        return


def recall() -> float | None:
    """Return what was kept on this machine, or None."""
    try:
        kept = json.loads((cache_dir() / _FILE).read_text())
        return float(kept["share"]) if kept["machine"] == _machine() else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _machine() -> str:
    return f"{platform.node()} {platform.machine()} {os.cpu_count()}"
