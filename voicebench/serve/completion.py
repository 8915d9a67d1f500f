"""Answers in the form of the OpenAI chat protocol: one JSON object, or chunks of a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from voicebench.config import derive_seed
from voicebench.serve.chat import Action, ChatRequest

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
        before = sum(len(message.get("tool_calls") or ()) for message in request.messages)
        self._calls: list[dict[str, Any]] = [
            {
                "id": f"call_{before + index}",
                "type": "function",
                "function": {"name": use.name, "arguments": json.dumps(use.arguments, ensure_ascii=False)},
            }
            for index, use in enumerate(action.calls, start=1)
        ]

    @property
    def finish_reason(self) -> str:
        """``tool_calls`` or ``stop``."""
        return "tool_calls" if self._calls else "stop"

    def body(self, *, usage: bool = True) -> dict[str, Any]:
        """Return the answer as one object, with the usage unless it is to be kept back."""
        message: dict[str, Any] = {"role": "assistant", "content": self._action.say or None, "refusal": None}
        if self._calls:
            message["tool_calls"] = self._calls
        elif not self._action.say:
            message["content"] = ""
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self.finish_reason}
        return self._envelope("chat.completion", [choice]) | ({"usage": self.usage()} if usage else {})

    def deltas(self) -> list[dict[str, Any]]:
        """Return the tokens of a stream: pieces of words, then each call's name and its arguments."""
        found: list[dict[str, Any]] = [{"content": piece} for piece in _PIECE.findall(self._action.say)]
        for index, call in enumerate(self._calls):
            named = {"name": call["function"]["name"], "arguments": ""}
            found.append({"tool_calls": [{"index": index, **call, "function": named}]})
            found.append({"tool_calls": [{"index": index, "function": {"arguments": call["function"]["arguments"]}}]})
        return found

    def opening(self) -> dict[str, Any]:
        """Return the chunk that names the role; it is no token."""
        return self.chunk({"role": "assistant", "content": ""})

    def chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        """Return one chunk of a stream."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self._envelope("chat.completion.chunk", [choice])

    def closing(self, *, usage: bool = True) -> Iterator[dict[str, Any]]:
        """Yield the chunk with the finish reason and, if it was asked for and is not to be kept back, the usage."""
        yield self.chunk({}, self.finish_reason)
        if usage and self._request.include_usage:
            yield self._envelope("chat.completion.chunk", []) | {"usage": self.usage()}

    def usage(self) -> dict[str, Any]:
        """Return the estimated token counts."""
        messages = self._request.messages
        spoken = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
        offers = _tokens(json.dumps(self._request.tools)) if self._request.tools else 0
        counts = [_tokens(json.dumps(message)) for message in messages]
        prompt = offers + sum(counts)
        cached = offers + sum(counts[: spoken[-1]]) if spoken else 0
        answer = _tokens(self._action.say) + sum(_tokens(json.dumps(call["function"])) for call in self._calls)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": answer,
            "total_tokens": prompt + answer,
            "prompt_tokens_details": {"cached_tokens": cached},
        }

    def _envelope(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": 0, "model": self._request.model, "choices": choices}


def sse(data: dict[str, Any] | str) -> bytes:
    """Return one server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def _tokens(text: str) -> int:
    return len(_TOKEN.findall(text))
