"""Whose name an agent says: its own, by which it introduces itself, or the caller's, which it reads back."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from voicebench.language.compare import compare_values
from voicebench.language.names import names_in
from voicebench.language.sentences import split_sentences

__all__ = ["names_read_back", "without_introductions"]

_CAPITALISED = r"[A-Z][\w'\u2019-]*"
_WORDS = rf"(?:\s+(?:Dr\.|{_CAPITALISED}))"
_FROM = (
    r"(?:,?\s+(?:here|speaking|calling|with you|(?:from|at|with|of|in|on)(?:\s+(?:the|our))?"
    rf"(?:{_WORDS}|\s+\w+){{1,3}}))?"
)
_INTRODUCTION = re.compile(
    r"\b(?:[Ii](?:['\u2019]m|\s+am)|[Tt]his\s+is|[Mm]y\s+name(?:['\u2019]s|\s+is)|[Hh]ere\s+is"
    r"|[Yy]ou(?:['\u2019]re|\s+are)?\s+(?:now\s+)?(?:speaking|talking|chatting|through)\s+(?:with|to)"
    r"|[Yy]ou(?:['\u2019]ve|\s+have)\s+reached|(?:[Yy]ou\s+can\s+|[Tt]hey\s+)?[Cc]all\s+me"
    r"|[Ii]t(?:['\u2019]s|\s+is)|(?:[Tt]hank\s+you|[Tt]hanks)\s+for\s+(?:calling|contacting|choosing|reaching)"
    rf"|[Ww]elcome\s+to)(?:\s+the)?{_WORDS}{{1,4}}{_FROM}"
)
_HERE = re.compile(
    rf"(?:^|(?<=[.!?,;]))\s*(?:(?:[Hh]i|[Hh]ello),?\s+)?(?!Am\b|Is\b|Are\b|Who\b)"
    rf"{_CAPITALISED}(?:{_WORDS})?\s+(?:here|speaking)\b(?!\s+(?:with|to))"
)
_ASKED_WHOLE = re.compile(
    r"^(?:(?:and|so|okay|ok|alright|all right|great|thanks|thank you|hi|hello)[, ]+)*"
    r"(?:this is|it['\u2019]?s|it is|that['\u2019]?s|that is)\b[^,]*"
    r"(?:,\s*(?:right|correct|yes|is that (?:right|correct)|is it))?\s*\?$",
    re.IGNORECASE,
)
"""A question that is nothing but "this is Dana Whitfield?": it asks whether that is the caller."""

_CUE_BEFORE = re.compile(
    r"(?:\b(?:your|the|callers?|full|first|last|patient'?s?)\s+(?:\w+\s+)?name(?:\s+here)?"
    r"(?:\s+(?:is|as|was|would be)|'s|:)?|(?<!my )\bname(?:'s| is| as|:)|\b(?:speaking|talking) (?:with|to)"
    r"|\bis (?:this|that)|\b(?:you said|did you say|i heard|down as|spelled|listed as|under the name(?: of)?"
    r"|you're called|i have(?: you)?(?: here)?(?: as)?|i've got))[\s:,]*$",
    re.IGNORECASE,
)
_TAG_AFTER = re.compile(
    r"^[\s,.;:]*(?:(?:is|was) (?:that|this|it)\b|(?:that's |is that )?(?:correct|right)\b|did i\b"
    r"|your (?:full |first |last |own )?name\b|or (?:did|is|was)\b|have i\b|do i\b|am i\b|yes\s*\?)",
    re.IGNORECASE,
)
_LIKE = 0.6
"""From this likeness on, by letters, another name is taken for the caller's heard wrong."""


def without_introductions(text: str) -> str:
    """Return a turn without the words by which its speaker introduces itself: "I'm Robin from Kestrel"."""
    kept = []
    for sentence in split_sentences(text):
        if _ASKED_WHOLE.search(sentence.text.strip()):
            kept.append(sentence.text)
        else:
            kept.append(_HERE.sub(" ", _INTRODUCTION.sub(" ,", sentence.text)))
    return " ".join(kept)


def names_read_back(text: str, name: str, *, asks: bool) -> list[str]:
    """Return the names that a turn says in the place of the caller's, in the order of the turn.

    Args:
        text: the turn.
        name: the caller's.
        asks: the turn asks for confirmation, or asks anything; if not, no name is one that needs an answer.
    """
    if not asks:
        return []
    sentences = split_sentences(without_introductions(text))
    return [other for one in sentences for other in names_in(one.text) if _is_meant(other, name, one.text)]


def _is_meant(other: str, name: str, sentence: str) -> bool:
    """Whether another name stands in a sentence where the caller's should."""
    if set(_letters(other)) <= set(_letters(name)) or compare_values("name", name, other).equal:
        return False
    place = sentence.casefold().find(other.casefold())
    if place < 0:  # spelled letter by letter
        return True
    before, after = (part.replace("\u2019", "'") for part in (sentence[:place], sentence[place + len(other) :]))
    is_alike = SequenceMatcher(None, other.casefold(), name.casefold()).ratio() >= _LIKE
    placed = _ASKED_WHOLE.search(sentence) or _CUE_BEFORE.search(before) or _TAG_AFTER.search(after)
    return is_alike or placed is not None


def _letters(name: str) -> list[str]:
    return [word.casefold() for word in name.split()]
