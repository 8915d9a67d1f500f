"""What a call records, as the lines that are stored of it."""

from __future__ import annotations

from typing import Any

from voicebench.store import Exchanges, Tracer


def lines_of(recorded: Tracer | Exchanges) -> list[dict[str, Any]]:
    """Return the spans and events, or the exchanges, as lines of JSON."""
    return [record.to_json() for record in recorded.records()]
