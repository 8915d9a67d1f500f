"""What was said beside what was heard, with the words marked that differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from voicebench.packs.normalize import normalise

__all__ = ["Piece", "mark"]


@dataclass(frozen=True)
class Piece:
    """Some words in a row.

    Attributes:
        text: the words as they were written.
        differs: whether the other side has other words there, or none.
    """

    text: str
    differs: bool


def mark(said: str, heard: str) -> tuple[list[Piece], list[Piece]]:
    """Compare two texts word by word; return the pieces of each.

    Case and punctuation do not count, nor whether a number is written in words or in digits.
    """
    left, right = said.split(), heard.split()
    matcher = SequenceMatcher(None, [_bare(word) for word in left], [_bare(word) for word in right], autojunk=False)
    pieces: tuple[list[Piece], list[Piece]] = ([], [])
    for kind, a, b, c, d in matcher.get_opcodes():
        differs = kind != "equal" and _squash(left[a:b]) != _squash(right[c:d])
        for side, words in zip(pieces, (left[a:b], right[c:d]), strict=True):
            if words:
                side.append(Piece(" ".join(words), differs))
    return pieces


def _bare(word: str) -> str:
    return re.sub(r"\W", "", word).casefold()


def _squash(words: Sequence[str]) -> str:
    return normalise(" ".join(words)).replace(" ", "")
