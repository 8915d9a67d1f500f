"""Names in recognised speech: after "my name is", by their capitals, and letter by letter, which wins over the word."""

from __future__ import annotations

import re

from voicebench.language.itn import MONTHS
from voicebench.language.number_words import DIGITS, NATO, ORDINALS, TENS
from voicebench.language.tokens import Token, tokenize
from voicebench.language.values import PARTICLES, nato_letter, phonetic_key

__all__ = ["names_in"]

_ALIKE = ("BCDEGPTVZ", "FSX", "MN", "AHJK", "IY", "LO")
"""Letters whose names a telephone makes alike."""

_CUES = (
    ("my", "name", "is"),
    ("my", "name's"),
    ("the", "name", "is"),
    ("name", "is"),
    ("full", "name", "is"),
    ("this", "is"),
    ("i", "am"),
    ("i'm",),
    ("it's",),
    ("it", "is"),
    ("speaking", "with"),
)
_LINKS = frozenset({"that's", "that", "is", "spelled", "it's"})
_DAYS = frozenset(f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun"))
_BEFORE_MONTHS = frozenset({"of", "in", "next", "last", "early", "late", "until", "by", "since"})
_DAYS_OF_MONTH = frozenset({"the", *ORDINALS, *DIGITS, *TENS})
_STOPS = frozenset(
    {
        "and",
        "my",
        "the",
        "i",
        "i'm",
        "it's",
        "is",
        "order",
        "number",
        "phone",
        "with",
        "calling",
        "from",
        "at",
        "that's",
    }
    | {"yes", "yeah", "sure", "no", "okay", "ok", "hi", "hello", "speaking", "here", "spelled", "so", "a", "an", "you"}
    | _DAYS
    | {"date"}
    | {"what", "what's", "who", "who's", "when", "when's", "where", "where's", "how", "how's", "which", "why", "your"}
    | {"about", "for", "because", "thanks", "thank", "please", "of", "course", "well", "name", "last", "first"}
)


def names_in(text: str) -> list[str]:
    """Return the names that a text may hold, best first: after a cue, then capitalised words, then a short text.

    Letters spelled out ("T O M A S", "T as in tango, ...") take the place of the word before them that they spell, and
    "last name Ferreira" completes a first name: one found elsewhere, or a capitalised word that the text begins with.
    """
    stream = [token for token in tokenize(text.replace(" and then ", " ")) if token.text != "then"]
    words, spelled = _spelled(_without_months(stream))
    found = [*names_after_cue(words), *capitalised_names(words)] or [" ".join(spelled)] * bool(spelled)
    if not found and 1 <= len(words) <= 3 and all(_is_name_word(word) for word in words):
        found = [" ".join(word.raw for word in words)]
    first, last = _labelled(words, "first"), _labelled(words, "last")
    first = first or next((name for name in found if " " not in name and name != last), None)
    if first is None and last and _is_name_word(words[0]) and words[0].raw[0].isupper() and words[0].raw != last:
        first = words[0].raw
    if first and last:
        found.insert(0, f"{first} {last}")
    titled = (
        [word.capitalize() if word.isupper() or word.islower() else word for word in name.split()] for name in found
    )
    return list(dict.fromkeys(map(" ".join, titled)))


def _without_months(stream: list[Token]) -> list[Token]:
    """Return tokens with a word that is no name in the place of each month of a date: "Friday, August seventh"."""
    found = []
    for at, token in enumerate(stream):
        before = stream[at - 1].text if at else ""
        after = stream[at + 1].text if at + 1 < len(stream) else ""
        is_first = at + 1 < len(stream) and stream[at + 1].gap == " " and stream[at + 1].raw[0].isupper()  # April Stone
        dated = before in _DAYS or after[:1].isdigit() or after in _DAYS_OF_MONTH
        dated = dated or (before in _BEFORE_MONTHS and not is_first)
        is_month = token.text in MONTHS and dated
        found.append(Token("date", "date", token.gap) if is_month else token)
    return found


def _labelled(words: list[Token], label: str) -> str | None:
    """Return the word after "first name" or "last name", which some recognizers write as "main"."""
    texts = [word.text for word in words]
    for at in range(len(words) - 2):
        if texts[at] == label and texts[at + 1] in {"name", "name's", "main"}:
            after = at + 3 if texts[at + 2] == "is" else at + 2
            if after < len(words) and _is_name_word(words[after]):
                return words[after].raw
    return None


def _is_name_word(word: Token) -> bool:
    return word.text[0].isalpha() and len(word.text) > 1 and word.text not in _STOPS


def _spelled(stream: list[Token]) -> tuple[list[Token], list[str]]:
    """Replace three or more letters in a row by the word that they spell, which drops the word they repeat.

    Letters that differ from that word only where a telephone makes them alike are the word.

    Returns:
        the words, and those of them that were spelled.
    """
    found: list[Token] = []
    spelled: list[str] = []
    at = 0
    while at < len(stream):
        end, letters = _letters(stream, at)
        if len(letters) < 3:
            found.append(stream[at])
            at += 1
            continue
        gap = stream[at].gap
        back = len(found)
        while back and found[back - 1].text in _LINKS:
            back -= 1
        if end < len(stream) and (stream[end].text[0].isdigit() or stream[end].text in DIGITS):
            letters = _before_an_id(letters, found[back - 1].text if back else "")
        word = letters.capitalize()
        if back and _is_alike(found[back - 1].text, letters):
            word = found[back - 1].raw
        before = found[back - 1].text if back else ""
        # the same initial or the same sound: the letters spell the word before them again
        if before and (before[0] == word[0].lower() or phonetic_key(before) == phonetic_key(word)):
            gap = found[back - 1].gap
            del found[back - 1 :]
        spelled.append(word)
        found.append(Token(word.lower(), word, " " if gap in {",", "-"} else gap))
        at = end
    return found, spelled


def _letters(stream: list[Token], at: int) -> tuple[int, str]:
    """Return where the letters that begin at ``at`` end, and the letters; a full stop within them is a pause."""
    letters = ""
    while at < len(stream):
        found = _letter(stream, at, begun=bool(letters))
        if not found:
            break
        words = [one.text for one in stream[at + 1 : at + 4]]
        as_in = len(found) == 1 and words[:2] == ["as", "in"] and len(words) == 3 and words[2][0] == found.lower()
        letters += found
        at += 4 if as_in else 1
        if at < len(stream) and stream[at].gap == ".":
            break
    return at, letters


def _letter(stream: list[Token], at: int, *, begun: bool) -> str:
    """Return the letter that a token stands for, several where they were run together ("GAL-L-A"), or nothing."""
    token = stream[at]
    before = stream[at - 1].text if begun else ""
    after = stream[at + 1] if at + 1 < len(stream) else None
    if len(token.text) == 1 and token.text.isalpha():
        return token.text.upper()
    if token.raw.isalpha() and token.raw.isupper() and len(token.text) <= 4 and token.text not in NATO:
        linked = (begun and token.gap == "-") or (after is not None and after.gap == "-" and len(after.text) == 1)
        return token.raw if linked else ""
    follows = NATO.get(after.text, "") if after is not None else ""
    if before in NATO and follows:
        return token.text[0].upper()
    if token.text in NATO:
        return NATO[token.text] if begun or follows else ""
    if before in NATO or (follows and not begun and follows.lower() != token.text[0]):  # not in "Kelly, Kilo, Echo"
        return nato_letter(token.text) or ""
    return ""


def _before_an_id(letters: str, word: str) -> str:
    """Return the letters of a name without those that begin the number after them, if the word tells them apart."""
    for extra in range(5):  # a company's identifiers begin with four letters at most
        name = letters[: len(letters) - extra]
        if len(name) >= 3 and (name.lower() == word or phonetic_key(name) == phonetic_key(word)):
            return name
    return letters


def _is_alike(word: str, letters: str) -> bool:
    """Whether spelled letters are the word before them but for some that sound alike: "Crawford, C R A W F L R D"."""
    pairs = list(zip(word.upper(), letters, strict=False))
    return len(word) == len(letters) and all(
        one == two or any(one in group and two in group for group in _ALIKE) for one, two in pairs
    )


def _run(words: list[Token], at: int, *, capitals: bool) -> list[str]:
    """Return up to five words of a name from ``at``."""
    found: list[str] = []
    for index in range(at, min(at + 5, len(words))):
        word = words[index]
        broken = index > at and (word.gap == "." or (word.gap == "," and len(found) > 1))
        small = capitals and not word.raw[0].isupper() and not _begins_surname(words, index, found)
        if broken or small or not (_is_name_word(word) or word.text in PARTICLES):
            break
        found.append(word.raw)
    return found


def _begins_surname(words: list[Token], at: int, first: list[str]) -> bool:
    """Whether words written small belong to the last name that follows: "Maria de la Cruz"."""
    rest = words[at : at + 3]
    capital = next((word for word in rest if word.raw[0].isupper()), None)
    particles = rest[: rest.index(capital)] if capital else rest
    return bool(first) and capital is not None and all(word.text in PARTICLES for word in particles)


def names_after_cue(words: list[Token]) -> list[str]:
    """Return the names after "my name is" and the like, full names first."""
    texts = [word.text for word in words]
    found = []
    for at in range(len(words)):
        for cue in _CUES:
            if tuple(texts[at : at + len(cue)]) == cue:
                start = at + len(cue)
                name = _run(words, start, capitals=True) or (
                    _run(words, start, capitals=False) if "name" in cue else []
                )
                if name:
                    found.append(" ".join(name))
                break
    return sorted(found, key=lambda name: -min(len(name.split()), 2))


def capitalised_names(words: list[Token]) -> list[str]:
    """Return two or more capitalised words in a row, or one in a text of three words at most, full names first."""
    found: list[str] = []
    at = 0
    while at < len(words):
        name = _run(words, at, capitals=True)
        if len(name) >= 2 or (name and len(words) <= 3):
            found.append(" ".join(name))
        at += max(1, len(name))
    return sorted(found, key=lambda name: not re.search(r" ", name))
