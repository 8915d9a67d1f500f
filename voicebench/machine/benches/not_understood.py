"""Agents' turns of stored runs that their callers did not understand, in the form in which people label them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from voicebench.errors import StoreError
from voicebench.language.turn_meaning import turn_meaning
from voicebench.machine.benches.labelled_turns import LabelledTurn
from voicebench.metrics import CallerReaction, caller_reactions
from voicebench.record.spans import UNANSWERING_RULES
from voicebench.store import RunFolder

__all__ = ["turns_not_understood"]

_NO_ANSWER = UNANSWERING_RULES - {"acknowledge"}


def turns_not_understood(roots: Iterable[Path]) -> Iterator[LabelledTurn]:
    """Give the turns of runs that their callers asked to hear again, had no answer to, or waited at though asked.

    They have the words that the agent's model wrote and no labels. ``source`` says where they come from, as
    ``RUN/PACK/TASK/TRIAL/attempt-N#TURN``; words that were given twice are given once.

    Args:
        roots: the folders of the runs.

    Raises:
        StoreError: a folder holds no run, or a file of it is corrupt.
    """
    seen: set[str] = set()
    for root in roots:
        folder = RunFolder(root.resolve())
        run = folder.record()
        for stored in folder.calls():
            if isinstance(stored, StoreError):
                raise stored
            where = f"{run.run_id}/{stored.dir.relative_to(folder.root / 'calls').as_posix()}"
            for one in caller_reactions(stored.trace if stored.has_trace else ()):
                text = one.meant or one.heard
                if text not in seen and _is_missed(one, text):
                    seen.add(text)
                    source = f"{where}#{one.turn}"
                    yield LabelledTurn(id=source, text=text, asks=(), acts=(), source=source, caller_did=_told(one))


def _is_missed(one: CallerReaction, text: str) -> bool:
    if not one.understood or one.did in _NO_ANSWER:
        return True
    if one.did != "waited":
        return False
    meaning = turn_meaning(text, {})
    # "Could you hold for a moment?" is a question, and waiting is the answer.
    return not meaning.is_statement and not meaning.acts & {"hold", "working", "transfers_now"}


def _told(one: CallerReaction) -> str:
    heard = "" if one.heard == one.meant else f"heard {one.heard!r}, "
    if one.did == "waited":
        return heard + ("waited, then asked whether anybody was there" if one.followed_by_hello else "waited")
    return f"{heard}said {one.said!r} ({one.did})"
