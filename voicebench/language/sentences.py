"""Sentences of a turn, each with its words and whether it is a question, by its mark or by its form."""

from __future__ import annotations

import re
from dataclasses import dataclass

from voicebench.language.itn import normalise

__all__ = ["Sentence", "split_sentences"]

_END = re.compile(r"(?<=[.!?\u2026])\s+|\s*\n\s*")
_QUESTION_FORM = re.compile(
    r"^(?:(?:and|so|now|okay|ok|thanks|thank you|great|alright|all right|well|then) )*"
    r"(?:who|whos|what|whats|which|when|where|why|how|can|could|may|would|will|do|does|did|is|are|shall|should|have|has)\b"
)


@dataclass(frozen=True)
class Sentence:
    """One sentence of a turn.

    Attributes:
        text: as it was said or recognised.
        words: normalised (see :func:`voicebench.language.itn.normalise`).
        is_question: it ends with a question mark, or has the form of a question: recognizers drop one mark in four.
    """

    text: str
    words: str
    is_question: bool


def split_sentences(text: str) -> list[Sentence]:
    """Return the sentences of a turn, in order; none is empty."""
    parts = [part.strip() for part in _END.split(text.strip())]
    return [
        Sentence(part, words, part.endswith("?") or _QUESTION_FORM.search(words) is not None)
        for part in parts
        if (words := normalise(part))
    ]
