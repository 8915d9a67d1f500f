"""Values of a company's facts in recognised speech, best first; digits are taken as heard, never corrected.

A candidate for an identifier or a phone number is a stretch of letters and digits that matches the format whole. It may
begin and end only where a number can: at a word, at a pause, between two written numbers, but not inside digits that
were read out one by one. When several facts are asked for at once, :func:`extract_all` shares the digits out among
them.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from voicebench.language.alphanumerics import (
    NONE,
    AlphanumericToken,
    alphanumeric_tokens,
    cut_before,
    number_runs,
)
from voicebench.language.names import names_in
from voicebench.language.slots import FactSpec, FactType
from voicebench.language.value_mentions import bools_in, choices_in, dates_in, numbers_in
from voicebench.language.values import phonetic_key

__all__ = ["extract", "extract_all", "spoken_ids"]

_PHONE = r"1?\d{10}"
# three or more letters and digits with at least one digit: a company without a format of its own
_ANY_ID = r"(?=[A-Z]*\d)[A-Z0-9]{3,}"
# No identifier of a company is longer; without a bound every pair of places in a long turn would be tried.
_LONGEST = 24
# A stretch with six tokens of two readings each has 64; more readings than that are words, not letters.
_MOST_READINGS = 64
_LONGEST_LETTERS = 5  # "kay ee" for K E; a longer word is a word of the sentence
# Doubt of an identifier whose letters were heard as another word, or were not heard at all: behind every one that was
# heard whole, whose doubt counts the phrase ends inside it.
_MISHEARD, _BARE = 4, 5
_CUT_NUMERAL, _CUT_READING, _CUT_HYPHEN, _DISORDER = 4, 3, 1, 2
"""What speaks against sharing digits out in this way: cuts where there is no pause, facts out of the order asked."""


@dataclass(frozen=True)
class _Candidate:
    """A value found in a text, and the characters it covers.

    Attributes:
        doubt: 0 when nothing speaks against it.
        firm: how firmly the text is cut around it.
    """

    value: str
    start: int
    end: int
    doubt: int
    firm: int = NONE

    def contains(self, other: _Candidate) -> bool:
        """Whether this one covers another, shorter one."""
        return self.start <= other.start and other.end <= self.end and len(other.value) < len(self.value)

    def overlaps(self, other: _Candidate) -> bool:
        """Whether both cover some character."""
        return self.start < other.end and other.start < self.end


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
        case "id" | "phone":
            return _values(_candidates(text, spec.type, _format(spec)))
        case "date":
            return dates_in(text, today)
        case "number":
            return numbers_in(text)
        case "bool":
            return bools_in(text)
        case "name":
            return names_in(text)
        case "enum" if spec.choices:
            return choices_in(text, spec.choices)
        case _:
            return [text.strip()] if text.strip() else []


def spoken_ids(text: str, format: str | None) -> list[str]:
    """Return the identifiers of a format in a text, best first.

    Args:
        text: what was recognised.
        format: regular expression over capitals and digits without spaces or punctuation; None: three or more of them,
            letters before digits.
    """
    return extract(FactSpec(type="id", question="", format=format), text)


def _values(candidates: Iterable[_Candidate]) -> list[str]:
    return list(dict.fromkeys(candidate.value for candidate in candidates))


# ---- identifiers and phone numbers --------------------------------------------------------------------------------


def _format(spec: FactSpec) -> str:
    return _PHONE if spec.type == "phone" else spec.format or _ANY_ID


def _shown(type: FactType, value: str) -> str:
    return f"{value[-10:-7]}-{value[-7:-4]}-{value[-4:]}" if type == "phone" else value


@lru_cache(maxsize=4096)  # a turn is looked through by the caller, its shadow and the metrics, for each fact
def _candidates(text: str, type: FactType, format: str) -> tuple[_Candidate, ...]:
    """Return the stretches of letters and digits that match a fact's format as a whole, best first."""
    row: Sequence[AlphanumericToken] = alphanumeric_tokens(text)
    pattern = re.compile(format)
    any_id = format == _ANY_ID
    if any_id:  # a word of the sentence is no part of an identifier whose format is not known
        row = [one if one.digits or one.spelled else replace(one, readings=("?",)) for one in row]
    found = _misheard_letters(row, pattern)
    for start, end in _stretches(row):
        firm = min(cut_before(row, start), cut_before(row, end))
        ways = itertools.islice(itertools.product(*(one.readings for one in row[start:end])), _MOST_READINGS)
        value = next((value for value in map("".join, ways) if pattern.fullmatch(value)), None)
        if value is not None:
            crossed = sum(one.token.gap == "." for one in row[start + 1 : end])
            doubt = crossed + _begun_by_letters(row, start)
            found.append(_Candidate(_shown(type, value), row[start].at, row[end - 1].end, doubt, firm))
    if any_id:
        found = [one for one in found if not any(other.contains(one) for other in found)]
    return tuple(sorted(found, key=lambda candidate: (candidate.doubt, -candidate.firm, candidate.start)))


