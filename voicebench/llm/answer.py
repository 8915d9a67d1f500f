"""What a language model answers, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Delta", "ToolCall"]


@dataclass(frozen=True)
class ToolCall:
    """A tool call as the model wrote it; ``arguments`` is the text that should be JSON."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Delta:
    """One piece of a streamed answer: text, or a finished tool call."""

    text: str = ""
    call: ToolCall | None = None
