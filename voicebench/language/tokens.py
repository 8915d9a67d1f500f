"""Recognised speech as a row of pieces in which identifiers and phone numbers are looked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from voicebench.language.itn import set_dates_apart
from voicebench.language.number_words import NATO, Atom, atoms
from voicebench.language.values import nato_letter

__all__ = ["COMMA", "NONE", "NUMBERS", "PHRASE", "Piece", "cut_before", "digit_runs", "pieces", "spelled_runs"]

NONE, NUMBERS, COMMA, PHRASE = range(4)
"""How firmly a text is cut between two pieces: inside what was read as one, between two written numbers, at a comma, at
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
class Piece:
    """An atom as part of an identifier.

    Attributes:
        atom: the word or number.
        readings: ways to write it in capitals and digits, the likeliest first; "?" when there is none.
        letter: a single letter that was spelled, rather than a word.
        at: how many characters of first readings stand before it.
    """

    atom: Atom
    readings: tuple[str, ...]
    letter: bool
    at: int

    @property
    def digits(self) -> bool:
        """Whether it is a number."""
        return self.atom.number

    @property
    def spelled(self) -> bool:
        """Whether it is letters rather than a word: single ones, or a few capitals."""
        raw = self.atom.raw
        return self.letter or (2 <= len(raw) <= 4 and raw.isalpha() and raw.isupper())

    @property
    def end(self) -> int:
        """Where its first reading ends, in characters."""
        return self.at + len(self.readings[0])


def pieces(text: str) -> list[Piece]:
    """Return the pieces of a text; dates, amounts of money and "as in kilo" are no part of any identifier."""
    stream = [atom for atom in set_dates_apart(atoms(text)) if atom.text not in _SKIPPED]
    stream = _without_joiners(_without_examples(stream))
    names = _names_of_letters(stream)
    single = [bool(name) or (not atom.number and len(atom.text) == 1) for atom, name in zip(stream, names, strict=True)]
    found: list[Piece] = []
    for index, atom in enumerate(stream):
        beside = single[max(0, index - 1) : index] + single[index + 1 : index + 2]
        letter = single[index] and (any(beside) or (len(atom.text) == 1 and atom.text not in {"a", "i"}))
        at = found[-1].end if found else 0
        if atom.number and index + 1 < len(stream) and stream[index + 1].text in _AMOUNTS:
            atom = Atom(atom.text, "", atom.gap)
        readings = ("4", "FOR") if _is_four(stream, index) else _readings(atom, names[index])
        found.append(Piece(atom, readings, letter, at))
    return found


def _is_four(stream: Sequence[Atom], at: int) -> bool:
    """Whether a "for" is a digit by its place: right before a number, after another one or where a phrase begins."""
    if stream[at].text != "for" or at + 1 == len(stream) or not stream[at + 1].number or stream[at + 1].gap == ".":
        return False
    return at == 0 or stream[at].gap == "." or stream[at - 1].number


def _names_of_letters(stream: Sequence[Atom]) -> list[str | None]:
    """Return the letter that each atom is a name of ("kilo"), or None.

    A name written by its sound counts beside another name, or joined to a number.
    """
    found: list[str | None] = []
    for index, atom in enumerate(stream):
        before = stream[max(0, index - 1) : index]
        beside = any(one.text in NATO for one in [*before, *stream[index + 1 : index + 2]])
        joined = atom.gap in {"", "-"} and any(one.number for one in before)
        found.append(nato_letter(atom.text) if atom.text in NATO or beside or joined else None)
    return found


def _without_examples(stream: list[Atom]) -> list[Atom]:
    """Drop "as in kilo" after a letter, and the second half of "x-ray"."""
    found: list[Atom] = []
    at = 0
    while at < len(stream):
        words = [atom.text for atom in stream[at : at + 3]]
        if words[:2] == ["as", "in"] and len(words) == 3 and found and words[2][0] == found[-1].text[0]:
            at += 3
            continue
        if words[:1] == ["ray"] and found and found[-1].text == "x":
            at += 1
            continue
        found.append(stream[at])
        at += 1
    return found


