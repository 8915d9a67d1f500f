"""The details that an agent's turn asks for: a request frame, and the noun of a detail after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voicebench.language.labels import Detail
from voicebench.language.sentences import Sentence

__all__ = ["Requests", "requested"]


@dataclass(frozen=True)
class Requests:
    """What is asked for, each once, in the order of the turn.

    Attributes:
        details: details that any company may ask for.
        own: intents of the pack whose own nouns are asked for ("chart number").
    """

    details: tuple[Detail, ...] = ()
    own: tuple[str, ...] = ()


def requested(sentences: Sequence[Sentence], own: Mapping[str, Sequence[str]]) -> Requests:
    """Return the details that a turn asks for.

    Args:
        sentences: of the turn.
        own: the pack's own nouns: regular expressions by intent; where one and a general noun match the same words,
            the pack's counts.
    """
    return Requests()
