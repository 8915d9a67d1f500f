"""What was said and what was heard, with the words marked that differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby

from voicebench.language.itn import normalise

__all__ = ["MarkedWords", "mark"]

_SPELLED = 4
"""Most letters that a word in capitals may have to be taken for letters that were spelled."""

_ALONE = {"one": "1", "oh": "0"}
"""Number words that are other words too when they stand alone."""


@dataclass(frozen=True)
class MarkedWords:
    """Some words in a row.

    Attributes:
        text: the words as they were written.
        differs: whether the other side has other words there, or none.
    """

    text: str
    differs: bool


def mark(said: str, heard: str) -> tuple[list[MarkedWords], list[MarkedWords]]:
    """Compare two texts word by word; return each as runs of words that are marked or not.

    Case and punctuation do not count, nor how a number or a spelled word is written: "four four seven" is "447", and
    "K E" is "KE".
    """
    left, right = said.split(), heard.split()
    units = [_units(left), _units(right)]
    texts = [[unit for _, unit in side] for side in units]
    # autojunk drops what stands often in a long text, as "the": each of them counts here.
    matcher = SequenceMatcher(None, texts[0], texts[1], autojunk=False)
    wrong: tuple[set[int], set[int]] = (set(), set())
    for kind, *edges in matcher.get_opcodes():
        if kind != "equal":
            for side in (0, 1):
                wrong[side].update(word for word, _ in units[side][edges[2 * side] : edges[2 * side + 1]])
    return _pieces(left, wrong[0]), _pieces(right, wrong[1])


def _pieces(words: Sequence[str], wrong: set[int]) -> list[MarkedWords]:
    runs = groupby(enumerate(words), key=lambda numbered: numbered[0] in wrong)
    return [MarkedWords(" ".join(word for _, word in run), differs) for differs, run in runs]


def _units(words: Sequence[str]) -> list[tuple[int, str]]:
    """Return what is compared, each with the number of its word: whole words, and single letters and digits."""
    return [(number, unit) for number, word in enumerate(words) for unit in units_of(word)]


@lru_cache(maxsize=4096)
def units_of(word: str) -> list[str]:
    """Return what a word is compared by: its digits or letters if it is a number or spelled, else the word itself."""
    units: list[str] = []
    for written in normalise(word).split():
        unit = _ALONE.get(written, written)
        spelled = bool(re.search(r"\d", unit)) or (len(unit) <= _SPELLED and unit.upper() in word)
        units += unit if spelled else [unit]
    return units
