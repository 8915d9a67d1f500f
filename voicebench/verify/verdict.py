"""The verdict of the gates on one call, and what is shown with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from voicebench.packs.models import Case, PackSnapshot
from voicebench.record.spans import HandoffSpan, ToolSpan
from voicebench.record.state import StateDifference
from voicebench.record.trace import TraceRecord
from voicebench.record.verdict import (
    ExpectedCall,
    Gates,
    HandoffPath,
    HandoffRow,
    MadeHandoff,
    MadeToolCall,
    RowDifference,
    ToolCalls,
    ToolRow,
)
from voicebench.verify.database import check_database
from voicebench.verify.handoffs import check_handoffs, common_path
from voicebench.verify.tools import ToolsResult, check_tools

__all__ = ["Evidence", "Verification", "evidence_from", "verify_call"]


@dataclass(frozen=True)
class Evidence:
    """Everything that the gates of one call look at.

    Attributes:
        tool_calls: in order of time.
        handoffs: in order of time.
        difference: what the call changed in the database; None is missing evidence.
    """

    tool_calls: list[MadeToolCall] = field(default_factory=list)
    handoffs: list[MadeHandoff] = field(default_factory=list)
    difference: StateDifference | None = None


def evidence_from(trace: Sequence[TraceRecord], difference: StateDifference | None) -> Evidence:
    """Read the evidence out of a trace and the difference of the stored state."""
    calls = [
        MadeToolCall(
            name=span.tool,
            arguments=span.arguments,
            result=span.result,
            agent=span.agent,
            start_s=span.start_ns / 1e9,
            after_hangup=span.after_hangup,
        )
        for span in trace
        if isinstance(span, ToolSpan)
    ]
    handoffs = [
        MadeHandoff(name=span.tool, from_agent=span.from_agent, to_agent=span.to_agent, start_s=span.start_ns / 1e9)
        for span in trace
        if isinstance(span, HandoffSpan)
    ]
    return Evidence(calls, handoffs, difference)


@dataclass(frozen=True)
class Verification:
    """What the three gates say of one call; everything in it follows from stored files.

    Attributes:
        gates: ``tools``, ``handoffs``, ``database``.
        tool_calls: expected calls and handoffs with the actual ones, in the order of the solution, then the extra ones.
        path: expected and actual handoffs.
        state_diff: rows in which expected and actual database differ.
    """

    gates: Gates
    tool_calls: ToolCalls
    path: HandoffPath
    state_diff: tuple[RowDifference, ...]

    @property
    def passed(self) -> bool:
        """Whether all gates pass."""
        return all(gate.passed for gate in self.gates.by_name().values())

    @property
    def reward(self) -> float:
        """The combined reward: the product of the gates'."""
        return self.gates.tools.reward * self.gates.handoffs.reward * self.gates.database.reward


def verify_call(snapshot: PackSnapshot, case: Case, evidence: Evidence) -> Verification:
    """Compare what one call left behind with what its task expects."""
    tools = check_tools(case, snapshot.tools, evidence.tool_calls)
    path = [handoff.name for handoff in evidence.handoffs]
    database = check_database(case, snapshot.spec, evidence.difference)
    rows = _rows(case, tools, evidence)
    return Verification(
        gates=Gates(tools=tools.gate, handoffs=check_handoffs(case.expect, path), database=database.gate),
        tool_calls=ToolCalls(
            rows=tuple(rows),
            missing=tuple(row.expected.name for row in rows if row.expected and not row.actual),
            parameter_miss=tuple(
                case.solution[step].call or ""
                for step, row in tools.rows.items()
                if any(argument.missed for argument in row.arguments)
            ),
            extra=tuple(row.actual.name for row in rows if row.actual and not row.expected),
        ),
        path=HandoffPath(expected=tuple(case.expect.handoffs), actual=tuple(path)),
        state_diff=database.differences,
    )


def _rows(case: Case, tools: ToolsResult, evidence: Evidence) -> list[ToolRow | HandoffRow]:
    expected = [step.hand_off for step in case.solution if step.hand_off]
    pairs = common_path(expected, [handoff.name for handoff in evidence.handoffs])
    rows: list[ToolRow | HandoffRow] = []
    taken = 0
    for index, step in enumerate(case.solution):
        if index in tools.rows:
            rows.append(tools.rows[index])
        elif step.hand_off:
            made = evidence.handoffs[pairs[taken]] if taken in pairs else None
            rows.append(_handoff_row(step.hand_off, made, case))
            taken += 1
    rows += [_handoff_row(None, made, case) for j, made in enumerate(evidence.handoffs) if j not in pairs.values()]
    for call in (evidence.tool_calls[index] for index in tools.extra):
        reason = "forbidden" if call.name in case.expect.forbidden_tools else "not expected"
        if "reason" in call.arguments:
            reason += f"; reason given: {call.arguments['reason']}"
        rows.append(ToolRow(expected=None, actual=call, gating=False, satisfied=False, arguments=(), reason=reason))
    return rows


def _handoff_row(expected: str | None, made: MadeHandoff | None, case: Case) -> HandoffRow:
    if expected is not None:
        reason = "never taken in its place" if made is None else "taken"
    else:
        detour = made is not None and made.name in case.expect.allow_hops and not case.expect.exact_path
        reason = "an allowed detour" if detour else "not on the expected path"
    return HandoffRow(
        expected=None if expected is None else ExpectedCall(name=expected),
        actual=made,
        gating=expected in case.expect.handoffs,
        satisfied=expected is not None and made is not None,
        arguments=(),
        reason=reason,
    )
