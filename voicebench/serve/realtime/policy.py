"""The policy of a session: a chat model at some address, asked over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicebench.record.json_types import JsonObject

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk

__all__ = ["AnswerPart", "ChatPolicy"]


@dataclass(frozen=True)
class AnswerPart:
    """Some text of an answer, or a whole tool call."""

    text: str = ""
    call: dict[str, str] | None = None


class ChatPolicy:
    """Asks a chat model.

    Args:
        client: of the server that has the model.
        model: its name there.
        own_endpoint: whether that server is ours, so that it may be sent the session's task.
    """

    def __init__(self, client: AsyncOpenAI, model: str, *, own_endpoint: bool) -> None:
        self._client = client
        self._model = model
        self._own_endpoint = own_endpoint

    async def answer(
        self, messages: list[JsonObject], tools: list[JsonObject], metadata: dict[str, str]
    ) -> AsyncIterator[AnswerPart]:
        """Stream an answer: text as it comes, then the calls.

        Args:
            messages: the chat.
            tools: as the realtime protocol writes them.
            metadata: what our own endpoint is sent of the call.
        """
        request: JsonObject = {"model": self._model, "messages": [*messages], "stream": True}
        if tools:
            request["tools"] = [
                {"type": "function", "function": {k: v for k, v in tool.items() if k != "type"}} for tool in tools
            ]
        if self._own_endpoint:
            request["metadata"] = {**metadata}
        calls: dict[int, dict[str, str]] = {}
        create: Callable[..., Awaitable[AsyncStream[ChatCompletionChunk]]] = self._client.chat.completions.create
        stream = await create(**request)
        async with stream:
            async for chunk in stream:
                delta = chunk.choices[0].delta if chunk.choices else None
                if delta is not None and delta.content:
                    yield AnswerPart(text=delta.content)
                for part in (delta and delta.tool_calls) or []:
                    call = calls.setdefault(part.index, {"call_id": "", "name": "", "arguments": ""})
                    call["call_id"] = part.id or call["call_id"]
                    call["name"] += (part.function and part.function.name) or ""
                    call["arguments"] += (part.function and part.function.arguments) or ""
        for call in calls.values():
            yield AnswerPart(call={**call, "arguments": call["arguments"] or json.dumps({})})