def _without_joiners(stream: list[Atom]) -> list[Atom]:
    """Drop "then", "and then" and "again" inside a reading, and "and" between letters; a comma's gap is left."""
    found: list[Atom] = []
    at = 0
    while at < len(stream):
        end = at
        while end < len(stream) and stream[end].text in _JOINERS:
            end += 1
        words = {atom.text for atom in stream[at:end]}
        inside = end > at and at > 0 and end < len(stream) and _part(found[-1]) and _part(stream[end])
        letters = inside and not found[-1].number and not stream[end].number
        if inside and (words != {"and"} or letters):
            found.append(replace(stream[end], gap="." if stream[end].gap == "." else " " if letters else ","))
            at = end + 1
        else:
            found.append(stream[at])
            at += 1
    return found


def _part(atom: Atom) -> bool:
    return atom.number or len(atom.text) == 1 or atom.text in NATO


def _readings(atom: Atom, letter: str | None) -> tuple[str, ...]:
    if atom.number:
        digits = atom.text.replace(".", "")
        repeated = re.fullmatch(r"(?:double|triple|treble) ((\d)\2\d*)", atom.raw.lower())
        if repeated:  # "double 33" may be "double three, three", or "double three" that was written out
            return digits, repeated[1]
        return (digits, "O") if atom.raw.lower() in {"o", "oh"} else (digits,)
    written = re.sub(r"[^A-Z]", "", atom.raw.upper()) or "?"
    if letter:
        return letter, written
    return (written, _LETTERS[atom.text]) if atom.text in _LETTERS else (written,)


def cut_before(row: Sequence[Piece], at: int) -> int:
    """Return how firmly a value may begin or end before piece ``at``."""
    if at in {0, len(row)}:
        return PHRASE
    before, here = row[at - 1], row[at]
    gap = here.atom.gap
    if gap == ".":
        return PHRASE
    if before.digits != here.digits:
        return _cut_at_letters(row, at)
    if not here.digits:
        return NONE if gap == "" else PHRASE
    if gap == ",":
        return NONE if _alone(row, at - 1) and _alone(row, at) else COMMA
    return NUMBERS if gap == " " and _two_numbers(before.atom, here.atom) else NONE


def _cut_at_letters(row: Sequence[Piece], at: int) -> int:
    """Return how firmly letters or a word are cut from a number; one or two letters are the number's own."""
    letters = 0
    while at > letters and row[at - 1 - letters].letter:
        letters += 1
    if row[at].atom.gap in {"", "-"} or 1 <= letters <= 2:
        return NONE
    return COMMA if letters else PHRASE


def _alone(row: Sequence[Piece], at: int) -> bool:
    """Whether a digit stands between commas, as all do in "nine, four, one"."""
    after = row[at + 1] if at + 1 < len(row) else None
    joined = row[at].atom.gap not in {",", "."} and at > 0 and row[at - 1].digits
    return (
        len(row[at].atom.text) == 1 and not joined and not (after and after.digits and after.atom.gap not in {",", "."})
    )


def _two_numbers(left: Atom, right: Atom) -> bool:
    """Whether two numbers with a space between may be two values: neither is a digit read out among others."""
    if left.spoken and right.spoken:
        return False
    return all(atom.spoken or len(atom.text) > 1 for atom in (left, right))


def digit_runs(row: Sequence[Piece]) -> list[tuple[int, int]]:
    """Return the longest stretches of numbers that neither a word nor the end of a phrase divides."""
    return _runs(row, [piece.digits for piece in row])


def spelled_runs(row: Sequence[Piece]) -> list[tuple[int, int]]:
    """Return the longest stretches of numbers and spelled letters that neither a word nor a phrase's end divides."""
    return _runs(row, [piece.digits or piece.spelled for piece in row])


def _runs(row: Sequence[Piece], wanted: Sequence[bool]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for index, piece in enumerate(row):
        if not wanted[index]:
            continue
        if runs and runs[-1][1] == index and piece.atom.gap != ".":
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs
