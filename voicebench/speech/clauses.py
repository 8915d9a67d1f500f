"""Where a text may be cut so that its first words can be spoken before its last are known."""

from __future__ import annotations

import re

__all__ = ["split_clauses"]

_SHORTEST = 25
_QUOTES = "\"'\u2018\u2019\u201c\u201d"
_DASHES = "\u2013\u2014-"
_MARK = re.compile(rf"(?P<mark>[.!?\u2026]+|[,;:]|\s[{_DASHES}]{{1,2}}(?=\s))[{_QUOTES})\]]*\s+(?=\S)")
_WORD = re.compile(rf"[^\s,;:.!?\u2026{_QUOTES}()\[\]\u2013\u2014]+")
_OPENING = f"{_QUOTES}(["
_NO_END = re.compile(
    r"mr|mrs|ms|dr|st|ave|rd|blvd|apt|vs|etc|jr|sr|prof|dept|ext|approx|inc|ltd|co|corp|e\.g|i\.e|a\.m|p\.m|u\.s|u\.k"
)
_NUMBER_WORD = re.compile(
    "zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(thir|four|fif|six|seven|eigh|nine)teen|"
    "(twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|double|triple|dash|hyphen|slash|dot|point"
)


def split_clauses(text: str) -> list[str]:
    """Split ``text`` at sentence ends and clause marks into pieces of at least about 25 characters.

    Never inside a number or an abbreviation ("5,000", "$25.50", "p.m."), and never between spelled letters or digits:
    "K E, four four seven" stays whole. Joined by one space the clauses give the text again, white space apart.

    Text may come in bit by bit: all clauses but the last stay as they are when more text follows.
    """
    text = " ".join(text.split())
    clauses: list[str] = []
    start = 0
    for match in _MARK.finditer(text):
        end = match.end()
        if len(text[start:end].rstrip()) >= _SHORTEST and _may_cut(text, match):
            clauses.append(text[start:end].rstrip())
            start = end
    rest = text[start:]
    if clauses and len(rest) < _SHORTEST:
        clauses[-1] = f"{clauses[-1]} {rest}".rstrip()
        return clauses
    return [*clauses, rest] if rest else clauses


def _may_cut(text: str, match: re.Match[str]) -> bool:
    before, after = text[: match.start("mark")], text[match.end() :]
    last = before.rsplit(" ", 1)[-1].lstrip(_OPENING)
    following = _WORD.match(after.lstrip(_OPENING))
    if _is_spelled(last) and following is not None and _is_spelled(following[0]):
        return False
    if match["mark"] == ".":
        return not (
            _NO_END.fullmatch(last.lower()) or (len(last) == 1 and last.isupper() and last != "I") or after[0].islower()
        )
    return True


def _is_spelled(word: str) -> bool:
    """Whether the word is a piece of something read out: letters as in "KE", digits, or the word of a number."""
    if word in ("I", "a"):
        return False
    if word.isupper() and len(word) <= 3:
        return True
    parts = [part for part in word.lower().split("-") if part]
    return bool(parts) and all(len(part) == 1 or part[0].isdigit() or _NUMBER_WORD.fullmatch(part) for part in parts)
