"""What the index says of the words of a call: one row an utterance, and one a mention of a fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from voicebench.store.folder import StoredCall

__all__ = ["FACT", "UTTERANCE", "Columns", "Row", "call_key", "fact_rows", "utterance_rows"]

Row = dict[str, str | int | float | None]
"""A row of a table of the index: column to value."""

Columns = Mapping[str, type[str] | type[int] | type[float]]
"""The columns of a table, in their order."""

_KEY: Columns = {"run_id": str, "pack": str, "task": str, "trial": int, "attempt": int, "number": int}

UTTERANCE: Columns = {
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

FACT: Columns = {
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
"""One row a mention of a fact of the task, counted from 1; ``right`` is null where nothing was recognised."""


def utterance_rows(stored: StoredCall, run_id: str) -> Iterator[Row]:
    """Yield a row for each turn of a call."""
    for number, turn in enumerate(stored.call.transcript, start=1):
        errors = turn.word_errors
        yield {
            **call_key(stored, run_id),
            "number": number,
            "speaker": turn.speaker,
            "start_s": turn.start_s,
            "intended": turn.intended,
            "spoken": turn.spoken,
            "heard": turn.heard,
            "interrupted": turn.interrupted,
            "words": None if errors is None else errors.words,
            "substitutions": None if errors is None else errors.substitutions,
            "deletions": None if errors is None else errors.deletions,
            "insertions": None if errors is None else errors.insertions,
        }


def fact_rows(stored: StoredCall, run_id: str) -> Iterator[Row]:
    """Yield a row for each time that a fact was said in a call."""
    for number, mention in enumerate(stored.call.fact_mentions, start=1):
        yield {
            **call_key(stored, run_id),
            "number": number,
            "fact": mention.fact,
            "speaker": mention.speaker,
            "start_s": mention.start_s,
            "value": mention.value,
            "form": mention.form,
            "said": mention.said,
            "heard": mention.heard,
            "understood": mention.understood,
            "right": mention.right,
            "used": None if mention.used is None else str(mention.used),
        }


def call_key(stored: StoredCall, run_id: str) -> Row:
    """Return the columns that name a call in every table."""
    call = stored.call
    return {"run_id": run_id, "pack": call.pack, "task": call.task, "trial": call.trial, "attempt": call.attempt}