def _stretches(row: Sequence[AlphanumericToken]) -> Iterable[tuple[int, int]]:
    """Yield where a value may begin and end."""
    for start in range(len(row)):
        if cut_before(row, start) == NONE:
            continue
        length = 0
        for end in range(start + 1, len(row) + 1):
            length += min(len(reading) for reading in row[end - 1].readings)
            if length > _LONGEST:
                break
            if cut_before(row, end) != NONE:
                yield start, end


def _begun_by_letters(row: Sequence[AlphanumericToken], start: int) -> bool:
    """Whether a number that begins at ``start`` belongs to letters before it: "K E four, [five six]"."""
    at = start
    while at and row[at].digits and row[at].token.gap != "." and row[at - 1].digits:
        at -= 1
    return at > 0 and row[at].digits and row[at].token.gap != "." and row[at - 1].letter


def _misheard_letters(row: Sequence[AlphanumericToken], pattern: re.Pattern[str]) -> list[_Candidate]:
    """Return ids whose fixed letters were lost or heard as a word of the same sound; their digits are as heard."""
    prefix = re.match(r"(?:[A-Z](?![?*+{]))+", pattern.pattern)
    if prefix is None:
        return []
    found = []
    for start, end in number_runs(row, letters=False):
        value = prefix[0] + "".join(one.readings[0] for one in row[start:end])
        if not pattern.fullmatch(value):
            continue
        before = [row[max(0, start - count) : start] for count in (2, 1)]
        alike: Sequence[AlphanumericToken] = ()
        for words in before:
            heard = "".join(word.token.text for word in words)
            if not alike and heard.isalpha() and len(heard) <= _LONGEST_LETTERS:
                alike = words if phonetic_key(heard) == phonetic_key(prefix[0]) else ()
        gap = row[start].token.gap
        attached = start > 0 and gap != "." and (row[start - 1].spelled or gap in {"", "-"})
        if alike:
            found.append(_Candidate(value, alike[0].at, row[end - 1].end, _MISHEARD))
        elif not attached:  # to letters of its own, rather than to a word of the sentence
            found.append(_Candidate(value, row[start].at, row[end - 1].end, _BARE))
    return found


# ---- several facts in one utterance -------------------------------------------------------------------------------


