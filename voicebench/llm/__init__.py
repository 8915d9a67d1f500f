"""Language models at any OpenAI-compatible address, reached over the call's clock."""

from __future__ import annotations

from voicebench.llm.client import Delta, LlmClient, LlmTarget, ToolCall, answer_ending, counted_tokens
from voicebench.record.base import Party

__all__ = ["Delta", "LlmClient", "LlmTarget", "Party", "ToolCall", "answer_ending", "counted_tokens"]
