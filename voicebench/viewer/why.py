"""One sentence that says why a call has its verdict, for people who have not read the trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from voicebench.record.call import CallRecord
from voicebench.record.verdict import HandoffRow, ToolRow

__all__ = ["why"]

_DATABASE = {
    "extra": "left {rows} in {table} that should not be there",
    "missing": "left out {rows} in {table}",
    "changed": "left {rows} in {table} with other values than expected",
}

_ENDED_EARLY = {
    "agent_silent": "the agent said nothing for a long time although it was its turn",
    "caller_gave_up": "the caller gives up before it was told what it waits for",
    "agent_ended": "the agent hangs up before the caller was told what it waits for",
}
"""Reasons of a failed call that are no gate's."""


def why(call: CallRecord) -> str:
    """Return the sentence."""
    reason = (call.reason or "no reason given").replace("_", " ")
    if call.verdict == "passed":
        return "The required tools were called, the path was the expected one, and the final database matches."
    if call.verdict == "void":
        if call.voided_by == "comprehension":
            return f"The simulated caller did not understand, which says nothing about the agent: {reason}."
        broke = "The simulated caller broke its script, which says nothing about the agent"
        return f"{broke}." if call.fidelity else f"{broke}: {reason}."
    if call.verdict == "error":
        return f"The call could not be held, which says nothing about the agent: {reason}."
    early = _ENDED_EARLY.get(call.reason or "")
    if early is not None and (call.gates is None or all(gate.passed for _, gate in call.gates)):
        return f"A call fails whatever the gates say when {early}."
    parts: list[str] = []
    matches = ""
    if call.gates is not None:
        rows = call.tool_calls.rows if call.tool_calls is not None else ()
        parts += [] if call.gates.tools.passed else tool_faults([row for row in rows if isinstance(row, ToolRow)])
        handoffs = [row for row in rows if isinstance(row, HandoffRow)]
        parts += [] if call.gates.handoffs.passed else handoff_faults(handoffs)
        parts += [] if call.gates.database.passed else database_faults(call)
        matches = " The final database matches." if call.gates.database.passed else ""
    ended = "" if early is None else f" Whatever the gates say, a call fails when {early}."
    return f"The agent {'; it '.join(parts) or 'failed'}.{matches}{ended}"


def tool_faults(rows: Sequence[ToolRow]) -> Iterator[str]:
    """Give what the agent did wrong with tools, each as a sentence goes on after "the agent"."""
    missed = [row for row in rows if row.gating and not row.satisfied]
    never = [row.expected.name for row in missed if row.expected and not row.actual]
    if never:
        yield f"never called {_and(never)}"
    for row in missed:
        if row.actual:
            wrong = [argument.name for argument in row.arguments if argument.gates and not argument.equal]
            how = f"with another {_and(wrong)}" if wrong else f"but not as expected ({row.reason})"
            yield f"called {row.actual.name} {how}"
    forbidden = [row.actual.name for row in rows if row.actual and row.reason.startswith("forbidden")]
    if forbidden:
        yield f"called {_and(forbidden)}, which is forbidden"


def handoff_faults(rows: Sequence[HandoffRow]) -> Iterator[str]:
    """Give what the agent did wrong with handoffs, likewise."""
    missing = [row.expected.name for row in rows if row.gating and row.expected and not row.actual]
    off_path = [row.actual for row in rows if row.actual and row.reason == "not on the expected path"]
    if missing:
        yield f"never took the handoff {_and(missing)}"
    if off_path:
        handoffs = _and(f"{one.from_agent} to {one.to_agent}" for one in off_path)
        yield f"handed off from {handoffs}, which is not on the path"
    if not missing and not off_path:
        yield "took another path than the expected one"


def database_faults(call: CallRecord) -> Iterator[str]:
    """Give what the agent left wrong in the database, likewise."""
    for (kind, table), count in Counter((row.kind, row.table) for row in call.state_diff).items():
        yield _DATABASE[kind].format(rows="one row" if count == 1 else f"{count} rows", table=table)
    if not call.state_diff:
        yield "left no final database to compare"


def _and(names: Iterable[str]) -> str:
    listed = list(dict.fromkeys(names))
    return " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)
