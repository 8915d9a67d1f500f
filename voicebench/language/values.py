"""Canonical forms of values, by type: what must be equal for two written or spoken values to be the same value.

Digits are never corrected or completed; only the way of writing or saying them is taken away.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import re
import unicodedata
from decimal import Decimal, InvalidOperation

import jellyfish

from voicebench.language.itn import MONTHS, normalise
from voicebench.language.number_words import NATO, tag_numbers
from voicebench.language.tokens import to_ascii_letters

__all__ = [
    "PARTICLES",
    "canonical_bool",
    "canonical_date",
    "canonical_enum",
    "canonical_id",
    "canonical_number",
    "canonical_phone",
    "compact",
    "nato_letter",
    "phonetic_key",
    "same_bool",
    "same_date",
    "same_enum",
    "same_id",
    "same_name",
    "same_number",
    "same_phone",
]

_TRUE = frozenset({"true", "yes", "y", "1", "yeah", "yep", "correct"})
_FALSE = frozenset({"false", "no", "n", "0", "nope"})
_DASHES = frozenset({"dash", "hyphen", "minus", "space"})
_SEVERAL = re.compile(r"\d\s*[/\u2044:^*\u2013\u2014-]\s*\d|\d[a-z]|\([^)]*\d[^)]*\)", re.I)
"""A fraction, a range, a time, a unit glued to its number, an accountant's brackets: no number that is read here."""
_PARTS = {"half": Decimal("0.5"), "quarter": Decimal("0.25"), "3 quarters": Decimal("0.75")}
_PART = re.compile(r" (?:and )?(?:a |one )?(half|quarter|3 quarters)\b(?: of)?(?: an?)?(?= )")
_UNREAD = re.compile(
    r" (?:hundred|thousand|million|billion|trillion|dozen|k|m|bn|half|halves|quarters?|thirds?|fourths?|fifths?|tenths?"
    r"|squared|cubed|point|times|or|not|no) "
)
"""Words that make another number of the one beside them."""
_MINUS = re.compile(r"(?:^|\s|\$)(?:minus|negative|[-\u2212])\s*(?:\$\s*)?\w")
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "mx", "dr", "doctor", "prof", "professor"})
_SUFFIXES = frozenset({"jr", "junior", "sr", "senior", "ii", "iii", "iv", "esq", "esquire", "md", "phd"})
PARTICLES = frozenset(
    [
        "de",
        "del",
        "della",
        "di",
        "da",
        "das",
        "do",
        "dos",
        "du",
        "la",
        "le",
        "los",
        "las",
        "van",
        "von",
        "vom",
        "der",
        "den",
        "ter",
        "ten",
        "zu",
        "el",
        "al",
        "bin",
        "ibn",
        "st",
        "san",
        "mc",
        "mac",
        "o",
    ]
)


def compact(text: str) -> str:
    """Return the letters and digits of a text, in capitals."""
    return re.sub(r"[^A-Za-z0-9]", "", text).upper()


def canonical_id(value: object) -> str:
    """Return an identifier in capitals without spaces or punctuation: ``K E, four four 7`` is ``KE447``.

    Number words, "double", "oh" and the NATO alphabet count only in a value with spaces, that is, one that was spoken.
    """
    text = str(value).strip()
    if not re.search(r"\s", text):
        return compact(text)
    parts = []
    for token in tag_numbers(text):
        if token.number:
            parts.append(token.text)
        elif token.text not in _DASHES:
            parts.append(NATO.get(token.text, token.raw))
    return compact("".join(parts))


def canonical_phone(value: object) -> str:
    """Return the digits of a phone number, a leading 1 of eleven dropped (North American numbering plan)."""
    digits = "".join(re.sub(r"\D", "", token.text) for token in tag_numbers(str(value)) if token.number)
    return digits[1:] if len(digits) == 11 and digits[0] == "1" else digits


def canonical_date(value: object, today: dt.date | None = None) -> str | None:
    """Return a date as ``2026-08-03``, one without a year as ``--08-03``, or None when the text is no date.

    Args:
        value: a date, or text: ISO, ``8/3/2026`` (month first), "August third", "3 Aug 2026".
        today: a date without a year is placed in the year that brings it nearest to this day.
    """
    if isinstance(value, dt.date):
        return value.isoformat()[:10]
    text = str(value).strip()
    if re.fullmatch(r"--\d\d-\d\d", text):
        month, day, year = int(text[2:4]), int(text[5:7]), None
    else:
        match = re.search(rf"\b({'|'.join(MONTHS)}) (\d{{1,2}})(?: (\d{{4}}))?\b", normalise(text))
        if match is None:
            return None
        month, day = MONTHS.index(match[1]) + 1, int(match[2])
        year = int(match[3]) if match[3] else None
    if year is None and today is not None:
        years = [today.year + offset for offset in (0, 1, -1) if _is_date(today.year + offset, month, day)]
        year = min(years, key=lambda year: abs((dt.date(year, month, day) - today).days), default=None)
    if year is None:
        return f"--{month:02d}-{day:02d}" if _is_date(2024, month, day) else None
    return f"{year:04d}-{month:02d}-{day:02d}" if _is_date(year, month, day) else None


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        dt.date(year, month, day)
    except ValueError:
        return False
    return True


