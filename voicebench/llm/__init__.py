"""Language models at any OpenAI-compatible address, reached over the call's clock."""

from __future__ import annotations

from voicebench.llm.answer import Delta, ToolCall
from voicebench.llm.client import LlmClient, LlmTarget, Party

__all__ = ["Delta", "LlmClient", "LlmTarget", "Party", "ToolCall"]
