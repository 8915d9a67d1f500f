"""What a run or a call says of itself: one row a call, and a summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from voicebench.metrics import quantiles, recording_activity, responses, transcript
from voicebench.runner.plan import UNDECIDED
from voicebench.store import StoredCall

__all__ = ["RunResult", "Status", "call_details", "call_row", "summarise"]

Status = Literal["complete", "incomplete", "interrupted"]

_ROW = (
    "pack",
    "task",
    "trial",
    "attempt",
    "verdict",
    "reason",
    "gates",
    "call_s",
    "wall_s",
    "cpu_s",
    "ttft_ms",
    "v2v_ms",
)
_DETAILS = ("tool_calls", "path", "state_diff")

_TOLERATED = 0.02
"""Share of a run's calls that may be void or error."""


@dataclass(frozen=True)
class RunResult:
    """What came of a run.

    Attributes:
        run_id: the name of the run.
        run_dir: its folder, absolute.
        calls: one row for each trial that has an attempt, its last, with the verdicts of all its ``attempts``.
        summary: counts, pass rate, and latencies over all calls.
        status: ``complete``; ``incomplete`` (trials without a verdict, too many void or error); or ``interrupted``.
        problem: why the run stopped early, if it did.
    """

    run_id: str
    run_dir: Path
    calls: list[dict[str, Any]]
    summary: dict[str, Any]
    status: Status
    problem: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return what ``voicebench run --json`` prints."""
        return {
            "run_id": self.run_id,
            "run_dir": str(self.run_dir),
            "calls": self.calls,
            "summary": {**self.summary, "status": self.status, "problem": self.problem},
        }


def call_row(stored: StoredCall) -> dict[str, Any]:
    """Return the figures of one call as ``run --json`` lists them; ``dir`` is absolute."""
    return {**{key: stored.call.get(key) for key in _ROW}, "dir": str(stored.dir.resolve())}


def call_details(stored: StoredCall) -> dict[str, Any]:
    """Return what ``show --json`` prints: the row, then transcript, tool calls, path, and the database's difference."""
    turns = transcript(stored.trace) if stored.has_trace else []
    return {**call_row(stored), "transcript": turns, **{key: stored.call.get(key) for key in _DETAILS}}


def summarise(last: Sequence[StoredCall], planned: int) -> dict[str, Any]:
    """Return counts, pass rate, and latencies over all requests and turns of the calls with a verdict.

    Args:
        last: the last attempt of every trial that has one.
        planned: how many trials the run has.
    """
    verdicts = [str(stored.call.get("verdict")) for stored in last]
    counts = {verdict: verdicts.count(verdict) for verdict in ("passed", "failed", "void", "error")}
    decided = [stored for stored, verdict in zip(last, verdicts, strict=True) if verdict not in UNDECIDED]
    rated = counts["passed"] + counts["failed"]
    undecided = counts["void"] + counts["error"]
    return {
        "planned": planned,
        "calls": len(last),
        **counts,
        "pass_rate": counts["passed"] / rated if rated else None,
        "ttft_ms": quantiles([value for stored in decided for value in _ttft_ms(stored)]),
        "v2v_ms": quantiles([value for stored in decided for value in _v2v_ms(stored)]),
        "complete": len(last) == planned and undecided <= _TOLERATED * planned,
    }


def _ttft_ms(stored: StoredCall) -> list[float]:
    requests = (line["attributes"] for line in stored.trace if line["name"] == "llm")
    return [request["ttft_ms"] for request in requests if request.get("ttft_ms") is not None]


def _v2v_ms(stored: StoredCall) -> list[float]:
    if not stored.recording.exists():
        return []
    return [response.v2v_ms for response in responses(*recording_activity(stored.recording.read_bytes()))]
