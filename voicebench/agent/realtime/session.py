"""A pack in the words of OpenAI's realtime protocol: pure translation, both ways."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "RATE",
    "SessionSettings",
    "function_tools",
    "greeting_event",
    "session_update",
    "truncation",
    "usage_attributes",
]

RATE = 24_000
"""Samples a second of the protocol's PCM."""

_LONGEST_METADATA = 512
"""Characters that a value of a response's metadata may have."""


@dataclass(frozen=True)
class SessionSettings:
    """What does not change in a session.

    Attributes:
        voice: of the service.
        turn_detection: the protocol's object.
        transcription: model that writes down what the caller said; None for none.
        params: further keys of the session, passed on as they are.
        task: what the local server is told of the task and no other: a group id and metadata.
    """

    voice: str
    turn_detection: dict[str, Any]
    transcription: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    task: dict[str, Any] | None = None


def function_tools(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return tools of the chat protocol in the flat form of this one."""
    return [{"type": "function", **tool["function"]} for tool in tools]


def session_update(
    settings: SessionSettings, prompt: str, tools: list[dict[str, Any]], *, first: bool
) -> dict[str, Any]:
    """Return the event that makes an agent of a pack the active one.

    A later one carries prompt and tools alone: both are swapped, and the conversation stays.

    Args:
        settings: of the session.
        prompt: the agent's.
        tools: the agent's, as the chat protocol writes them.
        first: whether the session has none yet.
    """
    session: dict[str, Any] = {
        "type": "realtime",
        "instructions": prompt,
        "tools": function_tools(tools),
        "tool_choice": "auto",
    }
    if first:
        pcm = {"type": "audio/pcm", "rate": RATE}
        transcription = None if settings.transcription is None else {"model": settings.transcription, "language": "en"}
        session |= {
            "output_modalities": ["audio"],
            "audio": {
                "input": {"format": pcm, "transcription": transcription, "turn_detection": settings.turn_detection},
                "output": {"format": pcm, "voice": settings.voice},
            },
            **settings.params,
        }
        if settings.task is not None:
            session["tracing"] = {"workflow_name": "voicebench", **settings.task}
    return {"type": "session.update", "session": session}


def greeting_event(greeting: str) -> dict[str, Any]:
    """Return the event that lets the service speak the pack's greeting; the metadata is for servers that only speak."""
    return {
        "type": "response.create",
        "response": {
            "instructions": f"You have just answered the phone. Say exactly this and nothing else: {greeting}",
            "tool_choice": "none",
            "metadata": {"say": greeting[:_LONGEST_METADATA]},
        },
    }


def truncation(item: str, played_ms: int) -> dict[str, Any]:
    """Return the event that cuts a message in the service's memory to what was played of it."""
    return {"type": "conversation.item.truncate", "item_id": item, "content_index": 0, "audio_end_ms": played_ms}


def usage_attributes(usage: Any) -> dict[str, int | None]:
    """Return a response's usage as attributes of an ``llm`` span; null what was not told.

    Cached tokens are among the input tokens and cached audio tokens among both, as the protocol has them: nothing is
    added up here, so that nothing counts twice.
    """
    told = usage if isinstance(usage, dict) else {}
    given, made = (_mapping(told.get(key)) for key in ("input_token_details", "output_token_details"))
    return {
        "gen_ai.usage.input_tokens": told.get("input_tokens"),
        "gen_ai.usage.output_tokens": told.get("output_tokens"),
        "gen_ai.usage.cached_tokens": given.get("cached_tokens"),
        "gen_ai.usage.input_audio_tokens": given.get("audio_tokens"),
        "gen_ai.usage.cached_audio_tokens": _mapping(given.get("cached_tokens_details")).get("audio_tokens"),
        "gen_ai.usage.output_audio_tokens": made.get("audio_tokens"),
    }


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
