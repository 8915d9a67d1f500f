"""Values of a company's facts in recognised speech, best first; digits are taken as heard, never corrected or completed.

Identifiers and phone numbers are looked for in the text as a row of *pieces* (letters, words, digit groups) with the gaps
between them. A candidate is a stretch of pieces that matches the format as a whole, and it may begin and end only where a
number can: at a word, at a pause, between two written numbers, but not inside digits that were read out one by one. When
several facts are asked for at once, :func:`extract_all` shares the digits out among them.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .models import FactSpec
from .names import names_in
from .plain import MONTHS, normalise
from .spoken import NATO, Atom, atoms
from .values import canonical_date, canonical_enum, phonetic_key

__all__ = ["Candidate", "extract", "extract_all", "spoken_ids"]

_PHONE = r"1?\d{10}"
_ANY_ID = r"(?=[A-Z]*\d)[A-Z0-9]{3,}"
_SKIPPED = frozenset({"dash", "hyphen", "space", "minus"})
_LONGEST = 24
_LETTERS = {
    "ay": "A", "bee": "B", "be": "B", "see": "C", "sea": "C", "cee": "C", "dee": "D", "ee": "E", "eff": "F", "gee": "G",
    "aitch": "H", "eye": "I", "jay": "J", "kay": "K", "cay": "K", "ell": "L", "em": "M", "en": "N", "oh": "O", "pee": "P",
    "cue": "Q", "queue": "Q", "ar": "R", "are": "R", "ess": "S", "tee": "T", "tea": "T", "you": "U", "vee": "V", "ex": "X",
    "why": "Y", "wye": "Y", "zee": "Z", "zed": "Z",
}  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    """A value found in a text.

    Attributes:
        value: in capitals without spaces or punctuation (an id), or as ``541-555-0146``.
        start, end: the pieces it covers.
        rank: smaller is better.
    """

    value: str
    start: int
    end: int
    rank: tuple[int, ...]


def extract(spec: FactSpec, text: str, *, today: dt.date | None = None) -> list[str]:
    """Return the values of one fact that a text may hold, best first.

    Args:
        spec: the fact's type, and the format of an ``id`` or the choices of an ``enum``.
        text: what was recognised.
        today: places a date without a year; without it such a date is ``--08-03``.

    Returns:
        ids in capitals without spaces or punctuation, phone numbers as ``541-555-0146``, dates as ``2026-08-03``,
        numbers as digits, "true" and "false", names with capitals, the choices named, prose as it stands.
    """
    match spec.type:
        case "id":
            return spoken_ids(text, spec.format)
        case "phone":
            return _values(_candidates(_pieces(text), _PHONE, phone=True))
        case "date":
            return _dates(text, today)
        case "number":
            return _numbers(text)
        case "bool":
            return _bools(text)
        case "name":
            return names_in(text)
        case "enum" if spec.choices:
            return _choices(spec.choices, text)
        case _:
            return [text.strip()] if text.strip() else []


def spoken_ids(text: str, format: str | None) -> list[str]:
    """Return the identifiers of a format in a text, best first.

    Args:
        text: what was recognised.
        format: regular expression over capitals and digits without spaces or punctuation; None: three or more of them,
            letters before digits.
    """
    return _values(_candidates(_pieces(text), format or _ANY_ID))


def _values(candidates: Sequence[Candidate]) -> list[str]:
    return list(dict.fromkeys(candidate.value for candidate in candidates))


# ---- pieces -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Piece:
    """An atom, the ways to write it (the likeliest first), and how firmly the text is cut before it."""

    atom: Atom
    readings: tuple[str, ...]
    cut: int

    @property
    def digits(self) -> bool:
        return self.atom.number

    @property
    def letter(self) -> bool:
        return not self.atom.number and len(self.readings[0]) == 1


_PHRASE, _COMMA, _NUMBERS, _NONE = 3, 2, 1, 0


def _pieces(text: str) -> list[_Piece]:
    found: list[_Piece] = []
    stream = _without_examples([atom for atom in atoms(text) if atom.text not in _SKIPPED])
    for atom in stream:
        found.append(_Piece(atom, _readings(atom), _cut(found[-1] if found else None, atom)))
    return found


def _without_examples(stream: list[Atom]) -> list[Atom]:
    """Drop "as in kilo" after a letter."""
    found: list[Atom] = []
    at = 0
    while at < len(stream):
        words = [atom.text for atom in stream[at : at + 3]]
        if words[:2] == ["as", "in"] and len(words) == 3 and found and words[2][0] == found[-1].text[0]:
            at += 3
            continue
        found.append(stream[at])
        at += 1
    return found


def _readings(atom: Atom) -> tuple[str, ...]:
    if atom.number:
        digits = atom.text.replace(".", "")
        return (digits, "O") if atom.raw.lower() in {"o", "oh"} else (digits,)
    written = re.sub(r"[^A-Z]", "", atom.raw.upper())
    spoken = NATO.get(atom.text) or _LETTERS.get(atom.text)
    return (spoken, written) if spoken else (written or "?",)


def _cut(before: _Piece | None, atom: Atom) -> int:
    """Return how firmly a value may begin or end before this atom."""
    if before is None or atom.gap == ".":
        return _PHRASE
    if before.digits != atom.number:
        return _NONE if atom.gap in {"", "-"} or before.letter else _PHRASE
    if not atom.number:
        return _PHRASE
    if atom.gap == ",":
        return _COMMA
    written = not before.atom.spoken and not atom.spoken
    if atom.gap == " " and written and len(before.atom.text) > 1 and len(atom.text) > 1:
        return _NUMBERS
    return _NONE


# ---- candidates ---------------------------------------------------------------------------------------------------


def _candidates(pieces: Sequence[_Piece], format: str, *, phone: bool = False) -> list[Candidate]:
    """Return the stretches of pieces that match a format as a whole, best first."""
    pattern = re.compile(format)
    found: list[Candidate] = []
    for start in range(len(pieces)):
        length = 0
        for end in range(start + 1, len(pieces) + 1):
            if end - start > 1 and pieces[end - 1].atom.gap == ".":
                break
            length += min(len(reading) for reading in pieces[end - 1].readings)
            if length > _LONGEST:
                break
            firm = min(_cut_before(pieces, start), _cut_before(pieces, end))
            if firm == _NONE:
                continue
            for value in _readings_of(pieces[start:end]):
                if pattern.fullmatch(value):
                    owned = int(_letters_own(pieces, start))
                    shown = f"{value[-10:-7]}-{value[-7:-4]}-{value[-4:]}" if phone else value
                    found.append(Candidate(shown, start, end, (owned, -firm, start)))
                    break
    found += _misheard_letters(pieces, pattern, format)
    return sorted(found, key=lambda candidate: candidate.rank)


def _cut_before(pieces: Sequence[_Piece], at: int) -> int:
    """Return how firmly the text is cut before a piece; a number after letters may not begin there."""
    if at == len(pieces):
        return _PHRASE
    piece = pieces[at]
    if piece.cut == _NONE and at and not piece.digits and pieces[at - 1].digits and piece.atom.gap == " ":
        return _PHRASE
    return piece.cut


def _letters_own(pieces: Sequence[_Piece], start: int) -> bool:
    """Whether the number that ``start`` is in the middle of was begun by letters: "K E four, [five six]"."""
    at = start
    while at and pieces[at].digits and pieces[at].atom.gap != "." and pieces[at - 1].digits:
        at -= 1
    return at < start and at > 0 and pieces[at].digits and pieces[at].atom.gap != "." and pieces[at - 1].letter


def _readings_of(pieces: Sequence[_Piece]) -> list[str]:
    choices = [piece.readings for piece in pieces]
    return ["".join(reading) for reading in itertools.islice(itertools.product(*choices), 64)]


def _misheard_letters(pieces: Sequence[_Piece], pattern: re.Pattern[str], format: str) -> list[Candidate]:
    """Return ids whose fixed letters were lost or heard as a word of the same sound; their digits are as heard."""
    prefix = re.match(r"(?:[A-Z](?![?*+{]))+", format)
    if prefix is None:
        return []
    found = []
    for start, end in _digit_runs(pieces):
        value = prefix[0] + "".join(piece.readings[0] for piece in pieces[start:end])
        if not pattern.fullmatch(value):
            continue
        for words in (2, 1):
            heard = "".join(piece.atom.text for piece in pieces[max(0, start - words) : start] if not piece.digits)
            if len(heard) <= 5 and heard and phonetic_key(heard) == phonetic_key(prefix[0]):
                found.append(Candidate(value, start - words, end, (2, 0, start)))
                break
        else:
            if start == 0 or pieces[start].atom.gap == "." or not _spelling(pieces[start - 1]):
                found.append(Candidate(value, start, end, (3, 0, start)))
    return found


def _spelling(piece: _Piece) -> bool:
    """Whether a piece before a number is letters of it rather than a word of the sentence."""
    return piece.letter or len(piece.atom.raw) <= 3 and piece.atom.raw.isupper()


def _digit_runs(pieces: Sequence[_Piece]) -> list[tuple[int, int]]:
    """Return the longest stretches of digits that no word and no firm cut divides."""
    runs: list[tuple[int, int]] = []
    for index, piece in enumerate(pieces):
        if not piece.digits:
            continue
        if runs and runs[-1][1] == index and piece.atom.gap != ".":
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs


# ---- several facts in one utterance -------------------------------------------------------------------------------


def extract_all(specs: Mapping[str, FactSpec], text: str, *, today: dt.date | None = None) -> dict[str, list[str]]:
    """Return the values of several facts in one text, so that no digit serves two of them.

    Args:
        specs: the facts asked for, in the order asked, which decides where the formats do not.
        text: what was recognised.
        today: as in :func:`extract`.

    Returns:
        for each fact the values as :func:`extract` gives them, the one that fits beside the others first; values whose
        digits another fact took are left out.
    """
    pieces = _pieces(text)
    options: dict[str, list[Candidate]] = {}
    for name, spec in specs.items():
        if spec.type in {"id", "phone"}:
            format = _PHONE if spec.type == "phone" else spec.format or _ANY_ID
            options[name] = _candidates(pieces, format, phone=spec.type == "phone")
    _share_runs(pieces, specs, options)
    chosen = _fit(list(options), options)
    taken = set().union(*(range(one.start, one.end) for one in chosen.values()))
    values: dict[str, list[str]] = {}
    for name, spec in specs.items():
        if name in options:
            free = [one for one in options[name] if not taken.intersection(range(one.start, one.end))]
            values[name] = _values(([chosen[name]] if name in chosen else []) + free)
        else:
            values[name] = extract(spec, text, today=today)
    return values


def _share_runs(pieces: Sequence[_Piece], specs: Mapping[str, FactSpec], options: dict[str, list[Candidate]]) -> None:
    """Add the candidates of digits read on without a pause that two or three facts share exactly."""
    formats = {name: specs[name].format for name in options if specs[name].format}
    for start, end in _digit_runs(pieces):
        digits = [piece.readings[0] for piece in pieces[start:end]]
        bounds = [start + index for index in range(end - start + 1)]
        for count in (2, 3):
            for names in itertools.permutations(formats, count):
                cuts = _tile("".join(digits), [formats[name] or "" for name in names])
                if cuts is None:
                    continue
                _add_tiles(digits, bounds, names, cuts, options)
                return


def _tile(digits: str, formats: Sequence[str]) -> list[str] | None:
    """Return the digits cut into one part a format, when there is exactly one way, else None."""
    ways = []
    for cuts in itertools.combinations(range(1, len(digits)), len(formats) - 1):
        edges = [0, *cuts, len(digits)]
        parts = [digits[left:right] for left, right in itertools.pairwise(edges)]
        if all(re.fullmatch(format, part) for format, part in zip(formats, parts, strict=True)):
            ways.append(parts)
    return ways[0] if len(ways) == 1 else None


def _add_tiles(
    digits: Sequence[str],
    bounds: Sequence[int],
    names: Sequence[str],
    parts: Sequence[str],
    options: dict[str, list[Candidate]],
) -> None:
    ends = list(itertools.accumulate(len(group) for group in digits))
    at = 0
    for name, part in zip(names, parts, strict=True):
        first = next(index for index, end in enumerate(ends) if end > at)
        last = next(index for index, end in enumerate(ends) if end >= at + len(part))
        at += len(part)
        options[name].append(Candidate(part, bounds[first], bounds[last] + 1, (4, 0, bounds[first])))


def _fit(names: Sequence[str], options: Mapping[str, Sequence[Candidate]]) -> dict[str, Candidate]:
    """Return the choice of candidates without overlap that serves the most facts, by the best ranks."""
    best: dict[str, Candidate] = {}
    best_score: tuple[int, ...] = (0,)
    for choice in itertools.product(*([None, *options[name][:5]] for name in names)):
        picked = {name: one for name, one in zip(names, choice, strict=True) if one is not None}
        spans = sorted((one.start, one.end) for one in picked.values())
        if any(left[1] > right[0] for left, right in itertools.pairwise(spans)):
            continue
        order = sum(a.start > b.start for a, b in itertools.combinations(picked.values(), 2))
        score = (
            len(picked),
            -sum(one.rank[0] for one in picked.values()),
            -order,
            -sum(one.rank[1] for one in picked.values()),
        )
        if score > best_score:
            best, best_score = picked, score
    return best


# ---- the other types ----------------------------------------------------------------------------------------------


def _dates(text: str, today: dt.date | None) -> list[str]:
    found = re.findall(rf"\b(?:{'|'.join(MONTHS)}) \d{{1,2}}(?: \d{{4}})?\b", normalise(text))
    dates = [canonical_date(one, today) for one in found]
    return list(dict.fromkeys(date for date in dates if date is not None))


def _numbers(text: str) -> list[str]:
    """Return numbers, amounts of money first; "forty four ninety nine" may be 44.99 or 4499."""
    plain = normalise(text)
    found = re.findall(r"\b(\d+(?:\.\d+)?) dollars?\b", plain)
    stream = atoms(text)
    for left, right in itertools.pairwise(stream):
        if left.spoken and right.spoken and right.gap in {" ", "-"} and len(left.text) <= 3 and len(right.text) == 2:
            price = f"{left.text}.{right.text}"
            if f"{left.text}{right.text}" in plain.split() and not right.digitwise and not left.digitwise:
                found.append(price)
    found += re.findall(r"(?<![\d.])\d+(?:\.\d+)?(?![\d.])", plain)
    if not found and re.search(r"\bone\b", plain):
        found = ["1"]
    return list(dict.fromkeys(found))


def _bools(text: str) -> list[str]:
    words = normalise(text).split()
    found = [
        ("true" if word in {"yes", "yeah", "yep", "yup", "correct", "right", "sure", "true"} else "false")
        for word in words
        if re.fullmatch(r"yes|yeah|yep|yup|correct|right|sure|true|no|nope|not|false|dont|isnt|wasnt|didnt", word)
    ]
    if "false" in found and found[0] == "true" and words[0] not in {"yes", "yeah", "yep", "yup"}:
        return ["false"]
    return list(dict.fromkeys(found[:1]))


def _choices(choices: Sequence[str], text: str) -> list[str]:
    plain = f"_{canonical_enum(text)}_"
    places = {choice: plain.find(f"_{canonical_enum(choice)}_") for choice in choices}
    return sorted((choice for choice in choices if places[choice] >= 0), key=lambda choice: places[choice])
