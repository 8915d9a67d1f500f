"""Inverse text normalization: recognised speech in lower case, without punctuation, with numbers as digits.

What becomes of a text:

- numbers: "four four seven one" 4471, "double five" 55, "five oh one" 501, "forty four seventy eighteen" 447018,
  "nineteen ninety" 1990, "one hundred and fifty" 150, "forty four point nine nine" 44.99, "1,250" 1250. Single digits
  join over spaces, commas and hyphens ("4 4 7, 1"); spoken groups over spaces and hyphens; numerals over hyphens only.
- "one" standing alone stays a word ("one moment"), before a unit it is 1 ("one dollar"). "for", "to" and "oh" away from
  digits stay words.
- money: "$44.99", "forty four dollars and ninety nine cents" 44.99 dollars; "$25.00" 25 dollars; "15%" 15 percent.
- dates: "August third", "the 3rd of August", "Aug. 3", "8/3" august 3; with a year, "2026-08-03" too, august 3 2026.
  Ordinals elsewhere stay as they are ("the first slot").
- times: "10:30 a.m.", "ten thirty AM" 10 30 am; "10:00 AM" 10 am.
- letters: "K-E-447" k e 447. Apostrophes vanish: "that's" thats.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from voicebench.language.number_words import TaggedToken, tag_numbers

__all__ = ["MONTHS", "normalise", "set_dates_apart"]

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH_NAMES = {name: name for name in MONTHS} | {name[:3]: name for name in MONTHS} | {"sept": "september"}
_UNITS = re.compile(r"(dollar|cent|day|week|month|year|hour|minute)s?|percent|business|am|pm")
_ISO = re.compile(r"(?<![\w-])((?:19|20)\d\d)-(\d\d)-(\d\d)(?![\w-])")
_SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?:/(\d{4}))?(?![\d/])")


# A turn is normalised again for every intent that it is tried against, and a run tries hundreds.
@lru_cache(maxsize=4096)
def normalise(text: str) -> str:
    """Return the normalised form of a text (see the module's docstring)."""
    stream = tag_numbers(_written_dates(text))
    for step in (set_times_apart, set_dates_apart, write_money, join_numbers, restore_lone_one):
        stream = step(stream)
    return " ".join(token.text.replace("'", "") for token in stream)


def _written_dates(text: str) -> str:
    def month_first(match: re.Match[str]) -> str:
        month, day = int(match[1]), int(match[2])
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return match[0]
        return f"{MONTHS[month - 1]} {day}" + (f", {match[3]}" if match[3] else "")

    def iso(match: re.Match[str]) -> str:
        month, day = int(match[2]), int(match[3])
        return f"{MONTHS[month - 1]} {day}, {match[1]}" if 1 <= month <= 12 and 1 <= day <= 31 else match[0]

    return _SLASHED.sub(month_first, _ISO.sub(iso, text))


def _word(text: str, gap: str = " ") -> TaggedToken:
    """Return a word that joins with nothing."""
    return TaggedToken(text, text, "." if gap == "." else " ")


# ---- times --------------------------------------------------------------------------------------------------------


def set_times_apart(stream: list[TaggedToken]) -> list[TaggedToken]:
    """Write "a.m." as am, and keep hours and minutes apart."""
    found: list[TaggedToken] = []
    at = 0
    while at < len(stream):
        token = stream[at]
        follower = stream[at + 1].text if at + 1 < len(stream) else ""
        if token.text in {"a", "p"} and follower == "m" and found and found[-1].text[0].isdigit():
            found.append(_word(f"{token.text}m"))
            at += 2
            continue
        found.append(token)
        at += 1
    for index in range(len(found) - 1):
        if not _hour_and_minute(found, index):
            continue
        minutes = found[index + 1].text
        found[index] = _word(found[index].text)
        found[index + 1] = _word("" if minutes == "00" else minutes)
    return [token for token in found if token.text]


def _hour_and_minute(stream: list[TaggedToken], at: int) -> bool:
    hour, minute = stream[at], stream[at + 1]
    if not (hour.number and minute.number and hour.text.isdigit() and minute.text.isdigit()):
        return False
    if not (len(hour.text) <= 2 and 1 <= int(hour.text) <= 12 and len(minute.text) == 2 and int(minute.text) < 60):
        return False
    if minute.gap not in {" ", "-"} or (at + 2 < len(stream) and stream[at + 2].number and stream[at + 2].gap != "."):
        return False
    before = stream[at - 1].text if at else ""
    after = stream[at + 2].text if at + 2 < len(stream) else ""
    return after in {"am", "pm"} or (before in {"at", "by", "from"} and not minute.digitwise)


# ---- dates --------------------------------------------------------------------------------------------------------


def set_dates_apart(stream: list[TaggedToken]) -> list[TaggedToken]:
    """Write each date as month, day and year, three words that join with no number next to them."""
    found: list[TaggedToken] = []
    at = 0
    while at < len(stream):
        taken, date, drop_article = _date_at(stream, at)
        if taken:
            if drop_article and found and found[-1].text == "the":
                found.pop()
            found.extend(date)
            at += taken
        else:
            found.append(stream[at])
            at += 1
    return found


def _day(token: TaggedToken) -> str | None:
    value = str(token.ordinal) if token.ordinal is not None else token.text if token.number else ""
    return value if value.isdigit() and len(value) <= 2 and 1 <= int(value) <= 31 else None


def _date_at(stream: list[TaggedToken], at: int) -> tuple[int, list[TaggedToken], bool]:
    """Return (tokens taken, words, whether an article before it goes) of a date that starts at ``at``."""
    token = stream[at]
    month = _MONTH_NAMES.get(token.text)
    if month is not None:
        after = at + 1
        if after < len(stream) and stream[after].text == "the":
            after += 1
        if after >= len(stream) or (stream[after].gap == "." and len(token.text) > 4):
            return 0, [], False
        day = _day(stream[after])
        whole = _year(stream, after)
        if whole and not (day and _year(stream, after + 1)):
            return after + whole[0] - at, [_word(month, token.gap), _word(whole[1])], False
        if day is None:
            return 0, [], False
        return _with_year(stream, at, after + 1, [_word(month, token.gap), _word(day)])
    day = _day(token)
    after = at + 1
    of = after < len(stream) and stream[after].text == "of"
    after += of
    if day is None or after >= len(stream) or not (of or token.ordinal is not None or not token.spoken):
        return 0, [], False
    month = _MONTH_NAMES.get(stream[after].text)
    if month is None or stream[after].gap not in {" ", "-"}:
        return 0, [], False
    taken, date, _ = _with_year(stream, at, after + 1, [_word(month, token.gap), _word(day)])
    return taken, date, True


def _with_year(
    stream: list[TaggedToken], start: int, after: int, date: list[TaggedToken]
) -> tuple[int, list[TaggedToken], bool]:
    year = _year(stream, after)
    if year is not None:
        return after + year[0] - start, [*date, _word(year[1])], False
    return after - start, date, False


def _year(stream: list[TaggedToken], at: int) -> tuple[int, str] | None:
    """Return (tokens taken, year) of a year from 1900 to 2099 at ``at``."""
    if at >= len(stream) or not stream[at].number or stream[at].gap == ".":
        return None
    for taken in (1, 2, 3):
        parts = stream[at : at + taken]
        if len(parts) < taken or not all(part.number and (part.spoken or taken == 1) for part in parts):
            return None
        text = "".join(part.text for part in parts)
        if len(text) == 4 and text[:2] in {"19", "20"}:
            return taken, text
    return None


# ---- money --------------------------------------------------------------------------------------------------------


def write_money(stream: list[TaggedToken]) -> list[TaggedToken]:
    """Write "44 dollars and 99 cents" as 44.99 dollars, and 25.00 dollars as 25 dollars."""
    found: list[TaggedToken] = []
    at = 0
    while at < len(stream):
        if not _amount(stream, at):
            found.append(stream[at])
            at += 1
            continue
        number = stream[at]
        after = at + 2
        cents = after + (after < len(stream) and stream[after].text == "and")
        if _amount(stream, cents, unit=("cent", "cents")) and number.text.isdigit() and len(stream[cents].text) <= 2:
            number = replace(number, text=f"{number.text}.{int(stream[cents].text):02d}")
            after = cents + 2
        text = number.text.removesuffix(".00")
        found += [
            replace(number, text=text, digitwise=False),
            _word("dollars" if after > at + 2 else stream[at + 1].text),
        ]
        at = after
    return found


def _amount(stream: list[TaggedToken], at: int, unit: tuple[str, str] = ("dollar", "dollars")) -> bool:
    if at + 1 >= len(stream) or not stream[at].number or stream[at + 1].text not in unit:
        return False
    return unit[0] == "dollar" or stream[at].text.isdigit()


# ---- joining ------------------------------------------------------------------------------------------------------


def join_numbers(stream: list[TaggedToken]) -> list[TaggedToken]:
    """Join what was read as one number: single digits, and the groups of a number that was read in groups."""
    found: list[TaggedToken] = []
    last: TaggedToken | None = None
    for token in stream:
        if last is None or not (last.number and token.number) or "." in last.text + token.text or token.gap == ".":
            joins = False
        elif last.digitwise and token.digitwise:
            joins = True
        elif last.spoken and token.spoken:
            joins = token.gap in {" ", "-"} and (len(last.text) <= 2 or last.digitwise)
        else:
            joins = token.gap in {"-", ""}
        if joins:
            found[-1] = replace(found[-1], text=found[-1].text + token.text, raw=f"{found[-1].raw} {token.raw}")
        else:
            found.append(token)
        last = token
    return found


def restore_lone_one(stream: list[TaggedToken]) -> list[TaggedToken]:
    """Give "one" back as a word where it counts nothing."""
    found = []
    for index, token in enumerate(stream):
        unit = index + 1 < len(stream) and _UNITS.fullmatch(stream[index + 1].text)
        found.append(token if token.raw.lower() != "one" or unit else replace(token, text="one", number=False))
    return found
