"""Dates, numbers, truth values and choices in recognised speech, as :mod:`voicebench.language.names` finds names."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Sequence

from voicebench.language.itn import MONTHS, normalise
from voicebench.language.number_words import tag_numbers
from voicebench.language.values import canonical_date, canonical_enum

__all__ = ["bools_in", "choices_in", "dates_in", "numbers_in"]


def dates_in(text: str, today: dt.date | None) -> list[str]:
    """Return dates, as :func:`canonical_date` writes them.

    Args:
        text: what was recognised.
        today: places a date without its year.
    """
    found = re.findall(rf"\b(?:{'|'.join(MONTHS)}) \d{{1,2}}(?: \d{{4}})?\b", normalise(text))
    dates = [canonical_date(one, today) for one in found]
    return list(dict.fromkeys(date for date in dates if date is not None))


def numbers_in(text: str) -> list[str]:
    """Return numbers, amounts of money first; "forty four ninety nine" may be 44.99 or 4499."""
    normalised = normalise(text)
    found = re.findall(r"\b(\d+(?:\.\d+)?) dollars?\b", normalised)
    stream = tag_numbers(text)
    for left, right in itertools.pairwise(stream):
        if left.spoken and right.spoken and right.gap in {" ", "-"} and len(left.text) <= 3 and len(right.text) == 2:
            price = f"{left.text}.{right.text}"
            if f"{left.text}{right.text}" in normalised.split() and not right.digitwise and not left.digitwise:
                found.append(price)
    found += re.findall(r"(?<![\d.])\d+(?:\.\d+)?(?![\d.])", normalised)
    if not found and re.search(r"\bone\b", normalised):
        found = ["1"]
    return list(dict.fromkeys(found))


def bools_in(text: str) -> list[str]:
    """Return "true" or "false" for the first word of consent or denial; a denial wins unless yes comes first."""
    words = normalise(text).split()
    found = [
        ("true" if word in {"yes", "yeah", "yep", "yup", "correct", "right", "sure", "true"} else "false")
        for word in words
        if re.fullmatch(r"yes|yeah|yep|yup|correct|right|sure|true|no|nope|not|false|dont|isnt|wasnt|didnt", word)
    ]
    if "false" in found and found[0] == "true" and words[0] not in {"yes", "yeah", "yep", "yup"}:
        return ["false"]
    return list(dict.fromkeys(found[:1]))


def choices_in(text: str, choices: Sequence[str]) -> list[str]:
    """Return the choices that a text names, in the order in which they stand there."""
    words = f"_{canonical_enum(text)}_"
    places = {choice: words.find(f"_{canonical_enum(choice)}_") for choice in choices}
    return sorted((choice for choice in choices if places[choice] >= 0), key=lambda choice: places[choice])
