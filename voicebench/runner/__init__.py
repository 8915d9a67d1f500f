"""Runs: planning, making calls, going on after a stop, and what came of it."""

from __future__ import annotations

from voicebench.runner.estimate import Estimate
from voicebench.runner.plan import RunRequest, load_packs
from voicebench.runner.preflight import Preflight, preflight
from voicebench.runner.progress import NullReporter, Progress, ProgressReporter, progress_reporter
from voicebench.runner.run import Interrupted, dry_run, run
from voicebench.runner.scheduler import Stop

__all__ = [
    "Estimate",
    "Interrupted",
    "NullReporter",
    "Preflight",
    "Progress",
    "ProgressReporter",
    "RunRequest",
    "Stop",
    "dry_run",
    "load_packs",
    "preflight",
    "progress_reporter",
    "run",
]
