"""What the call's models were asked and what they answered, in the order in which it was asked."""

from __future__ import annotations

from typing import Any, Literal

__all__ = ["ExchangeKind", "Exchanges"]

ExchangeKind = Literal["llm", "asr", "tts", "realtime", "transcription"]


class Exchanges:
    """Collects the exchanges of one call with its models."""

    def __init__(self) -> None:
        self._lines: list[dict[str, Any]] = []

    def add(self, kind: ExchangeKind, **fields: Any) -> None:
        """Add one exchange: an LLM request with its chunks, a recognition, or a synthesised clause."""
        self._lines.append({"kind": kind, **fields})

    def lines(self) -> list[dict[str, Any]]:
        """Return the exchanges as JSON-able dictionaries."""
        return list(self._lines)
