"""A chat request as the local models see it, and what they answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from voicebench.record.json_types import JsonObject, JsonValue

__all__ = [
    "Action",
    "AgentTurn",
    "BadRequest",
    "Called",
    "CallerTurn",
    "ChatRequest",
    "Event",
    "ToolUse",
    "history",
    "objects_in",
    "offered",
]

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
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class Action:
    """One answer: words first, then tool calls. Neither is a silent turn."""

    say: str = ""
    calls: tuple[ToolUse, ...] = ()


# ---- what happened so far --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CallerTurn:
    """The caller's words, as a recognizer wrote them."""

    text: str


@dataclass(frozen=True)
class AgentTurn:
    """The agent's words, as far as the caller heard them."""

    text: str


@dataclass(frozen=True)
class Called:
    """A tool call and its answer; ``result`` is None while the tool works."""

    name: str
    arguments: JsonObject
    result: JsonObject | None


Event: TypeAlias = CallerTurn | AgentTurn | Called


def history(messages: Sequence[JsonObject]) -> list[Event]:
    """Return the chat's events in order, system messages left out.

    Tool calls of one answer may stand in one assistant message or in several, and each finds its result by id wherever
    it stands.
    """
    results = {str(m.get("tool_call_id")): _result(m.get("content")) for m in messages if m.get("role") == "tool"}
    events: list[Event] = []
    for message in messages:
        text = _text(message.get("content"))
        if message.get("role") == "user" and text:
            events.append(CallerTurn(text))
        elif message.get("role") == "assistant":
            if text:
                events.append(AgentTurn(text))
            for call in objects_in(message, "tool_calls"):
                function = call.get("function")
                if isinstance(function, dict):
                    arguments = _object(function.get("arguments")) or {}
                    events.append(Called(str(function.get("name", "")), arguments, results.get(str(call.get("id")))))
    return events


def objects_in(value: JsonObject, key: str) -> list[JsonObject]:
    """Return the objects of a list in an object; an empty list where there is none."""
    found = value.get(key)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _text(content: JsonValue) -> str:
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return " ".join(str(part.get("text", "")) for part in parts).strip()
    return str(content or "").strip()


def _result(content: JsonValue) -> JsonObject | None:
    text = _text(content)
    if text == _IN_FLIGHT:
        return None
    found = _object(text)
    return {"ok": False, "error_code": "UNREADABLE", "data": text} if found is None else found


def _object(text: JsonValue) -> JsonObject | None:
    try:
        value = json.loads(str(text or "{}"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def offered(tools: Sequence[JsonObject]) -> dict[str, JsonObject]:
    """Return the offered tools: name to the JSON schema of the parameters."""
    functions = [function for tool in tools if isinstance(function := tool.get("function"), dict)]
    schemas = {str(function["name"]): function.get("parameters") for function in functions if "name" in function}
    return {name: schema if isinstance(schema, dict) else {} for name, schema in schemas.items()}


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
    messages: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...] = ()
    stream: bool = False
    include_usage: bool = False
    call_id: str = ""
    task: str | None = None
    caller: str | None = None

    @classmethod
    def parse(cls, body: JsonValue) -> ChatRequest:
        """Read a decoded JSON body.

        Raises:
            BadRequest: it is no chat request.
        """
        if not isinstance(body, dict):
            raise BadRequest("the body must be a JSON object")
        given, messages, model = body.get("messages"), objects_in(body, "messages"), body.get("model")
        if not isinstance(given, list) or len(messages) < len(given) or not all("role" in m for m in messages):
            raise BadRequest("'messages' must be a list of objects with a 'role'", param="messages")
        if not isinstance(model, str):
            raise BadRequest("'model' must be a string", param="model")
        options = body.get("stream_options")
        metadata = body.get("metadata")
        handed: Mapping[str, JsonValue] = metadata if isinstance(metadata, dict) else {}
        task, caller = handed.get("voicebench_task"), handed.get("voicebench_caller")
        return cls(
            model=model,
            messages=tuple(messages),
            tools=tuple(objects_in(body, "tools")),
            stream=bool(body.get("stream")),
            include_usage=isinstance(options, dict) and bool(options.get("include_usage")),
            call_id=str(handed.get("voicebench_call", "")),
            task=None if task is None else str(task),
            caller=None if caller is None else str(caller),
        )

    @property
    def number(self) -> int:
        """The request's number in its call, from 1: a model is asked when the caller has spoken or tools have answered.

        Answers do not count, so that silence and an answer that was cut leave it right; a repeated try has the same.
        """
        roles = [str(message["role"]) for message in self.messages]
        batches = sum(role == "tool" and after != "tool" for role, after in zip(roles, [*roles[1:], ""], strict=True))
        return roles.count("user") + batches
