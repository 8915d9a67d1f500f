"""One sentence that says why a call has its verdict, for people who have not read the trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["why"]

_ENDS = {"agent_silent": "the agent said nothing for a long time although it was its turn"}

Call = Mapping[str, Any]


def why(call: Call) -> str:
    """Return the sentence for the content of a ``call.json``."""
    reason = str(call.get("reason") or "").replace("_", " ")
    if call["verdict"] == "passed":
        return "The required tools were called, the path was the expected one, and the final database matches."
    if call["verdict"] == "void":
        broke = "The simulated caller broke its script, which says nothing about the agent"
        return f"{broke}." if call.get("fidelity") else f"{broke}: {reason or 'no reason given'}."
    if call["verdict"] == "error":
        return f"The call could not be held, which says nothing about the agent: {reason or 'no reason given'}."
    silent = _ENDS.get(str(call.get("reason")))
    if silent is not None:
        return f"A call fails whatever the gates say when {silent}."
    return _failed(call)


def _failed(call: Call) -> str:
    gates = call.get("gates") or {}
    failed = [name for name in ("tools", "handoffs", "database") if name in gates and not gates[name]["passed"]]
    parts = {"tools": _tools, "handoffs": _handoffs, "database": _database}
    said = "; it ".join(part for name in failed for part in parts[name](call))
    matches = " The final database matches." if "database" not in failed else ""
    return f"The agent {said or 'failed'}.{matches}"


def _tools(call: Call) -> Iterable[str]:
    rows = [row for row in (call.get("tool_calls") or {}).get("rows", []) if row["kind"] == "tool"]
    missed = [row for row in rows if row["gating"] and not row["satisfied"]]
    never = [row["expected"]["name"] for row in missed if not row["actual"]]
    if never:
        yield f"never called {_and(never)}"
    for row in missed:
        if row["actual"]:
            wrong = [argument["name"] for argument in row["arguments"] if argument["gates"] and not argument["equal"]]
            how = f"with another {_and(wrong)}" if wrong else f"but not as expected ({row['reason']})"
            yield f"called {row['actual']['name']} {how}"
    forbidden = [row["actual"]["name"] for row in rows if row["actual"] and row["reason"].startswith("forbidden")]
    if forbidden:
        yield f"called {_and(forbidden)}, which is forbidden"


def _handoffs(call: Call) -> Iterable[str]:
    rows = [row for row in (call.get("tool_calls") or {}).get("rows", []) if row["kind"] == "handoff"]
    missing = [row["expected"]["name"] for row in rows if row["gating"] and not row["actual"]]
    wrong = [f"{r['actual']['from']} to {r['actual']['to']}" for r in rows if r["reason"] == "not on the expected path"]
    if missing:
        yield f"never took the handoff {_and(missing)}"
    if wrong:
        yield f"handed off from {_and(wrong)}, which is not on the path"
    if not missing and not wrong:
        yield "took another path than the expected one"


def _database(call: Call) -> Iterable[str]:
    found = Counter((row["kind"], row["table"]) for row in call.get("state_diff") or [])
    for (kind, table), count in found.items():
        rows = "one row" if count == 1 else f"{count} rows"
        yield {
            "extra": f"left {rows} in {table} that should not be there",
            "missing": f"left out {rows} in {table}",
            "changed": f"left {rows} in {table} with other values than expected",
        }.get(kind, f"left {kind} {rows} in {table}")
    if not found:
        yield "left no final database to compare"


def _and(names: Iterable[str]) -> str:
    listed = list(dict.fromkeys(names))
    return " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)
