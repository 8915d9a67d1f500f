"""What is done with stored runs: scored again, replayed, exported."""

from __future__ import annotations

from voicebench.stored.replay import Replayed, replay_call
from voicebench.stored.results import RunResult, answered_turns, call_details, call_row
from voicebench.stored.runs import read_result
from voicebench.stored.score import Rescored, causes_of, rescore_run

__all__ = [
    "Replayed",
    "Rescored",
    "RunResult",
    "answered_turns",
    "call_details",
    "call_row",
    "causes_of",
    "read_result",
    "replay_call",
    "rescore_run",
]
