"""What a caller asks for or tells of that nothing gave it: by what is left of a clause, whatever it names.

The reverse of a list of topics: the words of ordinary talk, of the caller's part and of the other side are taken away,
and what is left of a request is another request, and what is left of a claim another claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from voicebench.language.caller_acts import clauses
from voicebench.language.itn import normalise
from voicebench.language.plain_talk import is_plain, same_things, stem
from voicebench.language.values import nato_letter

__all__ = ["ForeignWords"]

_REQUESTS = re.compile(
    r"\b(?:can|could|would|will|may|might|shall|should) (?:you|i|we|they|somebody|someone|he|she)\b"
    r"|\b(?:i|we) (?:\w+ )?(?:need|want|wanted|wonder|wondered|was wondering|am looking|would like|was hoping|hope)\b"
    r"|\b(?:id|wed) (?:\w+ )?(?:like|love|want|need|appreciate|prefer)\b"
    r"|\b(?:do|does|did|is|are|have|has) (?:you|i|we|there|they|it|the|your|my)\b"
    r"|\b(?:what|whats|when|whens|where|wheres|which|who|whos|how|why)\b"
    r"|\b(?:tell|give|send|get|show|find|help|let|check|explain|transfer|connect|put) (?:me|us|my|on|with)\b"
    r"|^(?:and )?(?:please|also|maybe|perhaps)\b|\b(?:please|also|as well|too|besides)$"
    r"|\blooking for\b|\bquestion about\b"
)
_ADDS = re.compile(
    r"\b(?:also|as well|too|by the way|besides|while (?:i|im|were|youre|we|you)|another thing|(?:one|1) more|1 other"
    r"|one other|on top of that|in addition|before i forget|speaking of"
    r"|and (?:then )?(?:could|can|i (?:want|need)|id like)|incidentally|oh and|plus)\b"
)
_DENIES = re.compile(
    r"\b(?:no|not|nothing|never|isnt|arent|wasnt|dont|doesnt|didnt|havent|without|nor|neither|nobody|cant|wont)\b"
)
_UNWANTED = re.compile(r"\b(?:(?:dont|do not) (?:want|need|like|care)|no|not|nor|neither|without)\b")
"""What is added as a further thing that is not wanted; "also I never got it" is one that is."""
_DETERMINED = re.compile(
    r"\b(?:my|our|his|her|their|your|a|an|the|some|any|this|that|these|those|got|have|had|has|in|at|with|about|for"
    r"|from|of|on|by|to|and|or) (?:\w+ )?$"
)
_ACTED = re.compile(
    r"\b(?:i|we|he|she|they|it|who|ive|weve|theyve|im|just|already|been|was|were|got|get|gets|keeps?|is|are|hes"
    r"|shes) (?:\w+ly )?$"
)
_LIKENESS = re.compile(r"\b(?:like|as in|as) (?:a|an|the|in)? ?\w+$")
_LEAST = 3


class ForeignWords:
    """The words that a caller may draw on, and what goes beyond them.

    Args:
        part: its part, whole.
        told: what the other side has said.
    """

    def __init__(self, part: Iterable[str], told: Iterable[str]) -> None:
        self._known = frozenset[str]().union(*(_things(text) for text in (*part, *told)))

    def knows(self, words: str) -> bool:
        """Whether this one word, with "my" or without, or another for the same thing was given."""
        *before, word = words.split()
        return before in ([], ["my"]) and stem(word) in self._known

    def requested(self, text: str) -> list[str]:
        """Return the foreign words of the clauses that ask for something and deny nothing."""
        found: list[str] = []
        adds = ""
        for clause in clauses(text):
            whole = f"{adds}{clause}"
            # what is added goes beyond the part by any word; another request, by the things that it names
            found += self._foreign(clause, claimed=not _ADDS.search(whole)) if _asks(whole) else []
            # "And another thing, …" goes on in the next clause
            adds = f"{clause} " if _ADDS.search(clause) and all(map(is_plain, clause.split())) else ""
        return found

    def claimed(self, text: str) -> list[str]:
        """Return the foreign things and acts of the clauses that state something and deny nothing."""
        return [
            word
            for clause in clauses(text)
            if not _DENIES.search(clause)
            for word in self._foreign(clause, claimed=True)
        ]

    def _foreign(self, clause: str, *, claimed: bool = False) -> list[str]:
        found = []
        for match in re.finditer(r"[a-z]+", clause):
            word, before = match[0], clause[: match.start()]
            if len(word) < _LEAST or is_plain(word) or nato_letter(word) or stem(word) in self._known:
                continue
            if _LIKENESS.search(f"{before}{word}"):
                continue
            if not claimed or self._is_thing(before) or (word.endswith(("ed", "ing")) and _ACTED.search(before)):
                found.append(word)
        return found

    def _is_thing(self, before: str) -> bool:
        """Whether a thing is named behind these words: "my old …", not "the headset …", where it is an act."""
        if not _DETERMINED.search(before):
            return False
        last = before.split()[-1]
        return is_plain(last) or stem(last) not in self._known


def _asks(clause: str) -> bool:
    if _ADDS.search(clause):
        return _UNWANTED.search(clause) is None
    return _REQUESTS.search(clause) is not None and not _DENIES.search(clause)


@lru_cache(4096)
def _things(text: str) -> frozenset[str]:
    """Return the stems of a text, and of what stands for the same things."""
    words = set(re.findall(r"[a-z]+", normalise(text))) | set(re.findall(r"[a-z]+", text.casefold()))
    return frozenset[str]().union(*(same_things(stem(word)) for word in words))
