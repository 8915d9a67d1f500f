"""Language models at any OpenAI-compatible address, reached over the call's clock."""

from __future__ import annotations

from voicebench.llm.client import Delta, LlmClient, LlmTarget, ToolCall
from voicebench.record.base import Party

__all__ = ["Delta", "LlmClient", "LlmTarget", "Party", "ToolCall"]
