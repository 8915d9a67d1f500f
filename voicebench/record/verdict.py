"""The verdict of a call: gates, expected and actual calls row by row, and what differs in the database."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from voicebench.record.base import Items, Number, Record
from voicebench.record.json_types import Json, JsonObject, JsonValue

__all__ = [
    "ArgumentRow",
    "DutyCheck",
    "ErrorSource",
    "ExpectedCall",
    "FidelityBreach",
    "GateName",
    "GateResult",
    "Gates",
    "HandoffPath",
    "HandoffRow",
    "MadeHandoff",
    "MadeToolCall",
    "RowDifference",
    "Said",
    "ToolCalls",
    "ToolRow",
    "Verdict",
    "VoidKind",
]

Verdict = Literal["passed", "failed", "void", "error"]
"""What a call counts as; ``void`` and ``error`` say nothing of the agent."""

VoidKind = Literal["script", "comprehension"]
"""What made a call void: the caller broke its ``script``, or did not understand what was asked (``comprehension``)."""

ErrorSource = Literal["service", "harness"]
"""Whose failure broke a call off: the agent's ``service``, or the ``harness`` with everything else that is ours."""

GateName = Literal["tools", "handoffs", "database"]


class GateResult(Record):
    """The outcome of one gate."""

    passed: bool
    """Whether it let the call pass."""
    reward: Number
    """Part of what it asks for that was done, 0 to 1."""
    reasons: Items[str]
    """What it compared, one sentence each."""


class Gates(Record):
    """The three gates, all of which a call must pass."""

    tools: GateResult
    """Whether the expected tools were called with the expected arguments."""
    handoffs: GateResult
    """Whether the call went through the expected agents."""
    database: GateResult
    """Whether the database ended as expected."""

    def by_name(self) -> dict[GateName, GateResult]:
        """Return the gates by their names, in order."""
        return {"tools": self.tools, "handoffs": self.handoffs, "database": self.database}


class ArgumentRow(Record):
    """One argument of an expected call and of the actual one."""

    name: str
    """Name of the argument."""
    expected: Json
    """The expected value; null if the task does not name it."""
    actual: Json
    """The value that was given; null if none was."""
    equal: bool
    """Whether they agree; true if they are not compared."""
    gates: bool
    """Whether a difference fails the step."""
    rule: str
    """How they were compared, in words."""
    missed: bool
    """Whether it is shown as a wrong argument: it differs, whether that fails the step or not."""


class ExpectedCall(Record):
    """A call that the task's solution expects."""

    name: str
    """The tool, or the function that hands over."""
    arguments: JsonObject = Field(default_factory=dict)
    """The expected arguments; a handoff has none."""


class MadeToolCall(Record):
    """A call of a tool that was made."""

    name: str
    """The tool."""
    arguments: JsonObject
    """Its arguments."""
    result: JsonObject
    """What it returned."""
    agent: str
    """Which agent of the pack called it."""
    start_s: Number
    """When, seconds of call time."""
    after_hangup: bool
    """Whether the line was closed already."""

    @property
    def ok(self) -> bool:
        """Whether the tool did what was asked."""
        return self.result.get("ok") is True

    @property
    def error_code(self) -> JsonValue:
        """Why it did not; null if it did."""
        return self.result.get("error_code")


class MadeHandoff(Record):
    """A handoff that was made."""

    name: str
    """The function that hands over."""
    from_agent: Annotated[str, Field(alias="from")]
    """The agent that hands over."""
    to_agent: Annotated[str, Field(alias="to")]
    """The agent that takes over."""
    start_s: Number
    """When, seconds of call time."""


class ToolRow(Record):
    """An expected call of a tool and the one that was made; one of them may be null."""

    kind: Literal["tool"] = "tool"
    """Kind of the row."""
    expected: ExpectedCall | None
    """What the task expects."""
    actual: MadeToolCall | None
    """What the agent did."""
    gating: bool
    """Whether the row decides on the gate."""
    satisfied: bool
    """Whether what is expected was done."""
    arguments: Items[ArgumentRow]
    """The arguments, one by one; only where both sides have a call."""
    reason: str
    """Why, in words."""

    @model_validator(mode="after")
    def _both_sides(self) -> ToolRow:
        if self.arguments and (self.expected is None or self.actual is None):
            raise ValueError("arguments are compared where both sides have a call")
        return self


class HandoffRow(Record):
    """An expected handoff and the one that was made; one of them may be null."""

    kind: Literal["handoff"] = "handoff"
    """Kind of the row."""
    expected: ExpectedCall | None
    """What the task expects."""
    actual: MadeHandoff | None
    """What the agent did."""
    gating: bool
    """Whether the row decides on the gate."""
    satisfied: bool
    """Whether what is expected was done."""
    arguments: Items[ArgumentRow]
    """Always empty."""
    reason: str
    """Why, in words."""


class ToolCalls(Record):
    """The calls of a task's solution and those that were made."""

    rows: Items[Annotated[ToolRow | HandoffRow, Field(discriminator="kind")]]
    """The rows, those of the solution first."""
    missing: Items[str]
    """Names of expected calls that were not made."""
    parameter_miss: Items[str]
    """Names of calls with a wrong argument."""
    extra: Items[str]
    """Names of calls that were made and not expected."""


class HandoffPath(Record):
    """The handoffs of a call, by the functions that hand over."""

    expected: Items[str]
    """Those of the task's solution, in order."""
    actual: Items[str]
    """Those that were made, in order."""


class RowDifference(Record):
    """A row of the database that did not end as expected."""

    kind: Literal["extra", "missing", "changed"]
    """``extra`` (only actual), ``missing`` (only expected) or ``changed`` (in both, and not alike)."""
    table: str
    """Name of the table."""
    expected: JsonObject | None
    """The expected row, or the columns of it that the task writes; null if it should not be there."""
    actual: JsonObject | None
    """The actual row, likewise; null if it is not there."""
    count: int = 1
    """How many such rows."""


class FidelityBreach(Record):
    """Something that the caller did against its script, which makes the call void."""

    rule: str
    """The rule that was broken, as ``value``."""
    what: str
    """What the caller did, as a sentence goes on after "the caller"."""
    span_id: str | None = None
    """The speech with which it did so, or that it left without an answer."""


class DutyCheck(Record):
    """What became of one thing that the agent must say, or may not."""

    duty: str
    """What it is, as ``tell fee_told before open_return, with its fee_quoted``."""
    kept: bool
    """Whether the agent kept it."""
    at_s: Number | None
    """When it said what decides that, seconds of call time; null if it said nothing of it."""
    why: str
    """What decides that, in words; of what the caller did not hear, that too."""


class Said(Record):
    """The agent's words against its duties; it gates nothing."""

    kept: int
    """Duties kept."""
    of: int
    """Duties of the task."""
    reward: Number | None
    """Share of the duties that were kept, 0 to 1; null without any."""
    duties: Items[DutyCheck]
    """Each of them."""
