"""The tools gate: each gating step of the solution has a distinct call of its own that agrees with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voicebench.packs.models import Case, ToolSpec
from voicebench.record.verdict import ExpectedCall, GateResult, MadeToolCall, ToolRow
from voicebench.verify.matching import StepMatcher, match_steps

__all__ = ["ToolsResult", "check_tools"]


@dataclass(frozen=True)
class ToolsResult:
    """Outcome of the tools gate.

    Attributes:
        gate: it passes if every gating step has its call, and no forbidden tool was called. The reward is matched /
            (expected + forbidden calls made), 1 if both are none; the reasons are one a gating step and forbidden call.
        rows: by the step's index in the solution: its call and the actual one that it was matched to. One that no call
            satisfies is shown with the nearest call of its tool that is left.
        calls: step → index of that actual call, for steps that have one.
        extra: indices of the calls that no row shows.
    """

    gate: GateResult
    rows: dict[int, ToolRow]
    calls: dict[int, int]
    extra: list[int]


def check_tools(case: Case, tools: Mapping[str, ToolSpec], calls: Sequence[MadeToolCall]) -> ToolsResult:
    """Match the solution's calls with the actual ones, as many gating steps as can be.

    Args:
        case: the task.
        tools: the pack's tools by name.
        calls: what was called, in order of time.
    """
    matcher = StepMatcher(case, tools, calls)
    satisfied = match_steps(matcher)
    shown = _shown_with(matcher, satisfied)
    rows = {step: _row(matcher, step, shown.get(step), satisfied) for step in matcher.steps}
    gating = {step: row for step, row in rows.items() if row.gating}
    forbidden = [call.name for call in calls if call.name in case.expect.forbidden_tools]
    won = sum(row.satisfied for row in gating.values())
    total = len(gating) + len(forbidden)
    reasons = [f"{case.solution[step].call}: {row.reason}" for step, row in gating.items()]
    reasons += [f"{name}: forbidden, and called" for name in forbidden]
    gate = GateResult(
        passed=won == total, reward=won / total if total else 1.0, reasons=tuple(reasons or ["no tool is required"])
    )
    return ToolsResult(gate, rows, shown, [index for index in range(len(calls)) if index not in shown.values()])


def _shown_with(matcher: StepMatcher, satisfied: Mapping[int, int]) -> dict[int, int]:
    """Return step → the call that it is shown with."""
    left = set(range(len(matcher.calls))) - set(satisfied.values())
    shown: dict[int, int] = {}
    for step in matcher.steps:
        if step in satisfied:
            shown[step] = satisfied[step]
            continue
        matches = [(call, matcher.match(step, call, satisfied)) for call in sorted(left)]
        nearest = min(((len(match.wrong), call) for call, match in matches if match is not None), default=None)
        if nearest is not None:
            shown[step] = nearest[1]
            left -= {nearest[1]}
    return shown


def _row(matcher: StepMatcher, step: int, call: int | None, satisfied: Mapping[int, int]) -> ToolRow:
    match = None if call is None else matcher.match(step, call, satisfied)
    reason = "never called"
    if match is not None:
        rules = [f"{row.name} {row.rule}" for row in match.arguments if row.gates]
        reason = "; ".join(match.wrong or rules or ["called"])
    return ToolRow(
        expected=ExpectedCall(name=matcher.case.solution[step].call or "", arguments=matcher.expected(step, satisfied)),
        actual=None if match is None or call is None else matcher.calls[call],
        gating=matcher.is_gating(step),
        satisfied=step in satisfied,
        arguments=() if match is None else match.arguments,
        reason=reason,
    )
