"""The results of a run or a call: one row a call, and a summary."""

from __future__ import annotations

import statistics
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from voicebench.metrics import quantiles, recording_activity, v2v_parts
from voicebench.metrics.causes import count_causes
from voicebench.metrics.comprehension import add_comprehension
from voicebench.metrics.cost import total_cost
from voicebench.record.figures import AnsweredTurn, Latencies
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.results import AttemptCounts, CallRow, RunSummary, VoidCounts
from voicebench.record.verdict import Verdict, VoidKind
from voicebench.store import StoredCall

__all__ = [
    "HUNG_UP",
    "MAX_ATTEMPTS",
    "UNDECIDED",
    "PackedRow",
    "RunResult",
    "Status",
    "answered_turns",
    "call_details",
    "call_row",
    "summarise",
    "trial_outcome",
    "trial_row",
]

UNDECIDED = {"void", "error"}
"""Verdicts that say nothing of the agent: the trial is tried again."""

MAX_ATTEMPTS = 3

HUNG_UP = "hung up: an attempt broke off after the agent's service had begun to answer"
"""Why such a trial is not passed, in words."""

Status = Literal["complete", "incomplete", "interrupted"]

_VERDICTS: tuple[Verdict, ...] = ("passed", "failed", "void", "error")
_DETAILS = (
    *("tool_calls", "path", "state_diff", "word_errors", "first_audio_ms", "yield_ms", "talk_over_s"),
    *("ticks", "caller_reaction_ms", "caller_voice"),
)
_LISTS = ("transcript", "fact_mentions", "claim_checks")

_TOLERATED = 0.02
"""Share of a run's calls that may be void or error."""


def trial_outcome(attempts: Sequence[Verdict], *, hung_up: bool) -> Verdict:
    """Return what a trial counts as, from the verdicts of its attempts.

    A caller who was hung up on was failed, whatever later attempts gave. A trial is void only if all its attempts are.

    Args:
        attempts: first to last; at least one.
        hung_up: whether in any of them the agent's service broke off a call that it had begun to answer.
    """
    if hung_up:
        return "failed"
    if attempts[-1] not in UNDECIDED:
        return attempts[-1]
    return "void" if set(attempts) == {"void"} else "error"


