"""The verdict of one call: three gates, each with its reward and its reasons, and what is shown beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from voicebench.packs.models import Case, PackSnapshot
from voicebench.verify.database import check_database
from voicebench.verify.evidence import Evidence, Hop, ToolCallRecord
from voicebench.verify.handoffs import check_handoffs, common_path
from voicebench.verify.tools import StepRow, ToolsResult, check_tools

__all__ = ["Gate", "Verdict", "verify_call"]


@dataclass(frozen=True)
class Gate:
    """One gate. ``reward`` is from 0 to 1, and 1 exactly when the gate passes."""

    passed: bool
    reward: float
    reasons: list[str]


@dataclass(frozen=True)
class Verdict:
    """The judgement of one call; everything in it follows from stored files.

    Attributes:
        gates: ``tools``, ``handoffs``, ``database``.
        rows: expected calls and handoffs beside the actual ones, in the order of the solution, then the extra ones.
        missing: expected tools and handoffs that were never called, handoffs in their place.
        parameter_miss: tools that were called with an argument that differs, gating or not.
        extra: calls and handoffs that no step of the solution stands for, one entry a call.
        path: ``expected`` and ``actual`` handoffs.
        state_diff: rows in which expected and actual database differ.
    """

    gates: dict[str, Gate]
    rows: list[dict[str, Any]]
    missing: list[str]
    parameter_miss: list[str]
    extra: list[str]
    path: dict[str, list[str]]
    state_diff: list[dict[str, Any]]

    @property
    def passed(self) -> bool:
        """Whether all gates pass."""
        return all(gate.passed for gate in self.gates.values())

    @property
    def reward(self) -> float:
        """The combined reward: the product of the gates'."""
        product = 1.0
        for gate in self.gates.values():
            product *= gate.reward
        return product

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as ``call.json`` holds it."""
        return {
            "gates": {name: vars(gate) for name, gate in self.gates.items()},
            "reward": self.reward,
            "tool_calls": {
                "rows": self.rows,
                "missing": self.missing,
                "parameter_miss": self.parameter_miss,
                "extra": self.extra,
            },
            "path": self.path,
            "state_diff": self.state_diff,
        }


def verify_call(snapshot: PackSnapshot, case: Case, evidence: Evidence) -> Verdict:
    """Judge one call by the three gates."""
    tools = check_tools(case, snapshot.tools, evidence.tool_calls)
    path = [hop.tool for hop in evidence.hops]
    handoffs = check_handoffs(case.expect, path)
    database = check_database(case, snapshot.spec, evidence.difference)
    rows = _rows(case, tools, evidence)
    return Verdict(
        gates={
            "tools": Gate(tools.passed, tools.reward, tools.reasons),
            "handoffs": Gate(handoffs.passed, handoffs.reward, handoffs.reasons),
            "database": Gate(database.passed, database.reward, database.reasons),
        },
        rows=rows,
        missing=[row["expected"]["name"] for row in rows if row["expected"] and not row["actual"]],
        parameter_miss=[row.name for row in tools.rows if any(argument.missed for argument in row.arguments)],
        extra=[row["actual"]["name"] for row in rows if row["actual"] and not row["expected"]],
        path={"expected": case.expect.handoffs, "actual": path},
        state_diff=[d.as_json() for d in database.differences],
    )


def _rows(case: Case, tools: ToolsResult, evidence: Evidence) -> list[dict[str, Any]]:
    by_step = {row.step: row for row in tools.rows}
    expected = [step.hand_off for step in case.solution if step.hand_off]
    pairs = common_path(expected, [hop.tool for hop in evidence.hops])
    hop_count = 0
    rows: list[dict[str, Any]] = []
    for index, step in enumerate(case.solution):
        if index in by_step:
            rows.append(_call_row(by_step[index], evidence.tool_calls))
        elif step.hand_off:
            hop = evidence.hops[pairs[hop_count]] if hop_count in pairs else None
            rows.append(_hop_row(step.hand_off, hop, case))
            hop_count += 1
    rows += [_hop_row(None, hop, case) for j, hop in enumerate(evidence.hops) if j not in pairs.values()]
    rows += [_extra_row(evidence.tool_calls[index], case) for index in tools.extra]
    return rows


def _call_row(row: StepRow, calls: list[ToolCallRecord]) -> dict[str, Any]:
    return {
        "kind": "tool",
        "expected": {"name": row.name, "arguments": row.expected},
        "actual": None if row.call is None else _actual(calls[row.call]),
        "gating": row.gating,
        "satisfied": row.satisfied,
        "arguments": [argument.as_json() for argument in row.arguments],
        "reason": row.reason,
    }


def _extra_row(call: ToolCallRecord, case: Case) -> dict[str, Any]:
    reason = "forbidden" if call.name in case.expect.forbidden_tools else "not expected"
    if "reason" in call.arguments:
        reason += f"; reason given: {call.arguments['reason']}"
    return {
        "kind": "tool",
        "expected": None,
        "actual": _actual(call),
        "gating": False,
        "satisfied": False,
        "arguments": [],
        "reason": reason,
    }


def _actual(call: ToolCallRecord) -> dict[str, Any]:
    return {
        "name": call.name,
        "arguments": call.arguments,
        "result": call.result,
        "agent": call.agent,
        "start_s": call.start_ns / 1e9,
        "after_hangup": call.after_hangup,
    }


def _hop_row(expected: str | None, hop: Hop | None, case: Case) -> dict[str, Any]:
    actual = None
    if hop is not None:
        actual = {"name": hop.tool, "from": hop.source, "to": hop.target, "start_s": hop.start_ns / 1e9}
    if expected is not None:
        reason = "never taken in its place" if hop is None else "taken"
    else:
        detour = hop is not None and hop.tool in case.expect.allow_hops and not case.expect.exact_path
        reason = "an allowed detour" if detour else "not on the expected path"
    return {
        "kind": "handoff",
        "expected": None if expected is None else {"name": expected},
        "actual": actual,
        "gating": expected in case.expect.handoffs,
        "satisfied": expected is not None and hop is not None,
        "arguments": [],
        "reason": reason,
    }
