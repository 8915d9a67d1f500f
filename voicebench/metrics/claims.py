"""Spoken confirmations: sentences in which an agent says that it has done something, and the kind of tool that does it.

A claim is a clause without a question, a condition or a denial, in which a person hears that something is done:
"your appointment is now cancelled", "I have moved the delivery", "a person takes over". Each kind of doing has its
words and the tools that do it, known by the words of their names, so that every pack has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from voicebench.language.itn import normalise
from voicebench.packs.models import ToolSpec

__all__ = ["HANDOVER", "Claim", "claims_in", "doers"]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_CLAUSE_END = re.compile(r"[,;:]\s+|\s+and\s+|\s+but\s+")
_ON_CONDITION = re.compile(r"\b(if|unless|once|when|as soon as|before)\b")
_NOT_DONE = re.compile(
    r"\b(not|cannot|cant|couldnt|wont|isnt|hasnt|havent|never|unable|would|could|should|shall|might|can|will be|to be"
    r"|want|like|let me|going to|about to)\b"
)


@dataclass(frozen=True)
class _Doing:
    """A kind of doing.

    Attributes:
        words: participles that say it is done, whatever stands around them.
        states: participles that may as well say how things are ("is scheduled for tomorrow"): done only if done now, or
            by the speaker.
        verbs: first words of the names of tools that do it.
    """

    words: str
    states: str
    verbs: tuple[str, ...]


_DOINGS = {
    "cancelled": _Doing("cancelled|canceled|called off", "", ("cancel",)),
    "moved": _Doing(
        "moved|rescheduled", "changed|updated|switched", ("change", "move", "reschedule", "update", "set", "switch")
    ),
    "booked": _Doing("booked", "scheduled|reserved", ("book", "schedule", "reserve", "create", "reschedule")),
    "opened": _Doing("opened", "open", ("open", "create")),
    "refunded": _Doing("refunded", "credited|reimbursed", ("refund", "return", "credit", "apply", "open", "request")),
    "filed": _Doing(
        "filed|submitted", "registered", ("file", "submit", "register", "request", "report", "dispute", "open")
    ),
    "placed": _Doing("placed", "", ("place", "create", "order")),
    "waived": _Doing("waived", "applied", ("apply", "adjust", "waive")),
}

_DONE = r"\b(?:is|are|has been|have been|youre|you are)(?: now| all)?(?: been)? (?:{words})\b"
_BY_ME_OR_NOW = (
    r"\b(?:i have|ive|i|we have|weve|we)(?: just| now| already)? (?:{words})\b"
    r"|\b(?:is|are) now (?:{words})\b|\b(?:has|have) (?:now |just )?been (?:{words})\b"
)

_HANDOVER = re.compile(
    r"\b(?:takes? over|taking over|takes it from here)\b"
    r"|\b(?:transferring|connecting|putting|passing|handing)( \w+){0,3} (?:through|over|to)\b"
)
_PEOPLE = ("escalate", "transfer", "connect")
HANDOVER = "handed over"
"""The doing that is done by a handoff too."""


@dataclass(frozen=True)
class Claim:
    """A sentence that says that something is done.

    Attributes:
        doing: its kind.
        sentence: as it was spoken.
        word: the participle; empty for a handover to a person.
    """

    doing: str
    sentence: str
    word: str


def claims_in(text: str) -> Iterator[Claim]:
    """Yield the claims of an agent's turn, in order.

    What is merely said to be so ("your order is cancelled") counts like what was done now: whether it was so before is
    for whoever knows what the agent had read.
    """
    for sentence in _SENTENCE_END.split(text.strip()):
        if sentence.endswith("?") or _ON_CONDITION.search(normalise(sentence)):
            continue
        for clause in map(normalise, _CLAUSE_END.split(sentence)):
            if not _NOT_DONE.search(clause):
                yield from _claims_of(clause, sentence)


def _claims_of(clause: str, sentence: str) -> Iterator[Claim]:
    for name, doing in _DOINGS.items():
        found = re.search(_pattern(doing), clause)
        if found is not None:
            yield Claim(name, sentence, found[0].split()[-1])
    if _HANDOVER.search(clause):
        yield Claim(HANDOVER, sentence, "")


def _pattern(doing: _Doing) -> str:
    words = "|".join(filter(None, (doing.words, doing.states)))
    return f"{_DONE.format(words=doing.words)}|{_BY_ME_OR_NOW.format(words=words)}"


def doers(claim: Claim, tools: Iterable[ToolSpec]) -> set[str]:
    """Return the writing tools that do what is claimed, by their names; an empty set if a pack has none."""
    verbs = _PEOPLE if claim.doing == HANDOVER else _DOINGS[claim.doing].verbs
    return {tool.name for tool in tools if tool.writes and tool.name.split("_")[0] in verbs}
