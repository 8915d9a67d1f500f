"""Grounding: the values of a text (numbers, codes, names, days) that are in none of the texts it may draw on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from voicebench.language.caller_acts import with_ordinals
from voicebench.language.itn import MONTHS, normalise
from voicebench.language.values import nato_letter

__all__ = ["Sources"]

_DAYS = {f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")}
_DAYS |= {day + "s" for day in _DAYS}
_RELATIVE = {"tomorrow", "yesterday", "tonight", "weekend"}
_PAYS = {"pay", "paid", "owe", "owed", "cost", "costs", "spend", "spent", "charged", "gave"}
"""Words that make an amount of the number behind them."""
_DAY = re.compile(r"\b(?:the|on|day) (\d{1,2})th\b")
_DAY_OF_MONTH = re.compile(rf"\b({'|'.join(MONTHS)}) (\d{{1,2}})\b(?! \d)")
_DAYS_IN = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\b")
_LEAST_DAY = 4
"""The first of a month is as often the first of some offers."""
_MONTHS = set(MONTHS) - {"may", "march"}  # these two are words as well; with a day behind them their number is seen
_UNIT = re.compile(r"(dollar|cent|percent|euro|pound|day|week|month|year|hour|minute)s?|am|pm|oclock")
_NUMBER = re.compile(r"\d[\d.]*(st|nd|rd|th)?")
_NAME = re.compile(r"(?<![.!?:;\"\u201c\u2026])(?<=[\w,'\u2019)-])\s+([A-Z][a-z][\w'\u2019-]*)")
"""A capital inside a sentence."""
_ADDRESS = re.compile(r"\b(?:at|@)\s*([\w-]+)\s*(?:\.|\bdot\b)\s*(?:com|net|org|edu)\b", re.IGNORECASE)
_ORDINARY = {
    "english",
    "god",
    "internet",
    "sir",
    "madam",
    "okay",
    "hello",
    "hi",
    "yes",
    "no",
    "sorry",
    "thanks",
    "thank",
}
_ABBREVIATIONS = {"mr", "mrs", "ms", "dr", "ok", "id", "tv", "zip", "pin"}
_EXAMPLE = re.compile(r"\b([A-Za-z]),? (?:as in|like in|like|for) [A-Za-z]+")
"""A letter and the word that explains it."""
_TITLE = re.compile(r"\b(Mr|Mrs|Ms|Dr)\.")
_CALLED = re.compile(r"\b(?:named|called|mr|mrs|ms|miss)$", re.IGNORECASE)
_LONGEST = 24
_LEAST_PART = 4
_LEAST_SPELLED = 3
_SHORT = 80
"""Characters of a text that may be one value as a whole."""


class Sources:
    """The texts that a caller may draw on: its task, and what it has heard so far.

    Args:
        texts: all of them; values in them are found in whatever way they are written or spoken.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)

    def ungrounded_values(self, text: str) -> list[str]:
        """Return the values of a text that are in no source, as they were said."""
        words = normalise(text).split()
        found = [*self.ungrounded_numbers(words), *self.ungrounded_days(words), *self.ungrounded_names(text)]
        return list(dict.fromkeys(found))

    def ungrounded_numbers(self, words: list[str]) -> Iterator[str]:
        """Yield numbers and spelled codes that are no part of one in the sources, and amounts that are not there whole.

        Args:
            words: of a normalised text.
        """
        for start, end in _runs(words):
            after = words[end] if end < len(words) else ""
            run = words[start:end]
            before = words[start - 1] if start else ""
            if _UNIT.fullmatch(after) or (before in _PAYS and len(run) == 1):
                if run[-1] not in self._amounts:
                    yield f"{run[-1]} {after}" if _UNIT.fullmatch(after) else run[-1]
                run = run[:-1]
            elif len(run) == 1 and len(run[0]) == 1:
                continue  # a small number is as often a word: "two questions", "a minute or 2"
            # Two facts said in one breath may have become one number: it is cut into parts of four characters and more.
            if run and not (_tiles(run, self._is_code, 1) or _tiles("".join(run), self._is_code, _LEAST_PART)):
                yield " ".join(run)

    def ungrounded_days(self, words: list[str]) -> Iterator[str]:
        """Yield the days and months of a normalised text that no source names."""
        for word in words:
            if word in _DAYS | _RELATIVE | _MONTHS and word not in self._words and word.rstrip("s") not in self._words:
                yield word

        for match in _DAY.finditer(with_ordinals(" ".join(words))):
            if int(match[1]) >= _LEAST_DAY and int(match[1]) not in self._numbers:
                yield f"the {match[1]}th"
        for match in _DAY_OF_MONTH.finditer(" ".join(words)):
            if len(match[2]) == 1 and int(match[2]) not in self._numbers:  # longer ones are numbers of their own
                yield match[0]

    def ungrounded_names(self, text: str) -> Iterator[str]:
        """Yield the names, found by their capitals, and the addresses of a text that no source holds."""
        unspelled = _EXAMPLE.sub(r"\1", _TITLE.sub(r"\1", text))
        for match in (*_NAME.finditer(unspelled), *_ADDRESS.finditer(unspelled)):
            word = match[1]
            bare = _bare(word)
            is_letter = nato_letter(bare) is not None and not _CALLED.search(unspelled[: match.start()])
            if bare not in self._words | _ORDINARY | _ABBREVIATIONS and not is_letter:
                yield word

    def _is_code(self, parts: Sequence[str]) -> bool:
        code = "".join(parts).replace(".", "")
        return code in self._codes and (len(code) >= _LEAST_SPELLED or any(c.isdigit() for c in code))

    @cached_property
    def _codes(self) -> str:
        """All numbers and codes of the sources, each between bars."""
        codes = []
        for text in self._texts:
            words = normalise(text).split()
            codes += ["".join(words[start:end]) for start, end in _runs(words)]
            codes += [word for word in words if len(word) > 1]
            codes += ["".join(c for c in text.casefold() if c.isalnum())] if len(text) <= _SHORT else []
        return "|" + "|".join(code.replace(".", "") for code in codes) + "|"

    @cached_property
    def _amounts(self) -> set[str]:
        return {word for text in self._texts for word in normalise(text).split() if _NUMBER.fullmatch(word)}

    @cached_property
    def _numbers(self) -> set[int]:
        """Numbers that may be days of a month."""
        texts = (with_ordinals(normalise(text)).replace("-", " ") for text in self._texts)
        return {int(match[1]) for text in texts for match in _DAYS_IN.finditer(text)}

    @cached_property
    def _words(self) -> set[str]:
        written = {_bare(word) for text in self._texts for word in re.findall(r"[\w'\u2019-]+", text)}
        return (
            written
            | {part for word in written for part in word.split("-")}
            | {word for text in self._texts for word in normalise(text).split()}
        )