def extract_all(specs: Mapping[str, FactSpec], text: str, *, today: dt.date | None = None) -> dict[str, list[str]]:
    """Return the values of several facts in one text, so that no digit serves two of them.

    Args:
        specs: the facts asked for, in the order asked, which decides where the formats do not.
        text: what was recognised.
        today: as in :func:`extract`.

    Returns:
        for each fact the values as :func:`extract` gives them, the one that fits together with the others first;
        values whose digits another fact took are left out.
    """
    row = alphanumeric_tokens(text)
    numbers = {name: spec for name, spec in specs.items() if spec.type in {"id", "phone"}}
    chosen: dict[str, _Candidate] = {}
    for start, end in dict.fromkeys([*number_runs(row, letters=True), *number_runs(row, letters=False)]):
        if not any(one.overlaps(_Candidate("", row[start].at, row[end - 1].end, 0)) for one in chosen.values()):
            chosen |= _share(row, start, end, {name: spec for name, spec in numbers.items() if name not in chosen})
    options = {
        name: [
            one
            for one in _candidates(text, spec.type, _format(spec))
            if not any(one.overlaps(other) for other in chosen.values())
        ]
        for name, spec in numbers.items()
    }
    chosen |= _fit({name: found for name, found in options.items() if name not in chosen})
    values: dict[str, list[str]] = {}
    for name, spec in specs.items():
        if name not in options:
            values[name] = extract(spec, text, today=today)
            continue
        others = [one for other, one in chosen.items() if other != name]
        free = [one for one in options[name] if not any(one.overlaps(other) for other in others)]
        values[name] = _values([chosen[name], *free] if name in chosen else free)
    return values


def _share(
    row: Sequence[AlphanumericToken], start: int, end: int, specs: Mapping[str, FactSpec]
) -> dict[str, _Candidate]:
    """Share a run of letters and digits out among two or more facts whose formats cover it from end to end.

    Of several ways the one with the firmest cuts is taken; where the cuts say nothing, the order asked decides.
    """
    text = "".join(one.readings[0] for one in row[start:end])
    formats = {name: _format(spec) for name, spec in specs.items() if spec.format or spec.type == "phone"}
    cuts = {}
    for index in range(start, end):
        inside = _CUT_HYPHEN if row[index].token.gap == "-" else _CUT_READING
        cuts[row[index].at - row[start].at] = inside if cut_before(row, index) == NONE else 0
    best: dict[str, str] = {}
    best_cost = 10**6
    for tiling in _tilings(text, formats):
        edges = list(itertools.accumulate(len(part) for part in tiling.values()))[:-1]
        order = [list(formats).index(name) for name in tiling]
        cost = sum(cuts.get(edge, _CUT_NUMERAL) for edge in edges)
        cost += _DISORDER * sum(left > right for left, right in itertools.combinations(order, 2))
        if len(tiling) > 1 and cost < best_cost:
            best, best_cost = tiling, cost
    found = {}
    at = row[start].at
    for name, part in best.items():
        found[name] = _Candidate(_shown(specs[name].type, part), at, at + len(part), 0)
        at += len(part)
    return found


def _tilings(text: str, formats: Mapping[str, str]) -> Iterable[dict[str, str]]:
    """Yield the ways to cut a text into one part for each of some formats; keys in the order of the parts."""
    if not text:
        yield {}
    for name, format in formats.items():
        others = {other: one for other, one in formats.items() if other != name}
        for end in range(1, min(len(text), _LONGEST) + 1):
            if re.fullmatch(format, text[:end]):
                for rest in _tilings(text[end:], others):
                    yield {name: text[:end], **rest}


def _fit(options: Mapping[str, Sequence[_Candidate]]) -> dict[str, _Candidate]:
    """Return the choice without overlap that serves the most facts, with the least doubt, then in the order asked."""
    best: dict[str, _Candidate] = {}
    best_score: tuple[float, ...] = (0,)
    length = max((one.end for found in options.values() for one in found), default=0)
    places = {name: index * length / len(options) for index, name in enumerate(options)}
    for choice in itertools.product(*([None, *found[:4]] for found in options.values())):
        picked = {name: one for name, one in zip(options, choice, strict=True) if one is not None}
        pairs = list(itertools.combinations(picked.values(), 2))
        if any(left.overlaps(right) for left, right in pairs):
            continue
        doubt, firm = sum(one.doubt for one in picked.values()), sum(one.firm for one in picked.values())
        disorder = sum(left.start > right.start for left, right in pairs)
        displaced = sum(abs(one.start - places[name]) for name, one in picked.items())
        score = (len(picked), -doubt, -disorder, firm, -displaced)
        if score > best_score:
            best, best_score = picked, score
    return best
