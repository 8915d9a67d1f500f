"""What the gates look at: the tool calls and handoffs of the trace, and the difference of the database."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Evidence", "Hop", "ToolCallRecord", "evidence_from"]


@dataclass(frozen=True)
class ToolCallRecord:
    """One tool call that was made. ``result`` is the envelope ``{ok, data, error_code, caller_safe_message}``."""

    name: str
    arguments: dict[str, Any]
    result: dict[str, Any]
    agent: str = ""
    start_ns: int = 0
    after_hangup: bool = False

    @property
    def ok(self) -> bool:
        """Whether the tool did what was asked."""
        return self.result.get("ok") is True

    @property
    def error_code(self) -> str | None:
        """Why it did not."""
        return self.result.get("error_code")


@dataclass(frozen=True)
class Hop:
    """One handoff that was made."""

    tool: str
    source: str = ""
    target: str = ""
    start_ns: int = 0


@dataclass(frozen=True)
class Evidence:
    """Everything that the gates of one call look at.

    ``difference`` is the state difference as :func:`voicebench.packs.diff_state` gives it; None is missing evidence.
    """

    tool_calls: list[ToolCallRecord] = field(default_factory=list)
    hops: list[Hop] = field(default_factory=list)
    difference: dict[str, Any] | None = None


def evidence_from(trace: list[dict[str, Any]], state: dict[str, Any] | None) -> Evidence:
    """Read the evidence out of the lines of ``trace.jsonl`` and the content of ``state.json``."""
    calls: list[ToolCallRecord] = []
    hops: list[Hop] = []
    for line in trace:
        attributes = line.get("attributes", {})
        if line.get("name") == "tool":
            calls.append(
                ToolCallRecord(
                    name=attributes["gen_ai.tool.name"],
                    arguments=attributes["gen_ai.tool.call.arguments"],
                    result=attributes["gen_ai.tool.call.result"],
                    agent=attributes["agent"],
                    start_ns=line["start_ns"],
                    after_hangup=attributes["after_hangup"],
                )
            )
        elif line.get("name") == "handoff":
            hops.append(Hop(attributes["tool"], attributes["from"], attributes["to"], line["start_ns"]))
    return Evidence(calls, hops, state.get("difference") if state is not None else None)
