"""Runs: planning, making calls, going on after a stop, and what came of it."""

from __future__ import annotations

from voicebench.runner.estimate import Estimate
from voicebench.runner.interrupt import Interrupted
from voicebench.runner.junit import to_junit
from voicebench.runner.plan import RunRequest, load_packs
from voicebench.runner.preflight import Preflight, preflight
from voicebench.runner.progress import Silent, Standing, Watcher, watcher
from voicebench.runner.run import dry_run, run

__all__ = [
    "Estimate",
    "Interrupted",
    "Preflight",
    "RunRequest",
    "Silent",
    "Standing",
    "Watcher",
    "dry_run",
    "load_packs",
    "preflight",
    "run",
    "to_junit",
    "watcher",
]
