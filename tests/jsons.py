"""What is recorded and stored, as JSON."""

from __future__ import annotations

from typing import Any

from voicebench.store import Exchanges, StoredCall, Tracer


def lines_of(recorded: Tracer | Exchanges) -> list[dict[str, Any]]:
    """Return the spans and events, or the exchanges, as the lines that are stored of them."""
    return [record.to_json() for record in recorded.records()]


def call_json(stored: StoredCall) -> dict[str, Any]:
    """Return the content of ``call.json``."""
    return stored.call.to_json()


def trace_json(stored: StoredCall) -> list[dict[str, Any]]:
    """Return the lines of ``trace.jsonl``."""
    return [record.to_json() for record in stored.trace]
