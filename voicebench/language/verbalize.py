"""Values in the words in which they are spoken: what a tool puts into the fields that an agent reads aloud."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

__all__ = ["spoken_date", "spoken_day", "spoken_list", "spoken_money", "spoken_number", "spoken_when"]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_UNITS = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = _words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third "
    "twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
)


def spoken_number(value: int) -> str:
    """Return a whole number in words: ``two hundred fifty-four``.

    Raises:
        ValueError: it is below 0 or above 999,999.
    """
    if not 0 <= value <= 999_999:
        raise ValueError(f"{value} is not from 0 to 999,999")
    if value < 20:
        return _UNITS[value]
    if value < 100:
        rest = value % 10
        return _TENS[value // 10 - 2] + (f"-{_UNITS[rest]}" if rest else "")
    size, name = (1000, "thousand") if value >= 1000 else (100, "hundred")
    rest = value % size
    return f"{spoken_number(value // size)} {name}" + (f" {spoken_number(rest)}" if rest else "")


def spoken_money(amount: float) -> str:
    """Return an amount of dollars in words, rounded to cents: ``thirty-five dollars and twenty cents``.

    Raises:
        ValueError: it is negative, or a million or more.
    """
    dollars, cents = divmod(round(amount * 100), 100)
    words = f"{spoken_number(dollars)} {'dollar' if dollars == 1 else 'dollars'}"
    return words + (f" and {spoken_number(cents)} {'cent' if cents == 1 else 'cents'}" if cents else "")


def spoken_day(day: dt.date) -> str:
    """Return a near day in words, without its year: ``Tuesday, April second``."""
    return f"{day:%A}, {day:%B} {_ORDINALS[day.day - 1]}"


def spoken_date(day: dt.date) -> str:
    """Return a day with its year in words: ``April second, twenty twenty-seven``."""
    century, rest = divmod(day.year, 100)
    if 2000 <= day.year < 2010 or not rest:
        year = spoken_number(day.year)
    else:
        year = f"{spoken_number(century)} {'' if rest > 9 else 'oh '}{spoken_number(rest)}"
    return f"{day:%B} {_ORDINALS[day.day - 1]}, {year}"


def spoken_when(moment: dt.datetime) -> str:
    """Return a day and its hour, minutes dropped, in words: ``Tuesday, April second, at ten in the morning``."""
    part = "in the morning" if moment.hour < 12 else "in the afternoon" if moment.hour < 18 else "in the evening"
    return f"{spoken_day(moment.date())}, at {spoken_number((moment.hour - 1) % 12 + 1)} {part}"


def spoken_list(parts: Sequence[str]) -> str:
    """Return parts joined for the ear: ``a, b, and c``; an empty text for none."""
    return ", and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
