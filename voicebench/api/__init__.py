"""The Python door: what the commands do, as functions, and what comes of them, as objects.

``import voicebench`` gives all of it, and loads it when it is first asked for.
"""

from __future__ import annotations

from voicebench.api.results import Call, Run, RunSummary, ScoredCall, load_call, load_run
from voicebench.api.verbs import call, compare, dry_run, leaderboard, run, score

__all__ = [
    "Call",
    "Run",
    "RunSummary",
    "ScoredCall",
    "call",
    "compare",
    "dry_run",
    "leaderboard",
    "load_call",
    "load_run",
    "run",
    "score",
]
