"""Recognised speech in one plain form, for intents: lower case, no punctuation, numbers as digits.

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

from voicebench.language.number_words import Atom, atoms

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


@lru_cache(maxsize=4096)
def normalise(text: str) -> str:
    """Return the plain form of a text (see the module's docstring)."""
    stream = atoms(_written_dates(text))
    for step in (_clock, set_dates_apart, _money, _join, _lone_one):
        stream = step(stream)
    return " ".join(atom.text.replace("'", "") for atom in stream)


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


def _word(text: str, gap: str = " ") -> Atom:
    """Return a piece that joins with nothing."""
    return Atom(text, text, "." if gap == "." else " ")


# ---- times --------------------------------------------------------------------------------------------------------


def _clock(stream: list[Atom]) -> list[Atom]:
    """Write "a.m." as am, and keep hours and minutes apart."""
    found: list[Atom] = []
    at = 0
    while at < len(stream):
        atom = stream[at]
        follower = stream[at + 1].text if at + 1 < len(stream) else ""
        if atom.text in {"a", "p"} and follower == "m" and found and found[-1].text[0].isdigit():
            found.append(_word(f"{atom.text}m"))
            at += 2
            continue
        found.append(atom)
        at += 1
    for index in range(len(found) - 1):
        if not _hour_and_minute(found, index):
            continue
        minutes = found[index + 1].text
        found[index] = _word(found[index].text)
        found[index + 1] = _word("" if minutes == "00" else minutes)
    return [atom for atom in found if atom.text]


def _hour_and_minute(stream: list[Atom], at: int) -> bool:
    hour, minute = stream[at], stream[at + 1]
    if not (hour.number and minute.number and hour.text.isdigit() and minute.text.isdigit()):
        return False
    if not (1 <= int(hour.text) <= 12 and len(minute.text) == 2 and int(minute.text) < 60):
        return False
    if minute.gap not in {" ", "-"} or (at + 2 < len(stream) and stream[at + 2].number and stream[at + 2].gap != "."):
        return False
    before = stream[at - 1].text if at else ""
    after = stream[at + 2].text if at + 2 < len(stream) else ""
    return after in {"am", "pm"} or (before in {"at", "by", "from"} and not minute.digitwise)


# ---- dates --------------------------------------------------------------------------------------------------------


def set_dates_apart(stream: list[Atom]) -> list[Atom]:
    """Write each date as month, day and year, three words that join with no number beside them."""
    found: list[Atom] = []
    at = 0
    while at < len(stream):
        taken, pieces, drop_article = _date_at(stream, at)
        if taken:
            if drop_article and found and found[-1].text == "the":
                found.pop()
            found.extend(pieces)
            at += taken
        else:
            found.append(stream[at])
            at += 1
    return found


def _day(atom: Atom) -> str | None:
    value = str(atom.ordinal) if atom.ordinal is not None else atom.text if atom.number else ""
    return value if value.isdigit() and 1 <= int(value) <= 31 and len(value) <= 2 else None


def _date_at(stream: list[Atom], at: int) -> tuple[int, list[Atom], bool]:
    """Return (atoms taken, plain pieces, whether an article before it goes) of a date that starts at ``at``."""
    atom = stream[at]
    month = _MONTH_NAMES.get(atom.text)
    if month is not None:
        after = at + 1
        if after < len(stream) and stream[after].text == "the":
            after += 1
        if after >= len(stream) or (stream[after].gap == "." and len(atom.text) > 4):
            return 0, [], False
        day = _day(stream[after])
        whole = _year(stream, after)
        if whole and not (day and _year(stream, after + 1)):
            return after + whole[0] - at, [_word(month, atom.gap), _word(whole[1])], False
        if day is None:
            return 0, [], False
        return _with_year(stream, at, after + 1, [_word(month, atom.gap), _word(day)])
    day = _day(atom)
    after = at + 1
    of = after < len(stream) and stream[after].text == "of"
    after += of
    if day is None or after >= len(stream) or not (of or atom.ordinal is not None or not atom.spoken):
        return 0, [], False
    month = _MONTH_NAMES.get(stream[after].text)
    if month is None or stream[after].gap not in {" ", "-"}:
        return 0, [], False
    taken, pieces, _ = _with_year(stream, at, after + 1, [_word(month, atom.gap), _word(day)])
    return taken, pieces, True


def _with_year(stream: list[Atom], start: int, after: int, pieces: list[Atom]) -> tuple[int, list[Atom], bool]:
    year = _year(stream, after)
    if year is not None:
        return after + year[0] - start, [*pieces, _word(year[1])], False
    return after - start, pieces, False


def _year(stream: list[Atom], at: int) -> tuple[int, str] | None:
    """Return (atoms taken, year) of a year from 1900 to 2099 at ``at``."""
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


def _money(stream: list[Atom]) -> list[Atom]:
    """Write "44 dollars and 99 cents" as 44.99 dollars, and 25.00 dollars as 25 dollars."""
    found: list[Atom] = []
    at = 0
    while at < len(stream):
        if not _amount(stream, at):
            found.append(stream[at])
            at += 1
            continue
        number = stream[at]
        after = at + 2
        cents = after + (after < len(stream) and stream[after].text == "and")
        if _amount(stream, cents, unit=("cent", "cents")) and number.text.isdigit() and int(stream[cents].text) < 100:
            number = replace(number, text=f"{number.text}.{int(stream[cents].text):02d}")
            after = cents + 2
        text = number.text.removesuffix(".00")
        found += [
            replace(number, text=text, digitwise=False),
            _word("dollars" if after > at + 2 else stream[at + 1].text),
        ]
        at = after
    return found


def _amount(stream: list[Atom], at: int, unit: tuple[str, str] = ("dollar", "dollars")) -> bool:
    if at + 1 >= len(stream) or not stream[at].number or stream[at + 1].text not in unit:
        return False
    return unit[0] == "dollar" or stream[at].text.isdigit()


# ---- joining ------------------------------------------------------------------------------------------------------


def _joins(left: Atom, right: Atom) -> bool:
    if not (left.number and right.number) or "." in left.text or "." in right.text or right.gap == ".":
        return False
    if left.digitwise and right.digitwise:
        return True
    if left.spoken and right.spoken:
        return right.gap in {" ", "-"} and not (len(left.text) > 2 and not left.digitwise)
    return right.gap in {"-", ""}


def _join(stream: list[Atom]) -> list[Atom]:
    """Join atoms that were read as one number."""
    found: list[Atom] = []
    last: Atom | None = None
    for atom in stream:
        if last is not None and _joins(last, atom):
            found[-1] = replace(found[-1], text=found[-1].text + atom.text, raw=f"{found[-1].raw} {atom.raw}")
        else:
            found.append(atom)
        last = atom
    return found


def _lone_one(stream: list[Atom]) -> list[Atom]:
    """Give "one" back as a word where it counts nothing."""
    found = []
    for index, atom in enumerate(stream):
        unit = index + 1 < len(stream) and _UNITS.fullmatch(stream[index + 1].text)
        found.append(atom if atom.raw.lower() != "one" or unit else replace(atom, text="one", number=False))
    return found
