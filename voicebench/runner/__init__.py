"""Runs: planning, making calls, going on after a stop, and what came of it."""

from __future__ import annotations

from voicebench.runner.plan import RunRequest, load_packs
from voicebench.runner.progress import Silent, Watcher, watcher
from voicebench.runner.rescore import Rescored, rescore_run
from voicebench.runner.results import RunResult, call_details, call_row
from voicebench.runner.run import run

__all__ = [
    "Rescored",
    "RunRequest",
    "RunResult",
    "Silent",
    "Watcher",
    "call_details",
    "call_row",
    "load_packs",
    "rescore_run",
    "run",
    "watcher",
]
