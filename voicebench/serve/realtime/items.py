"""The items that a session remembers, and the chat that a language model is shown of it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field

from voicebench.record.json_types import JsonObject

__all__ = ["AUDIO_RATE", "Item", "SessionItems"]

AUDIO_RATE = 24_000
"""Samples a second of the protocol's PCM."""


@dataclass
class Item:
    """One item.

    Attributes:
        id: its name.
        kind: ``user``, ``assistant``, ``function_call`` or ``function_call_output``.
        text: words, or a tool's output.
        samples: of its audio, at 24 kHz.
        call: of a call or its output: ``call_id``, ``name`` and ``arguments``.
        heard: the recognition of a user's audio, while it lasts.
        done: whether nothing more is added to it.
    """

    id: str
    kind: str
    text: str = ""
    samples: int = 0
    call: dict[str, str] = field(default_factory=dict)
    heard: asyncio.Task[None] | None = None
    done: bool = True

    def to_json(self) -> JsonObject:
        """Return it as the protocol writes it."""
        status = "completed" if self.done else "in_progress"
        base: JsonObject = {"id": self.id, "object": "realtime.item", "status": status}
        if self.kind == "function_call":
            return {**base, "type": "function_call", **self.call}
        if self.kind == "function_call_output":
            return {**base, "type": "function_call_output", "call_id": self.call["call_id"], "output": self.text}
        if self.kind == "assistant":
            content: JsonObject = {"type": "output_audio", "transcript": self.text}
        else:
            content = {"type": "input_audio", "transcript": self.text or None}
        return {**base, "type": "message", "role": self.kind, "content": [content]}

    @property
    def audio_ms(self) -> int:
        """Milliseconds of its audio."""
        return self.samples * 1000 // AUDIO_RATE

    def truncate(self, audio_end_ms: int) -> None:
        """Forget what was not heard."""
        words = self.text.split()
        kept = len(words) * audio_end_ms // self.audio_ms if self.audio_ms else 0
        self.text = " ".join(words[:kept])
        self.samples = audio_end_ms * AUDIO_RATE // 1000


class SessionItems:
    """All items of a session, in order."""

    def __init__(self) -> None:
        self.all: list[Item] = []

    def find(self, name: object) -> Item | None:
        """Return the item of that name."""
        return next((item for item in self.all if item.id == name), None)

    def messages(self, instructions: str) -> list[JsonObject]:
        """Return the chat: prompt, words as they were heard, calls and results."""
        chat: list[JsonObject] = [{"role": "system", "content": instructions}]
        for item in self.all:
            if item.kind == "function_call":
                function: JsonObject = {"name": item.call["name"], "arguments": item.call["arguments"]}
                call: JsonObject = {"id": item.call["call_id"], "type": "function", "function": function}
                chat.append({"role": "assistant", "content": None, "tool_calls": [call]})
            elif item.kind == "function_call_output":
                chat.append({"role": "tool", "tool_call_id": item.call["call_id"], "content": item.text})
            elif item.text:
                chat.append({"role": item.kind, "content": item.text})
        return chat

    @property
    def is_answered(self) -> bool:
        """Whether the last that has a content is the agent's own words, so that there is nothing to answer."""
        last = next((item for item in reversed(self.all) if item.text or item.kind == "function_call"), None)
        return last is None or last.kind == "assistant"

    def input_tokens(self, instructions: str, tools: list[JsonObject]) -> tuple[int, int]:
        """Return its text and audio tokens: four characters, or 100 ms of the caller and 50 of the agent, are one."""
        text = len(instructions) + len(json.dumps(tools)) + sum(len(str(i.call)) + len(i.text) for i in self.all)
        heard = sum(item.audio_ms // 100 for item in self.all if item.kind == "user")
        said = sum(item.audio_ms // 50 for item in self.all if item.kind == "assistant")
        return text // 4, heard + said
