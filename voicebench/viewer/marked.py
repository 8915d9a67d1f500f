"""What was said beside what was heard, with the words marked that differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby

from voicebench.language.itn import normalise

__all__ = ["Piece", "mark"]

_SPELLED = 4
"""Most letters that a word in capitals may have to be taken for letters that were spelled."""

_ALONE = {"one": "1", "oh": "0"}
"""Number words that are other words too when they stand alone."""


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

    Case and punctuation do not count, nor how a number or a spelled word is written: "four four seven" is "447", and
    "K E" is "KE".
    """
    left, right = said.split(), heard.split()
    units = [_units(left), _units(right)]
    texts = [[unit for _, unit in side] for side in units]
    matcher = SequenceMatcher(None, texts[0], texts[1], autojunk=False)
    wrong: tuple[set[int], set[int]] = (set(), set())
    for kind, *edges in matcher.get_opcodes():
        if kind != "equal":
            for side in (0, 1):
                wrong[side].update(word for word, _ in units[side][edges[2 * side] : edges[2 * side + 1]])
    return _pieces(left, wrong[0]), _pieces(right, wrong[1])


def _pieces(words: Sequence[str], wrong: set[int]) -> list[Piece]:
    runs = groupby(enumerate(words), key=lambda numbered: numbered[0] in wrong)
    return [Piece(" ".join(word for _, word in run), differs) for differs, run in runs]


def _units(words: Sequence[str]) -> list[tuple[int, str]]:
    """Return what is compared, each with the number of its word: whole words, and single letters and digits."""
    return [(number, unit) for number, word in enumerate(words) for unit in _of_word(word)]


@lru_cache(maxsize=4096)
def _of_word(word: str) -> list[str]:
    units = [_ALONE.get(unit, unit) for unit in normalise(word).split()]
    return [piece for unit in units for piece in (unit if _is_spelled(unit, word) else [unit])]


def _is_spelled(unit: str, word: str) -> bool:
    return bool(re.search(r"\d", unit)) or (len(unit) <= _SPELLED and unit.upper() in word)
