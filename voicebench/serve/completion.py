"""Answers in the form of the OpenAI chat protocol: one JSON object, or chunks of a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from voicebench.config import derive_seed
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.serve.chat import Action, ChatRequest, objects_in

__all__ = ["Completion", "sse"]

_PIECE = re.compile(r"\s*\S+|\s+$")
_TOKEN = re.compile(r"\w+|[^\w\s]")


class Completion:
    """One answer.

    Token counts are estimates: words and marks. What the previous request of the call held counts as cached.

    Args:
        request: what is answered.
        action: the answer.
        seed: the endpoint's seed; equal requests get equal ids.
    """

    def __init__(self, request: ChatRequest, action: Action, seed: int) -> None:
        self._request = request
        self._action = action
        self._id = f"chatcmpl-{derive_seed('completion', seed, request.call_id, request.number):016x}"
        before = sum(len(objects_in(message, "tool_calls")) for message in request.messages)
        self._call_ids = [f"call_{before + index}" for index in range(1, len(action.calls) + 1)]
        self._functions: list[JsonObject] = [
            {"name": use.name, "arguments": json.dumps(use.arguments, ensure_ascii=False)} for use in action.calls
        ]

    @property
    def finish_reason(self) -> str:
        """``tool_calls`` or ``stop``."""
        return "tool_calls" if self._functions else "stop"

    def body(self, *, usage: bool = True) -> JsonObject:
        """Return the answer as one object, with the usage unless it is to be kept back."""
        message: JsonObject = {"role": "assistant", "content": self._action.say or None, "refusal": None}
        if self._functions:
            message["tool_calls"] = [
                {"id": call_id, "type": "function", "function": function}
                for call_id, function in zip(self._call_ids, self._functions, strict=True)
            ]
        elif not self._action.say:
            message["content"] = ""
        choice: JsonObject = {"index": 0, "message": message, "logprobs": None, "finish_reason": self.finish_reason}
        return self._envelope("chat.completion", [choice]) | ({"usage": self.usage()} if usage else {})

    def deltas(self) -> list[JsonObject]:
        """Return the tokens of a stream: pieces of words, then each call's name and its arguments."""
        found: list[JsonObject] = [{"content": piece} for piece in _PIECE.findall(self._action.say)]
        for index, (call_id, function) in enumerate(zip(self._call_ids, self._functions, strict=True)):
            named: JsonObject = {"name": function["name"], "arguments": ""}
            found.append({"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": named}]})
            found.append({"tool_calls": [{"index": index, "function": {"arguments": function["arguments"]}}]})
        return found

    def opening(self) -> JsonObject:
        """Return the chunk that names the role; it is no token."""
        return self.chunk({"role": "assistant", "content": ""})

    def chunk(self, delta: JsonObject, finish_reason: str | None = None) -> JsonObject:
        """Return one chunk of a stream."""
        choice: JsonObject = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self._envelope("chat.completion.chunk", [choice])

    def closing(self, *, usage: bool = True) -> Iterator[JsonObject]:
        """Yield the chunk with the finish reason and, if it was asked for and is not to be kept back, the usage."""
        yield self.chunk({}, self.finish_reason)
        if usage and self._request.include_usage:
            yield self._envelope("chat.completion.chunk", []) | {"usage": self.usage()}

    def usage(self) -> JsonObject:
        """Return the estimated token counts."""
        messages = self._request.messages
        spoken = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
        offers = _tokens(json.dumps(self._request.tools)) if self._request.tools else 0
        counts = [_tokens(json.dumps(message)) for message in messages]
        prompt = offers + sum(counts)
        # The request before this one held all up to the agent's last words: what a provider would have cached.
        cached = offers + sum(counts[: spoken[-1]]) if spoken else 0
        answer = _tokens(self._action.say) + sum(_tokens(json.dumps(function)) for function in self._functions)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": answer,
            "total_tokens": prompt + answer,
            "prompt_tokens_details": {"cached_tokens": cached},
        }

    def _envelope(self, kind: str, choices: list[JsonValue]) -> JsonObject:
        return {"id": self._id, "object": kind, "created": 0, "model": self._request.model, "choices": choices}


def sse(data: JsonObject | str) -> bytes:
    """Return one server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def _tokens(text: str) -> int:
    return len(_TOKEN.findall(text))
