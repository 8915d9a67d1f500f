"""The tools gate: each gating step of the solution has a distinct call of its own that agrees with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from voicebench.packs.models import Case, ToolSpec
from voicebench.verify.arguments import ArgumentRow
from voicebench.verify.evidence import ToolCallRecord
from voicebench.verify.matching import Judge, match_steps

__all__ = ["StepRow", "ToolsResult", "check_tools"]


@dataclass(frozen=True)
class StepRow:
    """An expected call beside the actual one that it was matched to.

    Attributes:
        step: index in the solution.
        name: of the expected tool.
        expected: its arguments, with the values that its references have in this call.
        gating: whether the gate needs it.
        call: index of the actual call; None if no call of that tool was left for it.
        satisfied: whether that call agrees.
        arguments: side by side.
        reason: the rules that decided it.
    """

    step: int
    name: str
    expected: dict[str, Any]
    gating: bool
    call: int | None = None
    satisfied: bool = False
    arguments: list[ArgumentRow] = field(default_factory=list)
    reason: str = "never called"


@dataclass(frozen=True)
class ToolsResult:
    """Outcome of the tools gate.

    Attributes:
        passed: every gating step has its call, and no forbidden tool was called.
        reward: matched / (expected + forbidden calls made); 1 if both are none.
        reasons: one a gating step and a forbidden call.
        rows: one a step that calls.
        extra: indices of the calls that no row shows.
    """

    passed: bool
    reward: float
    reasons: list[str]
    rows: list[StepRow]
    extra: list[int]


def check_tools(case: Case, tools: Mapping[str, ToolSpec], calls: list[ToolCallRecord]) -> ToolsResult:
    """Match the solution's calls with the actual ones, as many gating steps as can be, and judge.

    Args:
        case: the task.
        tools: the pack's tools by name.
        calls: what was called, in order of time.
    """
    judge = Judge(case, tools, calls)
    rows = _rows(judge, match_steps(judge))
    gating = [row for row in rows if row.gating]
    forbidden = [call.name for call in calls if call.name in case.expect.forbidden_tools]
    won = sum(row.satisfied for row in gating)
    total = len(gating) + len(forbidden)
    reasons = [f"{row.name}: {row.reason}" for row in gating]
    reasons += [f"{name}: forbidden, and called" for name in forbidden]
    used = {row.call for row in rows}
    return ToolsResult(
        passed=won == total,
        reward=won / total if total else 1.0,
        reasons=reasons or ["no tool is required"],
        rows=rows,
        extra=[index for index in range(len(calls)) if index not in used],
    )


def _rows(judge: Judge, matched: Mapping[int, int]) -> list[StepRow]:
    """Return one row a step; one that no call satisfies is shown beside the nearest call of its tool that is left."""
    left = set(range(len(judge.calls))) - set(matched.values())
    rows = []
    for step in judge.steps:
        call = matched[step] if step in matched else _nearest(judge, step, left, matched)
        left -= {call}
        rows.append(_row(judge, step, call, matched))
    return rows


def _nearest(judge: Judge, step: int, left: set[int], matched: Mapping[int, int]) -> int | None:
    judged = [(call, judge.judge(step, call, matched)) for call in sorted(left)]
    wrongs = [(len(judgement.wrong), call) for call, judgement in judged if judgement is not None]
    return min(wrongs)[1] if wrongs else None


def _row(judge: Judge, step: int, call: int | None, matched: Mapping[int, int]) -> StepRow:
    expected = judge.case.solution[step]
    shown = (step, expected.call or "", judge.expected(step, matched), judge.gates(step))
    judgement = None if call is None else judge.judge(step, call, matched)
    if judgement is None:
        return StepRow(*shown)
    rules = [f"{row.name} {row.rule}" for row in judgement.arguments if row.gates]
    reason = "; ".join(judgement.wrong or rules or ["called"])
    return StepRow(*shown, call, step in matched, judgement.arguments, reason)
