"""Recognised or written speech as tokens: words, numerals and ``$``/``%``, each with the gap before it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

__all__ = ["Gap", "Token", "to_ascii_letters", "tokenize"]

Gap = Literal["", " ", "-", ",", "."]
"""Glued, a space, a hyphen or another mark without space, a comma or dash, the end of a phrase."""

_FILLERS = frozenset({"uh", "um", "er", "erm", "uhm", "hmm"})
# ASCII only: accents are taken off before. A comma belongs to a numeral only where groups of three digits follow it to
# the end, so that "4,471" is one numeral and "4, 471" and "1,2,3" are several.
_TOKEN_PATTERN = re.compile(
    r"[A-Za-z]+(?:'[A-Za-z]+)*|(?<![\d,.])\d{1,3}(?:,\d{3})+(?!\d|,\d)(?:\.\d+)?|\d+(?:\.\d+)*|[$%]", re.ASCII
)
_MARKS = {"\u2019": "'", "\u2018": "'", "\u2026": "...", "\u2013": "-", "\u2014": " - ", "\u2212": "-"}
# Unicode takes "½" apart into 1, a slash and 2, and "²" into 2, which would join the digits before them.
_FRACTIONS = {"\u00bd": " and a half ", "\u00bc": " and a quarter ", "\u00be": " and three quarters "}
_POWERS = {"\u00b2": " squared ", "\u00b3": " cubed ", "\u00b9": " "}
_LETTERS = {
    "\u0141": "L",
    "\u0142": "l",
    "\u00d8": "O",
    "\u00f8": "o",
    "\u0110": "D",
    "\u0111": "d",
    "\u00d0": "D",
    "\u00f0": "d",
    "\u00de": "Th",
    "\u00fe": "th",
    "\u00df": "ss",
    "\u1e9e": "SS",
    "\u00c6": "AE",
    "\u00e6": "ae",
    "\u0152": "OE",
    "\u0153": "oe",
    "\u0131": "i",
    "\u0126": "H",
    "\u0127": "h",
    "\u014a": "N",
    "\u014b": "n",
}
"""Latin letters that Unicode does not take apart into a letter and an accent."""
_WRITTEN = str.maketrans({**_MARKS, **_FRACTIONS, **_POWERS})
_FOLDED = str.maketrans(_LETTERS)


@dataclass(frozen=True)
class Token:
    """A word, a numeral (a decimal point kept, thousands commas dropped) or ``$``/``%``.

    Attributes:
        text: lower case.
        raw: as it stood.
        gap: what separates it from the token before.
    """

    text: str
    raw: str
    gap: Gap


def tokenize(text: str) -> list[Token]:
    """Split a text into tokens; accents are dropped, fillers ("uh") leave a comma's gap behind."""
    unaccented = to_ascii_letters(text.translate(_WRITTEN))
    found: list[Token] = []
    end, pause = 0, False
    for match in _TOKEN_PATTERN.finditer(unaccented):
        previous = found[-1].text if found else ""
        gap = _gap(unaccented[end : match.start()], previous)
        end = match.end()
        raw = match.group()
        if raw.lower() in _FILLERS:
            pause = True
            continue
        if pause and gap != ".":
            gap = ","
        pause = False
        lower = raw.lower().replace(",", "")
        if lower[0].isdigit() and lower.count(".") > 1:  # "541.555.0146": no decimals, but a number in groups
            first, *rest = lower.split(".")
            found += [Token(first, first, gap), *(Token(part, part, "-") for part in rest)]
        else:
            found.append(Token(lower, raw, gap))
    return found


def to_ascii_letters(text: str) -> str:
    """Return a text with plain letters for Latin ones with accents and strokes: "Łukasz Sørensen" Lukasz Sorensen."""
    taken_apart = unicodedata.normalize("NFKD", text.translate(_FOLDED))
    return "".join(char for char in taken_apart if not unicodedata.combining(char))


def _gap(between: str, previous: str) -> Gap:
    if between == " ":
        return " "
    spelled = len(previous) == 1 and previous.isalpha()
    if not between:
        return ""
    if "..." in between:
        return ","
    if re.search(r"[.!?;:]\W*\s|\n\s*\n", between):
        return " " if spelled and between.strip() == "." else "."
    if "," in between or re.search(r"\s-+\s", between):
        return ","
    return " " if any(char.isspace() for char in between) else "-"
