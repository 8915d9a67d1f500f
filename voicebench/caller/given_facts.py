"""Whether a caller's words give a fact, whole or in part, and the other ways to say a date that its task holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

from voicebench.language.caller_acts import with_ordinals
from voicebench.language.itn import normalise
from voicebench.language.readback import facts_in
from voicebench.language.slots import Fact, FactSpec

__all__ = ["as_corrected", "gives_fact", "names_first_day", "ways_to_say_dates", "wrong_first_names"]

_NO_FIRST_NAME = frozenset(
    re.findall(
        r"\w+",
        "mr mrs ms miss mister doctor dr yes yeah sure and no okay its so well the name last im thats surname",
    )
)
"""What may stand before a last name."""
_WEEKDAYS = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b")
_CORRECTED = re.compile(
    r"(?:,|\.\.\.|\u2026|\s[-\u2013\u2014])\s*(?:(?:ah|oh|uh|um|er)\s)?"
    r"(?:no|wait|sorry|i mean|rather|make that|scratch that)\b"
    r"(?:[,\s]+(?:no|wait|sorry|i mean|it's|make that))*[,\s]+",
    re.IGNORECASE,
)
"""Where a speaker takes back a part of what was just said."""


def as_corrected(text: str) -> str:
    """Return a text without what its speaker takes back: "three one five, no, sorry, three one six" counts as the last.

    Only where a number follows; what stays is checked like all else.
    """
    ends = [match.end() for match in _CORRECTED.finditer(text)]
    return next((text[end:] for end in reversed(ends) if re.search(r"\d", normalise(text[end:]))), text)


def gives_fact(name: str, fact: Fact, specs: dict[str, FactSpec], spoken: str) -> bool:
    """Whether a fact is given: its value, a first name, the last two digits, a spelling, "the sixth" of a date.

    Args:
        name: the fact's.
        fact: what the caller knows.
        specs: the kinds of the pack's facts.
        spoken: the caller's words.
    """
    if facts_in(spoken, {name: fact}, specs):
        return True
    words = normalise(spoken)
    if name in specs and specs[name].type == "date" and _gives_date(fact.value, words):
        return True
    value = "".join(character for character in fact.value.casefold() if character.isalnum())
    plain = re.sub(r"\bdouble ([a-z])\b", r"\1 \1", words).split()
    # One letter or digit stands in many words, and so gives nothing; two begin a spelling.
    spelled = "".join(word for word in plain if len(word) == 1 or word.isdigit())
    return any(len(word) > 1 and word in value for word in plain) or (len(spelled) > 1 and spelled in value)


def names_first_day(spoken: str, heard: str) -> bool:
    """Whether the only weekday that a caller names is the first one that it was offered: it chooses none by that."""
    named, offered = (_WEEKDAYS.findall(normalise(text)) for text in (spoken, heard))
    return bool(named and offered) and set(named) == {offered[0]}


def ways_to_say_dates(facts: Iterable[Fact]) -> Iterator[str]:
    """Yield each date among some facts by its weekday, its month, and as numbers: "eight six", "8 6 2026"."""
    for fact in facts:
        try:
            day = date.fromisoformat(fact.value)
        except ValueError:
            continue
        yield f"{day:%A}, {day:%B}, {day.day}{_ending(day.day)}, {day.year}"
        for first, second in ((day.month, day.day), (day.day, day.month)):
            for year in ("", str(day.year), f"{day:%y}"):
                yield f"{first}{second}{year}"
                yield f"{first}{second:02d}{year}"
        yield f"{day:%y}"


def _gives_date(value: str, words: str) -> bool:
    """Whether normalised words name a date by its day of the month or its weekday."""
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return False
    named = rf"{day:%A}|{day.day}th|{day.month} ?{day.day}|{day.day}"
    return re.search(rf"\b(?:{named.casefold()})\b", with_ordinals(words)) is not None


def _ending(number: int) -> str:
    return "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def wrong_first_names(facts: Iterable[Fact], text: str) -> Iterator[str]:
    """Yield the names of a text that hold a last name of these facts behind a first name of none."""
    names = [fact.value.split() for fact in facts]
    firsts = {first.casefold() for *before, _ in names for first in before} | _NO_FIRST_NAME
    for last in dict.fromkeys(name[-1] for name in names):
        for match in re.finditer(rf"\b([A-Z][a-z]+) {re.escape(last)}\b", text):
            if match[1].casefold() not in firsts:
                yield match[0]
