"""A pack in the words of OpenAI's realtime protocol, and its events as types: pure translation, both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Required, TypedDict

from voicebench.record.base import token_count
from voicebench.record.json_types import JsonObject, JsonValue

__all__ = [
    "RATE",
    "ServiceError",
    "ServiceEvent",
    "ServiceItem",
    "ServicePayload",
    "SessionSettings",
    "TokenUsage",
    "function_tools",
    "greeting_event",
    "session_update",
    "token_usage",
    "truncation",
]

RATE = 24_000
"""Samples a second of the protocol's PCM."""

_LONGEST_METADATA = 512
"""Characters that the protocol allows a value of a response's metadata."""


# ---- what a service sends: the fields that are read here; nothing holds a service to them ----------------------------


class ServiceError(TypedDict, total=False):
    """What failed, and which of our events it was (``event_id``)."""

    type: str
    code: str | None
    message: str
    event_id: str | None


class StatusDetails(TypedDict, total=False):
    """Why a response has the status that it has."""

    reason: str
    error: ServiceError


class ServiceItem(TypedDict, total=False):
    """An item of the conversation: a message, or the call of a function."""

    id: str
    type: str
    status: str
    call_id: str
    name: str
    arguments: str


class ServicePayload(TypedDict, total=False):
    """A response as its first and last events have it."""

    id: str
    status: str
    status_details: StatusDetails | None
    output: list[ServiceItem]
    usage: JsonObject | None
    metadata: dict[str, str] | None


class ServiceEvent(TypedDict, total=False):
    """Any event of a service; which of the fields it has depends on its type."""

    type: Required[str]
    event_id: str
    item_id: str
    response_id: str
    delta: str
    text: str
    transcript: str
    audio_end_ms: int
    item: ServiceItem
    response: ServicePayload
    usage: JsonObject
    error: ServiceError


# ---- what we send --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SessionSettings:
    """What does not change in a session.

    Attributes:
        voice: of the service.
        turn_detection: the protocol's object.
        transcription: model that writes down what the caller said; None for none.
        params: further keys of the session, passed on as they are.
        task: a group id and metadata that name the task, for the local server alone.
    """

    voice: str
    turn_detection: JsonObject
    transcription: str | None = None
    params: JsonObject = field(default_factory=dict)
    task: JsonObject | None = None


def function_tools(tools: Sequence[JsonObject]) -> list[JsonValue]:
    """Return tools of the chat protocol in the flat form of this one."""
    functions = [tool["function"] for tool in tools]
    return [{"type": "function", **function} for function in functions if isinstance(function, dict)]


def session_update(settings: SessionSettings, prompt: str, tools: Sequence[JsonObject], *, first: bool) -> JsonObject:
    """Return the event that makes an agent of a pack the active one.

    A later one carries prompt and tools alone: both are swapped, and the conversation stays.

    Args:
        settings: of the session.
        prompt: the agent's.
        tools: the agent's, as the chat protocol writes them.
        first: whether the session has none yet.
    """
    session: JsonObject = {
        "type": "realtime",
        "instructions": prompt,
        "tools": function_tools(tools),
        "tool_choice": "auto",
    }
    if first:
        pcm: JsonObject = {"type": "audio/pcm", "rate": RATE}
        transcription: JsonObject | None = None
        if settings.transcription is not None:
            transcription = {"model": settings.transcription, "language": "en"}
        hears: JsonObject = {"format": pcm, "transcription": transcription, "turn_detection": settings.turn_detection}
        speaks: JsonObject = {"format": pcm, "voice": settings.voice}
        audio: JsonObject = {"input": hears, "output": speaks}
        session |= {"output_modalities": ["audio"], "audio": audio, **settings.params}
        if settings.task is not None:
            session["tracing"] = {"workflow_name": "voicebench", **settings.task}
    return {"type": "session.update", "session": session}


def greeting_event(greeting: str) -> JsonObject:
    """Return the event that lets the service speak the pack's greeting; the metadata is for servers that only speak."""
    return {
        "type": "response.create",
        "response": {
            "instructions": f"You have just answered the phone. Say exactly this and nothing else: {greeting}",
            "tool_choice": "none",
            "metadata": {"say": greeting[:_LONGEST_METADATA]},
        },
    }


def truncation(item: str, played_ms: int) -> JsonObject:
    """Return the event that cuts a message in the service's memory to what was played of it."""
    return {"type": "conversation.item.truncate", "item_id": item, "content_index": 0, "audio_end_ms": played_ms}


# ---- usage -----------------------------------------------------------------------------------------------------------


class TokenUsage(TypedDict):
    """Tokens of a response, under the names of an ``llm`` span; None where the service does not say."""

    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    input_audio_tokens: int | None
    cached_audio_tokens: int | None
    output_audio_tokens: int | None


def token_usage(usage: JsonObject | None) -> TokenUsage:
    """Return what a response used.

    Cached tokens are among the input tokens and cached audio tokens among both, as the protocol has them: nothing is
    added up here, so that nothing counts twice.
    """

    def count(*path: str) -> int | None:
        value: JsonValue = usage
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return token_count(value)

    return {
        "input_tokens": count("input_tokens"),
        "output_tokens": count("output_tokens"),
        "cached_tokens": count("input_token_details", "cached_tokens"),
        "input_audio_tokens": count("input_token_details", "audio_tokens"),
        "cached_audio_tokens": count("input_token_details", "cached_tokens_details", "audio_tokens"),
        "output_audio_tokens": count("output_token_details", "audio_tokens"),
    }
