"""Recognised speech as letters and digits, in which identifiers and phone numbers are looked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from voicebench.language.itn import set_dates_apart
from voicebench.language.number_words import NATO, TaggedToken, tag_numbers
from voicebench.language.values import nato_letter

__all__ = [
    "COMMA",
    "NONE",
    "NUMBERS",
    "PHRASE",
    "AlphanumericToken",
    "alphanumeric_tokens",
    "cut_before",
    "number_runs",
]

NONE, NUMBERS, COMMA, PHRASE = range(4)
"""How firmly a text is cut between two tokens: inside what was read as one, between two written numbers, at a comma, at
a word or the end of a phrase."""

_SKIPPED = frozenset({"dash", "hyphen", "space", "minus"})
_JOINERS = frozenset({"and", "then", "again"})
_AMOUNTS = frozenset({"dollar", "dollars", "cent", "cents", "percent"})
_LETTERS = {
    sound: letter
    for letter, sounds in {
        "A": "ay",
        "B": "bee be",
        "C": "see sea cee",
        "D": "dee",
        "E": "ee",
        "F": "eff",
        "G": "gee",
        "H": "aitch",
        "I": "eye",
        "J": "jay",
        "K": "kay cay",
        "L": "ell el",
        "M": "em",
        "N": "en",
        "O": "oh",
        "P": "pee pea",
        "Q": "cue queue",
        "R": "ar are",
        "S": "ess",
        "T": "tee tea",
        "U": "you",
        "V": "vee",
        "X": "ex",
        "Y": "why wye",
        "Z": "zee zed",
    }.items()
    for sound in sounds.split()
}


@dataclass(frozen=True)
class AlphanumericToken:
    """A word or number as part of an identifier.

    Attributes:
        token: the word or number.
        readings: ways to write it in capitals and digits, the likeliest first; "?" when there is none.
        letter: a single letter that was spelled, rather than a word.
        at: how many characters of first readings stand before it.
    """

    token: TaggedToken
    readings: tuple[str, ...]
    letter: bool
    at: int

    @property
    def digits(self) -> bool:
        """Whether it is a number."""
        return self.token.number

    @property
    def spelled(self) -> bool:
        """Whether it is letters rather than a word: single ones, or a few capitals."""
        raw = self.token.raw
        return self.letter or (2 <= len(raw) <= 4 and raw.isalpha() and raw.isupper())

    @property
    def end(self) -> int:
        """Where its first reading ends, in characters."""
        return self.at + len(self.readings[0])


@lru_cache(maxsize=1024)  # a text is looked through once for each kind of identifier
def alphanumeric_tokens(text: str) -> tuple[AlphanumericToken, ...]:
    """Read a text as letters and digits; dates, amounts of money and "as in kilo" are no part of any identifier."""
    stream = [token for token in set_dates_apart(tag_numbers(text)) if token.text not in _SKIPPED]
    stream = drop_joiners(drop_examples(stream))
    names = _names_of_letters(stream)
    single = [
        bool(name) or (not token.number and len(token.text) == 1) for token, name in zip(stream, names, strict=True)
    ]
    found: list[AlphanumericToken] = []
    for index, token in enumerate(stream):
        neighbours = single[max(0, index - 1) : index] + single[index + 1 : index + 2]
        letter = single[index] and (any(neighbours) or (len(token.text) == 1 and token.text not in {"a", "i"}))
        at = found[-1].end if found else 0
        after = stream[index + 1] if index + 1 < len(stream) else None
        if token.number and after is not None and after.text in _AMOUNTS:
            token = TaggedToken(token.text, "", token.gap)
        before_number = after is not None and after.number and after.gap != "."
        if token.text == "for" and before_number and (index == 0 or token.gap == "." or stream[index - 1].number):
            readings: tuple[str, ...] = ("4", "FOR")  # a digit by its place: after a number, or where a phrase begins
        else:
            readings = _readings(token, names[index])
        found.append(AlphanumericToken(token, readings, letter, at))
    return tuple(found)


def _names_of_letters(stream: Sequence[TaggedToken]) -> list[str | None]:
    """Return the letter that each token is a name of ("kilo"), or None.

    A name written by its sound counts next to another name, or joined to a number.
    """
    found: list[str | None] = []
    for index, token in enumerate(stream):
        before = stream[max(0, index - 1) : index]
        near = any(one.text in NATO for one in [*before, *stream[index + 1 : index + 2]])
        joined = token.gap in {"", "-"} and any(one.number for one in before)
        found.append(nato_letter(token.text) if token.text in NATO or near or joined else None)
    return found


def drop_examples(stream: list[TaggedToken]) -> list[TaggedToken]:
    """Drop "as in kilo" after a letter, and the second half of "x-ray"."""
    found: list[TaggedToken] = []
    at = 0
    while at < len(stream):
        words = [token.text for token in stream[at : at + 3]]
        if words[:2] == ["as", "in"] and len(words) == 3 and found and words[2][0] == found[-1].text[0]:
            at += 3
            continue
        if words[:1] == ["ray"] and found and found[-1].text == "x":
            at += 1
            continue
        found.append(stream[at])
        at += 1
    return found


def drop_joiners(stream: list[TaggedToken]) -> list[TaggedToken]:
    """Drop "then", "and then" and "again" inside a reading, and "and" between letters; a comma's gap is left."""
    found: list[TaggedToken] = []
    at = 0
    while at < len(stream):
        end = at
        while end < len(stream) and stream[end].text in _JOINERS:
            end += 1
        words = {token.text for token in stream[at:end]}
        inside = end > at and at > 0 and end < len(stream) and _part(found[-1]) and _part(stream[end])
        letters = inside and not found[-1].number and not stream[end].number
        if inside and (words != {"and"} or letters):
            found.append(replace(stream[end], gap="." if stream[end].gap == "." else " " if letters else ","))
            at = end + 1
        else:
            found.append(stream[at])
            at += 1
    return found


