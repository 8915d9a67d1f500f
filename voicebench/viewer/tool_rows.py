"""Expected tool calls beside the actual ones, each with its parameters and outputs as lines of a difference."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voicebench.packs.templates import in_words

__all__ = ["Parameter", "ToolRow", "tool_rows"]

_UNEXPECTED = {"forbidden": "forbidden", "not on the expected path": "wrong"}
_OUTPUTS = ("ok", "error_code", "caller_safe_message", "data")


@dataclass(frozen=True)
class Parameter:
    """One line of a difference.

    Attributes:
        sign: ``-`` for what was expected only, ``+`` for what was given only, nothing for what is equal.
        name: of the argument.
        value: as JSON.
        rule: what decided it.
    """

    sign: str
    name: str
    value: str
    rule: str


@dataclass(frozen=True)
class ToolRow:
    """One row of the table of tool calls and handoffs.

    Attributes:
        number: its place in the table, for its address.
        kind: ``tool`` or ``handoff``.
        expected, actual: the names; None where a side has none.
        status: ``met``; ``missing``; ``absent``, missing and not required; ``differs``; ``extra``; ``forbidden``; or
            ``wrong``, a handoff off the path.
        note: what the status means here.
        gating: whether the call fails without it.
        agent: who called it; of a handoff, who handed off to whom.
        start_s: when it was called, seconds of call time.
        parameters: of both sides.
        outputs: name and value; None where nothing was recorded.
        after_hangup: whether it finished after the caller had hung up.
    """

    number: int
    kind: str
    expected: str | None
    actual: str | None
    status: str
    note: str
    gating: bool
    agent: str
    start_s: float | None
    parameters: list[Parameter]
    outputs: list[tuple[str, str]] | None
    after_hangup: bool


def tool_rows(tool_calls: Mapping[str, Any]) -> list[ToolRow]:
    """Return the rows of ``tool_calls`` in a ``call.json``."""
    return [_row(number, row) for number, row in enumerate(tool_calls.get("rows", []), start=1)]


def _row(number: int, row: Mapping[str, Any]) -> ToolRow:
    expected, actual = row["expected"], row["actual"]
    status = _status(row)
    return ToolRow(
        number=number,
        kind=row["kind"],
        expected=expected and expected["name"],
        actual=actual and actual["name"],
        status=status,
        note=_note(status, row),
        gating=row["gating"],
        agent=_agent(row["kind"], actual),
        start_s=actual and actual["start_s"],
        parameters=_parameters(row),
        outputs=_outputs(row["kind"], actual),
        after_hangup=bool(actual and actual.get("after_hangup")),
    )


def _status(row: Mapping[str, Any]) -> str:
    if row["expected"] is None:
        return _UNEXPECTED.get(str(row["reason"]).partition(";")[0], "extra")
    if row["actual"] is None:
        return "missing" if row["gating"] else "absent"
    if not row["satisfied"] or any(argument["missed"] for argument in row["arguments"]):
        return "differs"
    return "met"


def _note(status: str, row: Mapping[str, Any]) -> str:
    missed = [argument for argument in row["arguments"] if argument["missed"]]
    if status == "met":
        return "as expected"
    if status == "missing":
        return "missing: the call fails"
    if status == "absent":
        return "missing, and not required"
    if status == "differs":
        names = ", ".join(argument["name"] for argument in missed)
        fails = row["gating"] and not row["satisfied"]
        told = f"parameter miss: {names}" if names else str(row["reason"])
        return told if fails else f"{told}; shown, does not fail the call"
    if status == "forbidden":
        return "forbidden: the call fails"
    if status == "wrong":
        return "not on the expected path"
    return str(row["reason"]).replace("not expected", "extra, allowed")


def _agent(kind: str, actual: Mapping[str, Any] | None) -> str:
    if actual is None:
        return ""
    return f"{actual['from']} → {actual['to']}" if kind == "handoff" else str(actual.get("agent") or "")


def _parameters(row: Mapping[str, Any]) -> list[Parameter]:
    if row["arguments"]:
        return [line for argument in row["arguments"] for line in _compared(argument, row)]
    sides = (("-", row["expected"], in_words), ("+", row["actual"], _json))
    return [
        Parameter(sign, name, written(value), "")
        for sign, side, written in sides
        for name, value in ((side or {}).get("arguments") or {}).items()
    ]


def _compared(argument: Mapping[str, Any], row: Mapping[str, Any]) -> list[Parameter]:
    name, rule = argument["name"], argument["rule"]
    expected, actual = _json(argument["expected"]), _json(argument["actual"])
    if expected == actual or (argument["equal"] and not argument["missed"] and name in row["expected"]["arguments"]):
        return [Parameter("", name, actual, rule)]
    lines = [Parameter("-", name, in_words(argument["expected"]), rule)] if name in row["expected"]["arguments"] else []
    if name in row["actual"]["arguments"]:
        lines.append(Parameter("+", name, actual, "" if lines else rule))
    return lines


def _outputs(kind: str, actual: Mapping[str, Any] | None) -> list[tuple[str, str]] | None:
    if actual is None:
        return None
    if kind == "handoff":
        return [("success", "true"), ("role", str(actual["to"]))]
    result = actual.get("result")
    if not isinstance(result, dict):
        return None if result is None else [("result", _json(result))]
    names = [name for name in _OUTPUTS if name in result] + [name for name in result if name not in _OUTPUTS]
    return [(name, _json(result[name])) for name in names]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
