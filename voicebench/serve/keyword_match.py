"""Whether a sentence that was heard is what a few plain words describe: how the local caller understands."""

from __future__ import annotations

import re

from voicebench.language.dialogue_acts import sentences
from voicebench.language.itn import normalise

__all__ = ["asks", "tells"]

_ENOUGH = 0.6
"""Share of the describing words that must be there."""
_STEM = 4
_EMPTY = frozenset(
    [
        *("a", "an", "and", "any", "are", "as", "at", "be", "can", "could", "do", "does", "for", "from", "has", "have"),
        *("he", "her", "his", "i", "in", "is", "it", "its", "may", "me", "my", "no", "of", "on", "or", "our", "shall"),
        *(
            "she",
            "so",
            "that",
            "the",
            "their",
            "them",
            "then",
            "they",
            "this",
            "to",
            "us",
            "was",
            "we",
            "what",
            "which",
        ),
        *("which", "who", "will", "with", "would", "you", "your"),
    ]
)
_ACTS = frozenset(["told", "confirmed", "asked", "asks", "offered", "made", "done", "given", "named"])
"""Words of a description that say only how it is told."""
_ASKING = re.compile(r"\b(may|can|could|would|what|which|who|when|please|tell|give|need|provide|confirm|verify|how)\b")
_ANNOUNCED = re.compile(r"\b(ill|i will|we will|going to|let me|shall|should|would|could|can|do you|if|once|before)\b")
_DAY = re.compile(
    r"\b(\w+day|(january|february|march|april|may|june|july|august|september|october|november|december) \d+)\b"
)
_TIME = re.compile(r"\b(\d+ (am|pm)|(at|am|pm|oclock|morning|noon|afternoon))\b")
_NOT = re.compile(r"\b(not|no|cannot|cant|couldnt|unable|never|dont|wont|isnt|sorry|unfortunately|only)\b")
_MEANT = {
    "day": _DAY,
    "date": _DAY,
    "time": _TIME,
    "takes": re.compile(r"\b(takes?|taking|putting|transferr(ing|ed)|connect(ing|ed)|handing)\b"),
    "over": re.compile(r"\b(over|through|to)\b"),
    **dict.fromkeys(("failed", "refused", "denied", "without", "blocked"), _NOT),
}
"""Describing words that stand for many others."""


def asks(text: str, description: str, question: str = "") -> bool:
    """Whether a turn asks for what is described, or asks a question that is much like this one."""
    for sentence in sentences(text):
        plain = normalise(sentence)
        if "?" in sentence or _ASKING.search(plain):
            if _share(_content(question), plain) >= _ENOUGH:
                return True
            if _share(_content(description), plain) == 1.0:
                return True
    return False


def tells(text: str, description: str) -> bool:
    """Whether a turn says that what is described has happened; neither a question nor an announcement does."""
    words = [word for word in _content(description) if word not in _ACTS] or _content(description)
    return any(
        "?" not in sentence and not _ANNOUNCED.search(plain := normalise(sentence)) and _share(words, plain) >= _ENOUGH
        for sentence in sentences(text)
    )


def _content(text: str) -> list[str]:
    return [word for word in normalise(text).split() if word not in _EMPTY]


def _share(words: list[str], plain: str) -> float:
    """Return the share of some words that a sentence has, by their beginnings."""
    stems = {word[:_STEM] for word in plain.split()}
    found = [bool(_MEANT[word].search(plain)) if word in _MEANT else word[:_STEM] in stems for word in words]
    return sum(found) / len(found) if found else 0.0
