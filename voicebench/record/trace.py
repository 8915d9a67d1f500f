"""``trace.jsonl``: one span or event a line, discriminated by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, get_args

from pydantic import Field

from voicebench.record.events import (
    AgentUnspokenEvent,
    BargeInEvent,
    CallerHeldEvent,
    CallerWaitsEvent,
    ErrorEvent,
    FactEvent,
    HangupEvent,
    PacketLossEvent,
    ToolCancelledEvent,
    VadForcedEvent,
)
from voicebench.record.json_types import JsonValue
from voicebench.record.spans import (
    AgentSpeechSpan,
    AsrSpan,
    CallerHeardSpan,
    CallerSpeechSpan,
    CallSpan,
    HandoffSpan,
    LlmSpan,
    ToolSpan,
    TtsSpan,
    TurnEndSpan,
)
from voicebench.record.trace_line import TraceEvent, TraceSpan

__all__ = ["TRACE_NAMES", "TraceRecord", "parse_trace_line"]

TraceRecord = Annotated[
    CallSpan
    | AgentSpeechSpan
    | CallerSpeechSpan
    | CallerHeardSpan
    | TurnEndSpan
    | AsrSpan
    | LlmSpan
    | ToolSpan
    | HandoffSpan
    | TtsSpan
    | HangupEvent
    | BargeInEvent
    | CallerWaitsEvent
    | CallerHeldEvent
    | AgentUnspokenEvent
    | VadForcedEvent
    | ToolCancelledEvent
    | ErrorEvent
    | PacketLossEvent
    | FactEvent,
    Field(discriminator="name"),
]
"""A line of ``trace.jsonl``."""

_BY_NAME: dict[str, type[TraceSpan | TraceEvent]] = {
    kind.model_fields["name"].default: kind for kind in get_args(get_args(TraceRecord)[0])
}
TRACE_NAMES = tuple(_BY_NAME)
"""What a line of ``trace.jsonl`` can be called."""


def parse_trace_line(line: Mapping[str, JsonValue]) -> TraceRecord:
    """Return the record of one line.

    Raises:
        ValueError: it is no line of a trace; pydantic's error says where.
    """
    kind = _BY_NAME.get(str(line.get("name")))
    if kind is None:
        raise ValueError(f"no span or event is called {line.get('name')!r}")
    return kind.model_validate(line)  # type: ignore[return-value]  # one of the union, by its name