def canonical_number(value: object) -> Decimal | None:
    """Return a number, or None where a text holds none, several, or one that is not wholly understood.

    Read are ``$44.99``, "25.0", "thirty five dollars", "minus five", "two and a half", ``2½``; not ``3/4``, ``5-6``,
    "1.5 million", "5k".
    """
    if isinstance(value, bool) or value is None:
        return None
    text = str(value).strip()
    with contextlib.suppress(InvalidOperation):
        number = Decimal(text)
        return number if number.is_finite() else None
    if _SEVERAL.search(text):
        return None
    words = f" {normalise(text)} "
    words, parts = _PART.subn(" ", words)
    part = sum(_PARTS[name] for name in _PART.findall(f" {normalise(text)} "))
    found = ["1"] if words.split() == ["one"] else [word for word in words.split() if word[0].isdigit()]
    if parts > 1 or len(found) > 1 or (not found and not parts) or _UNREAD.search(words):
        return None
    if found and not re.fullmatch(r"\d+(\.\d+)?", found[0]):
        return None
    number = Decimal(found[0] if found else 0)
    if part:  # a sum is rounded to the context's 28 digits, and would make a longer number another one
        number += part
    return number.copy_negate() if _MINUS.search(text.lower()) else number


def canonical_bool(value: object) -> bool | None:
    """Return a truth value of a bool, 0/1, or "yes"/"no"/"true"/"false"; None for anything else."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in _TRUE:
        return True
    return False if word in _FALSE else None


def canonical_enum(value: object) -> str:
    """Return a choice in lower case, its words joined by underscores."""
    return "_".join(re.findall(r"[a-z0-9]+", str(value).lower()))


def phonetic_key(word: str) -> str:
    """Return a key that words of the same sound share: Metaphone, silent letters and doubled sounds dropped.

    "Tomas" and "Thomas" share one, and so do "Ferreira", "Ferrera" and "Farrah". The key is coarse: a name confirms who
    was found by other means, and finds no person by itself.
    """
    folded = to_ascii_letters(word.lower())
    if not folded.isascii():
        return folded
    letters = re.sub(r"[^a-z]", "", folded)
    # Metaphone writes the th of "Thomas" as 0; over a telephone it is a T. Inner H, W and Y are not heard either.
    key = jellyfish.metaphone(letters).replace("0", "T").replace(" ", "")
    key = key[:1] + re.sub(r"[HWY]", "", key[1:])
    return re.sub(r"(.)\1+", r"\1", key) or letters.upper()


def nato_letter(word: str) -> str | None:
    """Return the letter of a word of the NATO alphabet, also of one written by its sound: "Galf", "Yankie"."""
    word = word.lower()
    if word in NATO:
        return NATO[word]
    if len(word) < 4:
        return None
    key = phonetic_key(word)
    return next((word[0].upper() for known in NATO if known[0] == word[0] and phonetic_key(known) == key), None)


def _name_words(value: object) -> list[str]:
    """Return a name's words as they are compared by sound, or as they are in another script than Latin.

    Letters spelled one by one make a word; titles and what follows a name ("Jr.", "III") are dropped.
    """
    text = unicodedata.normalize("NFC", str(value))
    if any(char.isalpha() and not to_ascii_letters(char).isascii() for char in text):
        return text.casefold().split()
    words: list[str] = []
    spelling = False
    for word in normalise(text).split():
        if len(word) == 1 and spelling:
            words[-1] += word
        elif word not in _TITLES:
            words.append(word)
        spelling = len(word) == 1
    while len(words) > 2 and words[-1] in _SUFFIXES:
        words.pop()
    return words


def _surname(words: list[str]) -> set[str]:
    """Return the keys of a last name: of its last word, and of that with what belongs to it ("De la Cruz")."""
    begin = len(words) - 1
    while begin > 1 and words[begin - 1] in PARTICLES:
        begin -= 1
    return {phonetic_key(words[-1]), phonetic_key("".join(words[begin:]))}


def same_id(left: object, right: object) -> bool:
    """Whether two identifiers are equal but for case, spaces, punctuation and the way of saying them."""
    said = canonical_id(left)
    # "O O 0 1" may be two letters, whatever is read aloud
    return bool(said) and (said == canonical_id(right) or compact(str(left)) == compact(str(right)))


def same_phone(left: object, right: object) -> bool:
    """Whether two phone numbers have the same digits."""
    return bool(canonical_phone(left)) and canonical_phone(left) == canonical_phone(right)


def same_date(left: object, right: object, today: dt.date | None = None) -> bool:
    """Whether two dates are the same day; where one has no year, the same day of the year."""
    one, two = canonical_date(left, today), canonical_date(right, today)
    if one is None or two is None:
        return False
    return one[-5:] == two[-5:] if one.startswith("--") or two.startswith("--") else one == two


def same_number(left: object, right: object) -> bool:
    """Whether two numbers are equal, however written: ``25``, ``25.0``, ``$25``."""
    one, two = canonical_number(left), canonical_number(right)
    return one is not None and two is not None and abs(one - two) < Decimal("1e-9")


def same_bool(left: object, right: object) -> bool:
    """Whether two truth values are equal, however written: ``true``, "yes", 1."""
    one, two = canonical_bool(left), canonical_bool(right)
    return one is not None and one == two


def same_enum(left: object, right: object) -> bool:
    """Whether two choices are the same words."""
    return bool(canonical_enum(left)) and canonical_enum(left) == canonical_enum(right)


def same_name(left: object, right: object) -> bool:
    """Whether two full names sound alike: first and last name by phonetic key, middle names free.

    A single word equals only a single word, because a first name alone confirms no identity. A last name of several
    words ("De la Cruz") equals itself run together, and its last word.
    """
    one, two = _name_words(left), _name_words(right)
    if not one or not two or (len(one) == 1) != (len(two) == 1):
        return False
    return phonetic_key(one[0]) == phonetic_key(two[0]) and not _surname(one).isdisjoint(_surname(two))
