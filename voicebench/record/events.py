"""The events of a trace: what happened at one instant of a call."""

from __future__ import annotations

from typing import Literal

from voicebench.record.base import Items, Party
from voicebench.record.json_types import Json
from voicebench.record.spans import EndReason
from voicebench.record.trace_line import TraceEvent

__all__ = [
    "AgentUnspokenEvent",
    "BargeInEvent",
    "CallerHeldEvent",
    "CallerWaitsEvent",
    "ErrorEvent",
    "FactEvent",
    "HangupEvent",
    "PacketLossEvent",
    "ToolCancelledEvent",
    "VadForcedEvent",
]


class HangupEvent(TraceEvent):
    """The line is closed."""

    name: Literal["hangup"] = "hangup"
    reason: EndReason
    """Why the call ended."""


class BargeInEvent(TraceEvent):
    """One side begins to speak while the other speaks."""

    name: Literal["barge_in"] = "barge_in"
    party: Party
    """Who begins."""
    turn: int
    """Turn with which it begins."""


class CallerWaitsEvent(TraceEvent):
    """The caller answers nothing, as the agent has more to say."""

    name: Literal["caller.waits"] = "caller.waits"
    heard: str
    """The words of the agent that say so."""


class CallerHeldEvent(TraceEvent):
    """The caller had a reply ready, or in the making, and the agent began to speak before it."""

    name: Literal["caller.held"] = "caller.held"


class AgentUnspokenEvent(TraceEvent):
    """A realtime model wrote words of which no audio came."""

    name: Literal["agent.unspoken"] = "agent.unspoken"
    turn: int
    """Turn of the agent."""
    agent: str
    """Which agent of the pack."""
    text: str
    """The words."""


class VadForcedEvent(TraceEvent):
    """A turn was ended for its length alone."""

    name: Literal["vad.forced"] = "vad.forced"
    party: Party
    """Whose detector ended it."""


class ToolCancelledEvent(TraceEvent):
    """A call of a tool was cancelled before it ran: the caller spoke, or the line was closed."""

    name: Literal["tool.cancelled"] = "tool.cancelled"
    tool: str
    """Name of the tool."""
    call_id: str
    """The model's id of the call."""
    agent: str
    """Which agent of the pack called it."""


class ErrorEvent(TraceEvent):
    """The agent failed; the message is in ``call.json``."""

    name: Literal["error"] = "error"
    party: Party
    """Who failed."""
    kind: str
    """Name of the error's class."""
    status: int | None = None
    """Status of the HTTP answer, for an error of a provider."""


class PacketLossEvent(TraceEvent):
    """A run of packets was concealed on a leg of the line; it stands where that is heard."""

    name: Literal["packet_loss"] = "packet_loss"
    leg: str
    """``caller_to_agent`` or ``agent_to_caller``."""
    sequence: int
    """Number of the first packet."""
    packets: int
    """Packets concealed."""
    lost: int
    """Those that never arrived."""
    late: int
    """Those that arrived after their turn."""


class FactEvent(TraceEvent):
    """A fact of the task was said; written when the call ends, for those who read a trace."""

    name: Literal["fact"] = "fact"
    fact: str
    """Name of the fact."""
    value: str
    """Its value."""
    speaker: Party
    """Who said it."""
    form: int | None
    """Index of the spoken form; null where it was said in other words."""
    said: str
    """The words with which it was said."""
    heard: str | None
    """The words that the other side recognised of the turn; null where nothing was recognised."""
    understood: str | None
    """The value taken from those words."""
    right: bool | None
    """Whether that is the fact's value."""
    used: Json
    """The value that the agent then gave to a tool for it."""
    heard_span_ids: Items[str]
    """The spans of the recognition."""
