"""Runs: planning, making calls, going on after a stop, and what came of it."""

from __future__ import annotations

from voicebench.runner.estimate import Estimate
from voicebench.runner.interrupt import Interrupted
from voicebench.runner.junit import to_junit
from voicebench.runner.plan import RunRequest, load_packs
from voicebench.runner.preflight import Preflight, preflight
from voicebench.runner.progress import Silent, Standing, Watcher, watcher
from voicebench.runner.replay import Replayed, replay_call
from voicebench.runner.rescore import Rescored, causes_of, rescore_run
from voicebench.runner.results import RunResult, call_details, call_row
from voicebench.runner.run import dry_run, run

__all__ = [
    "Estimate",
    "Interrupted",
    "Preflight",
    "Replayed",
    "Rescored",
    "RunRequest",
    "RunResult",
    "Silent",
    "Standing",
    "Watcher",
    "call_details",
    "call_row",
    "causes_of",
    "dry_run",
    "load_packs",
    "preflight",
    "replay_call",
    "rescore_run",
    "run",
    "to_junit",
    "watcher",
]
