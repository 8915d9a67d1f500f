"""Expected tool calls and the actual ones, each row with its parameters and outputs as lines of a difference."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

from voicebench.packs.templates import in_words
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.verdict import ArgumentRow, HandoffRow, MadeHandoff, MadeToolCall, ToolCalls, ToolRow

__all__ = ["ParameterLine", "ToolRowView", "tool_rows"]

_UNEXPECTED = {"forbidden": "forbidden", "not on the expected path": "wrong"}
_OUTPUTS = ("ok", "error_code", "caller_safe_message", "data")
_NOTES = {
    "met": "as expected",
    "missing": "missing: the call fails",
    "absent": "missing, and not required",
    "forbidden": "forbidden: the call fails",
    "wrong": "not on the expected path",
}


@dataclass(frozen=True)
class ParameterLine:
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
class ToolRowView:
    """One row of the table of tool calls and handoffs.

    Attributes:
        number: its place in the table, for its address.
        row: as ``call.json`` has it.
    """

    number: int
    row: ToolRow | HandoffRow

    @property
    def status(self) -> str:
        """``met``, ``missing``, ``absent`` (missing, not required), ``differs``, ``extra``, ``forbidden`` or ``wrong``.

        The last is a handoff off the path.
        """
        if self.row.expected is None:
            return _UNEXPECTED.get(self.row.reason.partition(";")[0], "extra")
        if self.row.actual is None:
            return "missing" if self.row.gating else "absent"
        missed = any(argument.missed for argument in self.row.arguments)
        return "differs" if missed or not self.row.satisfied else "met"

    @property
    def note(self) -> str:
        """What the status means here."""
        if self.status == "differs":
            names = ", ".join(argument.name for argument in self.row.arguments if argument.missed)
            difference = f"parameter miss: {names}" if names else self.row.reason
            fails = self.row.gating and not self.row.satisfied
            return difference if fails else f"{difference}; shown, does not fail the call"
        return _NOTES.get(self.status) or self.row.reason.replace("not expected", "extra, allowed")

    @property
    def agent(self) -> str:
        """Who called it; of a handoff, who handed off to whom."""
        match self.row.actual:
            case MadeHandoff(from_agent=source, to_agent=target):
                return f"{source} → {target}"
            case MadeToolCall(agent=agent):
                return agent
            case None:
                return ""

    @property
    def start_s(self) -> float | None:
        """When it was called, seconds of call time."""
        return None if self.row.actual is None else self.row.actual.start_s

    @property
    def after_hangup(self) -> bool:
        """Whether it finished after the caller had hung up."""
        return isinstance(self.row.actual, MadeToolCall) and self.row.actual.after_hangup

    @cached_property
    def outputs(self) -> list[tuple[str, str]] | None:
        """Names and values of what came back; None where nothing was recorded."""
        match self.row.actual:
            case MadeHandoff(to_agent=target):
                return [("success", "true"), ("role", target)]
            case MadeToolCall(result=result):
                names = [name for name in _OUTPUTS if name in result]
                names += [name for name in result if name not in _OUTPUTS]
                return [(name, _json(result[name])) for name in names]
            case None:
                return None

    @cached_property
    def parameters(self) -> list[ParameterLine]:
        """The parameters of both sides: compared if both have a call, else those of the one that has."""
        expected, given = self.row.expected, self.row.actual
        wanted: JsonObject = expected.arguments if expected is not None else {}
        made: JsonObject = given.arguments if isinstance(given, MadeToolCall) else {}
        if self.row.arguments:
            return [line for argument in self.row.arguments for line in _compared(argument, wanted, made)]
        lines = [ParameterLine("-", name, in_words(value), "") for name, value in wanted.items()]
        return lines + [ParameterLine("+", name, _json(value), "") for name, value in made.items()]


def tool_rows(tool_calls: ToolCalls) -> list[ToolRowView]:
    """Return the rows of ``tool_calls`` in a ``call.json``."""
    return [ToolRowView(number, row) for number, row in enumerate(tool_calls.rows, start=1)]


def _compared(argument: ArgumentRow, wanted: JsonObject, made: JsonObject) -> list[ParameterLine]:
    name, actual = argument.name, _json(argument.actual)
    if _json(argument.expected) == actual or (argument.equal and not argument.missed and name in wanted):
        return [ParameterLine("", name, actual, argument.rule)]
    lines = [ParameterLine("-", name, in_words(argument.expected), argument.rule)] if name in wanted else []
    if name in made:
        lines.append(ParameterLine("+", name, actual, "" if lines else argument.rule))
    return lines


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
