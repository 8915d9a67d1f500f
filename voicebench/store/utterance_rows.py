"""What the index says of the words of a call: one row an utterance, and one a saying of a fact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from voicebench.store.folder import StoredCall

__all__ = ["FACT", "UTTERANCE", "fact_rows", "utterance_rows"]

_KEY = {"run_id": str, "pack": str, "task": str, "trial": int, "attempt": int, "number": int}

UTTERANCE = {
    **_KEY,
    "speaker": str,
    "start_s": float,
    "intended": str,
    "spoken": str,
    "heard": str,
    "interrupted": int,
    "words": int,
    "substitutions": int,
    "deletions": int,
    "insertions": int,
}
"""One row a turn, counted from 1; the counts are null where nothing was recognised, or the turn was cut."""

FACT = {
    **_KEY,
    "fact": str,
    "speaker": str,
    "start_s": float,
    "value": str,
    "form": int,
    "said": str,
    "heard": str,
    "understood": str,
    "right": int,
    "used": str,
}
"""One row a saying of a fact of the task, counted from 1; ``right`` is null where nothing was recognised."""

_COUNTS = ("words", "substitutions", "deletions", "insertions")


def utterance_rows(stored: StoredCall, run_id: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each turn of a call."""
    for number, turn in enumerate(stored.call.get("transcript") or (), start=1):
        errors = turn["word_errors"] or {}
        row = {key: turn.get(key) for key in UTTERANCE if key not in _KEY and key not in _COUNTS}
        yield {**_key(stored, run_id, number), **row, **{key: errors.get(key) for key in _COUNTS}}


def fact_rows(stored: StoredCall, run_id: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each saying of a fact in a call."""
    for number, saying in enumerate(stored.call.get("facts") or (), start=1):
        row = {key: saying.get(key) for key in FACT if key not in _KEY}
        used = None if row["used"] is None else str(row["used"])
        yield {**_key(stored, run_id, number), **row, "used": used}


def _key(stored: StoredCall, run_id: str, number: int) -> dict[str, Any]:
    call = stored.call
    return {"run_id": run_id, **{key: call.get(key) for key in ("pack", "task", "trial", "attempt")}, "number": number}