@dataclass(frozen=True)
class RunResult:
    """The results of a run.

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
    calls: list[CallRow]
    summary: RunSummary
    status: Status
    problem: str | None = None

    def to_json(self) -> JsonObject:
        """Return what ``voicebench run --json`` prints."""
        return {
            "run_id": self.run_id,
            "run_dir": str(self.run_dir),
            "calls": [call.to_json() for call in self.calls],
            "summary": {**self.summary.to_json(), "status": self.status, "problem": self.problem},
        }


def call_row(stored: StoredCall) -> CallRow:
    """Return the figures of one call as ``run --json`` lists them."""
    record = stored.call
    apart = ("dir", "attempts", "void_kind", "scoring_version")
    figures = {name: getattr(record, name) for name in CallRow.model_fields if name not in apart}
    where = str(stored.dir.resolve())
    return CallRow(**figures, void_kind=record.voided_by, scoring_version=record.scored_by, dir=where)


def call_details(stored: StoredCall) -> JsonObject:
    """Return what ``show --json`` prints: the row, parts of V2V, tool calls, path, database diff, what was heard."""
    call = stored.call.to_json()
    details = {key: call.get(key) for key in _DETAILS}
    lists = {key: call.get(key) or [] for key in _LISTS}
    parts: JsonValue = [turn.to_json() for turn in answered_turns(stored)]
    return {**call_row(stored).to_json(), "v2v_parts": parts, **details, **lists}


def answered_turns(stored: StoredCall) -> list[AnsweredTurn]:
    """Return what V2V was made of, turn by turn, as stored; of a call of an older version, as its files say."""
    if "v2v_parts" in stored.call.model_fields_set:
        return list(stored.call.v2v_parts)
    speech = recording_activity(stored.recording.read_bytes()) if stored.recording.exists() else None
    return v2v_parts(stored.trace if stored.has_trace else [], speech)


@dataclass(frozen=True)
class PackedRow:
    """The row and the latencies of a stored call, compressed: a run keeps thousands of them in memory.

    Attributes:
        attempt: which attempt at its trial it is, from 1.
        verdict: its verdict.
        void_kind: of a void call, what made it void.
        hung_up: whether the agent's service broke off a call that it had begun to answer.
        packed_row, packed_latencies: the row and the latencies, as JSON, compressed.
    """

    attempt: int
    verdict: Verdict
    void_kind: VoidKind | None
    hung_up: bool
    packed_row: bytes
    packed_latencies: bytes

    @classmethod
    def of(cls, stored: StoredCall) -> Self:
        """Return the packed row of a stored call."""
        latencies = stored.call.latencies_ms or Latencies()
        packed = (
            zlib.compress(one.model_dump_json(by_alias=True, exclude_unset=True).encode())
            for one in (call_row(stored), latencies)
        )
        call = stored.call
        return cls(call.attempt, call.verdict, call.voided_by, call.hung_up, *packed)

    @property
    def row(self) -> CallRow:
        """The attempt as ``run --json`` lists it."""
        return CallRow.model_validate_json(zlib.decompress(self.packed_row))

    @property
    def latencies_ms(self) -> Latencies:
        """All its latencies."""
        return Latencies.model_validate_json(zlib.decompress(self.packed_latencies))

    @property
    def decides(self) -> bool:
        """Whether no other attempt at the trial is due."""
        return self.verdict not in UNDECIDED or self.attempt >= MAX_ATTEMPTS


def trial_row(attempts: Sequence[PackedRow]) -> CallRow:
    """Return the row of a trial: that of its last attempt, with the verdicts of all."""
    hung_up = any(attempt.hung_up for attempt in attempts)
    verdicts = tuple(attempt.verdict for attempt in attempts)
    return attempts[-1].row.model_copy(update={"hung_up": hung_up, "attempts": verdicts})


def summarise(trials: Sequence[Sequence[PackedRow]], planned: int) -> RunSummary:
    """Return counts, causes of calls that did not pass, latencies over the calls with a verdict, and the cost.

    Args:
        trials: the attempts of every trial that has one, first to last.
        planned: how many trials the run has.
    """
    last = [attempts[-1] for attempts in trials]
    decided = [one for one in last if one.verdict not in UNDECIDED]
    tried = [attempt for attempts in trials for attempt in attempts]
    broken = [next((one for one in attempts if one.hung_up), None) for attempts in trials]
    outcomes = [
        trial_outcome([one.verdict for one in attempts], hung_up=hung_up is not None)
        for attempts, hung_up in zip(trials, broken, strict=True)
    ]
    counts = {verdict: outcomes.count(verdict) for verdict in _VERDICTS}
    all_counts = {verdict: sum(one.verdict == verdict for one in tried) for verdict in _VERDICTS}
    counted = len(outcomes) - counts["void"]
    latencies = [one.latencies_ms for one in decided]
    said = [said.reward for one in decided if (said := one.row.said) is not None and said.reward is not None]
    missed = [one.row.missed_turns for one in decided]
    known = [turns for turns in missed if turns is not None]
    return RunSummary(
        planned=planned,
        calls=len(last),
        **counts,
        hung_up=len(broken) - broken.count(None),
        voids=_voids(last),
        pass_rate=counts["passed"] / counted if counted else None,
        ttft_ms=quantiles([value for one in latencies for value in one.ttft]),
        v2v_ms=quantiles([value for one in latencies for value in one.v2v]),
        yield_ms=quantiles([value for one in latencies for value in one.yield_]),
        # Older versions did not count them; a sum without these calls would be too small.
        missed_turns=sum(known) if decided and len(known) == len(missed) else None,
        said=statistics.fmean(said) if said else None,
        comprehension=add_comprehension(one.row.comprehension for one in last),
        causes=count_causes((hung_up or one).row.attribution for one, hung_up in zip(last, broken, strict=True)),
        attempts=AttemptCounts(
            n=len(tried),
            **all_counts,
            voids=_voids(tried),
            void_rate=all_counts["void"] / len(tried) if tried else None,
            error_rate=all_counts["error"] / len(tried) if tried else None,
        ),
        cost=total_cost(attempt.row.cost for attempt in tried),
        complete=len(last) == planned and counts["void"] + counts["error"] <= _TOLERATED * planned,
    )


def _voids(calls: Sequence[PackedRow]) -> VoidCounts:
    kinds = [one.void_kind for one in calls]
    return VoidCounts(script=kinds.count("script"), comprehension=kinds.count("comprehension"))
