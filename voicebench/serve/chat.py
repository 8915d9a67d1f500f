"""A chat request as the local agents see it, and what they answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

__all__ = ["Action", "BadRequest", "Called", "ChatRequest", "Event", "Heard", "Said", "ToolUse", "history", "offered"]

_IN_FLIGHT = "IN_PROGRESS"
"""What pipecat leaves as a tool's content until its result is there."""


class BadRequest(Exception):
    """A request that the endpoint cannot serve; answered with ``status`` and the message, never retried.

    Attributes:
        status: HTTP status.
        param: the field of the request that is wrong.
    """

    def __init__(self, message: str, *, param: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.status = status
        self.param = param


# ---- what an agent does ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ToolUse:
    """One tool call of an answer."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Action:
    """One answer: words first, then tool calls. Neither is a silent turn."""

    say: str = ""
    calls: tuple[ToolUse, ...] = ()


# ---- what happened so far --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heard:
    """The caller's words, as a recognizer wrote them."""

    text: str


@dataclass(frozen=True)
class Said:
    """The agent's words, as far as the caller heard them."""

    text: str


@dataclass(frozen=True)
class Called:
    """A tool call and its answer; ``result`` is None while the tool works."""

    name: str
    arguments: dict[str, Any]
    result: dict[str, Any] | None


Event: TypeAlias = Heard | Said | Called


def history(messages: Sequence[Mapping[str, Any]]) -> list[Event]:
    """Return the chat's events in order, system messages left out.

    Tool calls of one answer may stand in one assistant message or in several, and each finds its result by id wherever
    it stands.
    """
    results = {m.get("tool_call_id"): _result(m.get("content")) for m in messages if m.get("role") == "tool"}
    events: list[Event] = []
    for message in messages:
        text = _text(message.get("content"))
        if message.get("role") == "user" and text:
            events.append(Heard(text))
        elif message.get("role") == "assistant":
            if text:
                events.append(Said(text))
            events.extend(_called(call, results) for call in message.get("tool_calls") or ())
    return events


def _called(call: Mapping[str, Any], results: Mapping[Any, dict[str, Any] | None]) -> Called:
    function = call.get("function") or {}
    return Called(function.get("name", ""), _object(function.get("arguments")) or {}, results.get(call.get("id")))


def _text(content: Any) -> str:
    if isinstance(content, list):
        return " ".join(part.get("text", "") for part in content if part.get("type") == "text").strip()
    return str(content or "").strip()


def _result(content: Any) -> dict[str, Any] | None:
    text = _text(content)
    if text == _IN_FLIGHT:
        return None
    found = _object(text)
    return {"ok": False, "error_code": "UNREADABLE", "data": text} if found is None else found


def _object(text: Any) -> dict[str, Any] | None:
    try:
        value = json.loads(text or "{}")
    except (TypeError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def offered(tools: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the offered tools: name to the JSON schema of the parameters."""
    functions = [tool.get("function") or {} for tool in tools]
    return {function["name"]: function.get("parameters") or {} for function in functions if "name" in function}


# ---- the request -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ChatRequest:
    """The parts of a ``/v1/chat/completions`` body that matter here.

    Attributes:
        model: the name asked for.
        messages: the chat, as the OpenAI protocol writes it.
        tools: the tools offered to the agent that has the call now.
        stream: server-sent events instead of one JSON answer.
        include_usage: a last chunk with the usage.
        call_id: ``metadata.voicebench_call``, empty if absent.
        task: ``metadata.voicebench_task``, which the reference follows: JSON text, None if absent.
        caller: ``metadata.voicebench_caller``, which the local caller plays: JSON text, None if absent.
    """

    model: str
    messages: tuple[dict[str, Any], ...]
    tools: tuple[dict[str, Any], ...] = ()
    stream: bool = False
    include_usage: bool = False
    call_id: str = ""
    task: str | None = None
    caller: str | None = None

    @classmethod
    def parse(cls, body: Any) -> ChatRequest:
        """Read a decoded JSON body.

        Raises:
            BadRequest: it is no chat request.
        """
        if not isinstance(body, dict):
            raise BadRequest("the body must be a JSON object")
        messages = body.get("messages")
        if not isinstance(messages, list) or not all(isinstance(m, dict) and "role" in m for m in messages):
            raise BadRequest("'messages' must be a list of objects with a 'role'", param="messages")
        if not isinstance(body.get("model"), str):
            raise BadRequest("'model' must be a string", param="model")
        metadata = body.get("metadata") or {}
        return cls(
            model=body["model"],
            messages=tuple(messages),
            tools=tuple(body.get("tools") or ()),
            stream=bool(body.get("stream")),
            include_usage=bool((body.get("stream_options") or {}).get("include_usage")),
            call_id=str(metadata.get("voicebench_call", "")),
            task=metadata.get("voicebench_task"),
            caller=metadata.get("voicebench_caller"),
        )

    @property
    def number(self) -> int:
        """The request's number in its call, from 1: a model is asked when the caller has spoken or tools have answered.

        Answers do not count, so that silence and an answer that was cut leave it right; a repeated try has the same.
        """
        roles = [str(message["role"]) for message in self.messages]
        batches = sum(role == "tool" and after != "tool" for role, after in zip(roles, [*roles[1:], ""], strict=True))
        return roles.count("user") + batches