def _tiles(whole: Sequence[str], is_known: Callable[[Sequence[str]], bool], least: int) -> bool:
    """Whether a sequence can be cut into known parts of at least some length."""
    reached = {0}
    for end in range(least, len(whole) + 1):
        if any(end - start >= least and is_known(whole[start:end]) for start in reached):
            reached.add(end)
    return len(whole) in reached


def _bare(word: str) -> str:
    """Return a word in small letters, without a genitive or an apostrophe."""
    return re.sub(r"['\u2019]s$|['\u2019]", "", word.casefold())


def _runs(words: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of numbers and single letters that hold a number or at least three letters."""
    start = 0
    while start < len(words):
        end = start
        while end < len(words) and _is_code_part(words, end, start) and end - start < _LONGEST:
            end += 1
        run = words[start:end]
        if any(_NUMBER.fullmatch(word) for word in run) or len(run) >= 3:
            yield start, end
        start = max(end, start + 1)


def _is_code_part(words: list[str], at: int, start: int) -> bool:
    word = words[at]
    if _NUMBER.fullmatch(word):
        return True
    if len(word) != 1 or not word.isalpha():
        return False
    if word not in "ai":
        return True
    if at > start:  # an article or "I", unless it goes on with a spelling or begins one
        return words[at - 1].isalpha()
    return at + 1 < len(words) and len(words[at + 1]) == 1 and words[at + 1] not in "ai"