def _part(token: TaggedToken) -> bool:
    return token.number or len(token.text) == 1 or token.text in NATO


def _readings(token: TaggedToken, letter: str | None) -> tuple[str, ...]:
    if token.number:
        digits = token.text.replace(".", "")
        repeated = re.fullmatch(r"(?:double|triple|treble) ((\d)\2\d*)", token.raw.lower())
        if repeated:  # "double 33" may be "double three, three", or "double three" that was written out
            return digits, repeated[1]
        return (digits, "O") if token.raw.lower() in {"o", "oh"} else (digits,)
    written = re.sub(r"[^A-Z]", "", token.raw.upper()) or "?"
    if letter:
        return letter, written
    return (written, _LETTERS[token.text]) if token.text in _LETTERS else (written,)


def cut_before(row: Sequence[AlphanumericToken], at: int) -> int:
    """Return how firmly a value may begin or end before token ``at``."""
    if at in {0, len(row)}:
        return PHRASE
    before, here = row[at - 1], row[at]
    gap = here.token.gap
    if gap == ".":
        return PHRASE
    if before.digits != here.digits:
        letters = 0
        while at > letters and row[at - 1 - letters].letter:
            letters += 1
        # One or two letters are the number's own.
        if row[at].token.gap in {"", "-"} or 1 <= letters <= 2:
            return NONE
        return COMMA if letters else PHRASE
    if not here.digits:
        return NONE if gap == "" else PHRASE
    if gap == ",":
        return NONE if _alone(row, at - 1) and _alone(row, at) else COMMA
    both_spoken = before.token.spoken and here.token.spoken
    whole = all(one.token.spoken or len(one.token.text) > 1 for one in (before, here))  # no digit read out among others
    return NUMBERS if gap == " " and whole and not both_spoken else NONE


def _alone(row: Sequence[AlphanumericToken], at: int) -> bool:
    """Whether a digit stands between commas, as all do in "nine, four, one"."""
    after = row[at + 1] if at + 1 < len(row) else None
    joined = row[at].token.gap not in {",", "."} and at > 0 and row[at - 1].digits
    return (
        len(row[at].token.text) == 1
        and not joined
        and not (after and after.digits and after.token.gap not in {",", "."})
    )


def number_runs(row: Sequence[AlphanumericToken], *, letters: bool) -> list[tuple[int, int]]:
    """Return the longest stretches of numbers that neither a word nor the end of a phrase divides.

    Args:
        row: the text.
        letters: whether spelled letters belong to a stretch.
    """
    runs: list[tuple[int, int]] = []
    for index, one in enumerate(row):
        if not one.digits and not (letters and one.spelled):
            continue
        if runs and runs[-1][1] == index and one.token.gap != ".":
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs
