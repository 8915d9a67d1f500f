"""Whose name an agent says: its own, by which it introduces itself, or the caller's, which it reads back."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from voicebench.language.compare import compare_values
from voicebench.language.names import names_in
from voicebench.language.sentences import split_sentences

__all__ = ["differs_in_first_name", "names_read_back", "repeats_part_of_name", "without_introductions"]

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


_PART = re.compile(
    r"\b(?:(first|last|family|sur) ?name|the name|your name|name)(?: is| was|'s|:)? ([A-Z][\w'\u2019-]+)",
)
_SOUNDS = {"ph": "f", "th": "t", "ck": "k", "ay": "a", "ai": "a", "c": "k", "y": "i", "z": "s", "h": ""}


def differs_in_first_name(name: str, other: str) -> bool:
    """Whether the first names of two full names that sound alike are written as different ones: Dana and Diana."""
    firsts = {_written(one.split()[0]) for one in (name, other) if len(one.split()) > 1}
    return len(firsts) > 1


def _written(word: str) -> str:
    """Return a name's letters without the ways in which a recognizer may write the same one: Thomas and Tomas."""
    word = word.casefold()
    ending = "e" if re.search(r"(?:ll|nn|tt)e$", word) else ""
    for letters, sound in _SOUNDS.items():
        word = word.replace(letters, sound)
    return re.sub(r"(.)\1+", r"\1", word).rstrip("e") + ending


def _named_parts(text: str, name: str) -> list[tuple[str, str]]:
    """Return the words said to be the first or last name, each with the word of the name in whose place it is."""
    words = name.split()
    found = []
    for label, word in _PART.findall(text.replace("Last name", "last name").replace("First name", "first name")):
        part = words[-1] if label in ("last", "family", "sur") else words[0]
        found.append((word, part))
    return [(word, part) for word, part in found if len(words) > 1]


def repeats_part_of_name(text: str, name: str) -> bool:
    """Whether a turn names the caller's first or last name as such: "and the name was Dana?"."""
    parts = _named_parts(text, name)
    return bool(parts) and all(_written(word) == _written(part) for word, part in parts)


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
    parts = _named_parts(without_introductions(text), name)
    wrong = [word for word, part in parts if _written(word) != _written(part) and word not in name.split()]
    return [other for one in sentences for other in names_in(one.text) if _is_meant(other, name, one.text)] + wrong


def _is_meant(other: str, name: str, sentence: str) -> bool:
    """Whether another name stands in a sentence where the caller's should."""
    if set(_letters(other)) <= set(_letters(name)):
        return False
    if compare_values("name", name, other).equal:
        return differs_in_first_name(name, other)
    place = sentence.casefold().find(other.casefold())
    if place < 0:  # spelled letter by letter
        return True
    before, after = (part.replace("\u2019", "'") for part in (sentence[:place], sentence[place + len(other) :]))
    is_alike = SequenceMatcher(None, other.casefold(), name.casefold()).ratio() >= _LIKE
    placed = _ASKED_WHOLE.search(sentence) or _CUE_BEFORE.search(before) or _TAG_AFTER.search(after)
    return is_alike or placed is not None


def _letters(name: str) -> list[str]:
    return [word.casefold() for word in name.split()]
