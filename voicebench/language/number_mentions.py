"""A number repeated in part or with a slip: which digits of a turn are meant as the caller's number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from voicebench.language.itn import MONTHS, normalise
from voicebench.language.number_words import tag_numbers

__all__ = ["NumberParts", "begins_number", "days_in", "is_slip", "offers_days", "parts_of_number"]

_DAY = re.compile(
    rf"\b(?:(?:{'|'.join(MONTHS)}) \d{{1,2}}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|today|tomorrow"
    r"|\d{1,2}(?: \d\d)? [ap]m|(?:this |the |that |in the )?(?:morning|afternoon|evening|noon))\b"
)
_SHORTEST = 5
"""Digits of a number of which a part can be told from any other number."""
_SHORTEST_PART = 3
_MOST_LOST = 4
"""Digits that may be left out at one place: a group."""

_END = re.compile(
    r"(?:end(?:s|ing|ed)?(?: is| are)?(?: in| with| on)?|(?:the )?last(?: \w+)?(?: (?:digits?|numbers?|figures?))?"
    r"(?: (?:is|are|as|were|being))?|finish(?:es|ing)(?: in| with)?)$"
)
_BEGIN = re.compile(
    r"(?:(?:start|begin|open)(?:s|ing|ning)?(?: is)?(?: in| with| at| off with)?"
    r"|(?:the )?first(?: \w+)?(?: (?:digits?|numbers?|figures?))?(?: (?:is|are|as|were|being))?)$"
)
_COUNTED = frozenset(
    {"name", "names", "digit", "digits", "number", "numbers", "letter", "letters", "one", "part", "half"}
)
"""Words before which an ordinal is no day: "the first name"."""
_NO_PART_BEFORE = frozenset({*MONTHS, "at", "room", "extension"})
_NO_PART_AFTER = frozenset({"dollars", "dollar", "percent", "am", "pm", "days", "minutes", "hours", "weeks", "months"})


@dataclass(frozen=True)
class NumberParts:
    """What a turn holds of one number.

    Attributes:
        right: its beginning or its end stands there.
        is_named: as such: "ending in four zero two".
        wrong: digits that are meant as it, or as a part of it, and are not.
    """

    right: bool
    is_named: bool
    wrong: tuple[str, ...]


def days_in(text: str) -> set[int]:
    """Return the days of a month that are named by their ordinal alone: "the sixth", "Thursday the 6th"."""
    stream = tag_numbers(text)
    return {
        token.ordinal
        for before, token, after in zip([None, *stream], stream, [*stream[1:], None], strict=False)
        if token.ordinal is not None and before is not None and before.text in {"the", "or", "and"}
        if after is None or after.text not in _COUNTED
    }


def offers_days(text: str) -> bool:
    """Whether a turn names two days or times, or more, from which one may choose."""
    return max(len(days_in(text)), len(set(_DAY.findall(normalise(text))))) > 1


def begins_number(text: str, digits: str) -> bool:
    """Whether a turn holds the beginning of a number, three digits or more, and not all of it."""
    return any(
        digits.startswith(found) and _SHORTEST_PART <= len(found) < len(digits)
        for found, _ in _numbers(normalise(text))
    )


def parts_of_number(text: str, digits: str) -> NumberParts:
    """Find parts of a number, and numbers that are it but for a slip.

    Args:
        text: the turn.
        digits: of the caller's number.
    """
    right = is_named = False
    wrong = []
    for found, before in _numbers(normalise(text)):
        at_end, at_beginning = _END.search(before) is not None, _BEGIN.search(before) is not None
        if (at_end or at_beginning) and (len(found) < len(digits) or found != digits):
            is_named = True
            if (at_end and digits.endswith(found)) or (at_beginning and digits.startswith(found)):
                right = True
            elif not (at_end and at_beginning):
                wrong.append(found)
        elif len(digits) >= _SHORTEST and found != digits:
            part = digits.endswith(found) or digits.startswith(found)
            if part and _SHORTEST_PART <= len(found) <= (len(digits) + 1) // 2:
                right = True
            elif is_slip(found, digits):
                wrong.append(found)
    return NumberParts(right and not wrong, is_named, tuple(wrong))


def _numbers(words: str) -> Iterator[tuple[str, str]]:
    """Yield the digits that a turn holds, groups next to each other taken together, and the words before them."""
    tokens = words.split()
    at = 0
    while at < len(tokens):
        end = at
        while end < len(tokens) and tokens[end].isdigit():
            end += 1
        counts = at > 0 and tokens[at - 1] in {"first", "last"} and len(tokens[at]) == 1  # "the last 4"
        if end == at or counts:
            at += 1
            continue
        before, after = tokens[:at], tokens[end] if end < len(tokens) else ""
        if not (before and before[-1] in _NO_PART_BEFORE) and after not in _NO_PART_AFTER:
            yield "".join(tokens[at:end]), " ".join(before)
        at = end


def is_slip(found: str, digits: str) -> bool:
    """Whether some digits are a number but for a group left out, some put in, two swapped or one or two changed."""
    short, long = sorted((found, digits), key=len)
    lost = len(long) - len(short)
    if lost == 0:
        changed = [at for at in range(len(digits)) if found[at] != digits[at]]
        return 0 < len(changed) <= 2
    if lost > _MOST_LOST or len(short) < _SHORTEST - 1 or 2 * lost > len(long):
        return False
    return any(long[:at] + long[at + lost :] == short for at in range(len(short) + 1))
