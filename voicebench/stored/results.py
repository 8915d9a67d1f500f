"""What a run or a call says of itself: one row a call, and a summary."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from voicebench.metrics import quantiles, recording_activity, v2v_parts
from voicebench.metrics.causes import count_causes
from voicebench.metrics.cost import total_cost
from voicebench.record.figures import CallCost
from voicebench.record.transcript import Attribution
from voicebench.store import StoredCall

__all__ = [
    "MAX_ATTEMPTS",
    "UNDECIDED",
    "Attempt",
    "RunResult",
    "Status",
    "call_details",
    "call_row",
    "summarise",
    "trial_row",
]

UNDECIDED = {"void", "error"}
"""Verdicts that say nothing of the agent: the trial is tried again."""

MAX_ATTEMPTS = 3

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
    "missed_turns",
    "cost",
    "attribution",
)
_VERDICTS = ("passed", "failed", "void", "error")
_DETAILS = (
    *("tool_calls", "path", "state_diff", "word_errors", "first_audio_ms", "yield_ms", "talk_over_s"),
    *("ticks", "caller_reaction_ms", "caller_voice"),
)
_LISTS = ("transcript", "fact_mentions", "claim_checks")

_TOLERATED = 0.02
"""Share of a run's calls that may be void or error."""


@dataclass(frozen=True)
class RunResult:
    """What came of a run.

    Attributes:
        run_id: the name of the run.
        run_dir: its folder, absolute.
        calls: one row for each trial that has an attempt, its last, with the verdicts of all its ``attempts``.
        summary: counts, pass rate, latencies over all calls, causes, rates of all attempts, and cost.
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
    """Return what ``show --json`` prints: the row, parts of V2V, tool calls, path, database diff, what was heard."""
    details = {key: stored.call.get(key) for key in _DETAILS}
    lists = {key: stored.call.get(key) or [] for key in _LISTS}
    return {**call_row(stored), "v2v_parts": _v2v_parts(stored), **details, **lists}


def _v2v_parts(stored: StoredCall) -> list[dict[str, Any]]:
    """Return them as stored; of a call of an older version, as its files say."""
    if "v2v_parts" in stored.call:
        return list(stored.call["v2v_parts"])
    speech = recording_activity(stored.recording.read_bytes()) if stored.recording.exists() else None
    parts = v2v_parts(stored.trace_records if stored.has_trace else [], speech)
    return [part.to_json() for part in parts]


@dataclass(frozen=True)
class Attempt:
    """What a summary needs of one attempt: little, since a run may have thousands.

    Attributes:
        number: which attempt at its trial it is, from 1.
        verdict: its verdict.
        packed: the rest, compressed.
    """

    number: int
    verdict: str
    packed: bytes

    @classmethod
    def of(cls, stored: StoredCall) -> Self:
        """Return it for a stored call."""
        rest = [call_row(stored), stored.call.get("latencies_ms") or {}]
        return cls(int(stored.call["attempt"]), str(stored.call["verdict"]), zlib.compress(json.dumps(rest).encode()))

    @property
    def row(self) -> dict[str, Any]:
        """The attempt as ``run --json`` lists it."""
        row: dict[str, Any] = self._unpacked()[0]
        return row

    @property
    def latencies_ms(self) -> dict[str, list[float]]:
        """All values of ``ttft``, ``v2v``, ``first_audio`` and ``yield``."""
        latencies: dict[str, list[float]] = self._unpacked()[1]
        return latencies

    def _unpacked(self) -> list[Any]:
        unpacked: list[Any] = json.loads(zlib.decompress(self.packed))
        return unpacked

    @property
    def decides(self) -> bool:
        """Whether no other attempt at the trial is due."""
        return self.verdict not in UNDECIDED or self.number >= MAX_ATTEMPTS


def trial_row(attempts: Sequence[Attempt]) -> dict[str, Any]:
    """Return the row of a trial: that of its last attempt, with the verdicts of all."""
    return {**attempts[-1].row, "attempts": [attempt.verdict for attempt in attempts]}


def summarise(trials: Sequence[Sequence[Attempt]], planned: int) -> dict[str, Any]:
    """Return counts, causes of calls that did not pass, latencies over the calls with a verdict, and the cost.

    Args:
        trials: the attempts of every trial that has one, first to last.
        planned: how many trials the run has.
    """
    last = [attempts[-1] for attempts in trials]
    counts = {verdict: sum(one.verdict == verdict for one in last) for verdict in _VERDICTS}
    latencies = [one.latencies_ms for one in last if one.verdict not in UNDECIDED]
    rated = counts["passed"] + counts["failed"]
    undecided = counts["void"] + counts["error"]
    tried = [attempt for attempts in trials for attempt in attempts]
    causes, costs = [one.row["attribution"] for one in last], [one.row["cost"] for one in tried]
    return {
        "planned": planned,
        "calls": len(last),
        **counts,
        "pass_rate": counts["passed"] / rated if rated else None,
        **{
            f"{kind}_ms": quantiles([v for values in latencies for v in values.get(kind, ())]).to_json()
            for kind in ("ttft", "v2v", "yield")
        },
        "missed_turns": _missed_turns(last),
        "causes": count_causes(None if one is None else Attribution.model_validate(one) for one in causes),
        "attempts": _attempts(tried),
        "cost": total_cost(None if one is None else CallCost.model_validate(one) for one in costs).to_json(),
        "complete": len(last) == planned and undecided <= _TOLERATED * planned,
    }


def _missed_turns(last: Sequence[Attempt]) -> int | None:
    """Count the caller's turns without an answer; unknown where a call was stored before they were counted."""
    counted = [one.row["missed_turns"] for one in last if one.verdict not in UNDECIDED]
    return None if not counted or None in counted else sum(counted)


def _attempts(tried: Sequence[Attempt]) -> dict[str, Any]:
    """Count all attempts, those that were repeated included, and give the rates of those that came to nothing."""
    counts = {verdict: sum(one.verdict == verdict for one in tried) for verdict in _VERDICTS}
    rates = {f"{verdict}_rate": counts[verdict] / len(tried) if tried else None for verdict in ("void", "error")}
    return {"n": len(tried), **counts, **rates}
