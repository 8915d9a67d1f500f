"""What an agent's turn does beside asking for details: holds, transfers, offers, requests to repeat, and the rest."""

from __future__ import annotations

from collections.abc import Sequence

from voicebench.language.labels import Act
from voicebench.language.requests import Requests
from voicebench.language.sentences import Sentence

__all__ = ["acts_of"]


def acts_of(sentences: Sequence[Sentence], requests: Requests) -> frozenset[Act]:
    """Return what a turn does.

    Args:
        sentences: of the turn.
        requests: the details that it asks for.
    """
    return frozenset()
