"""Spoken confirmations: sentences in which an agent says that it has done something.

A claim is a clause without a question, a condition or a denial, in which a person hears that something is done:
"your appointment is now cancelled", "I have moved the delivery", "a person takes over". Each kind of action has its
words, and the tools that do it are known by the first words of their names, so that every pack has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from voicebench.language.dialogue_acts import sentences
from voicebench.language.itn import normalise

__all__ = ["HANDOVER", "Claim", "claims_in"]

_CLAUSE_END = re.compile(r"[,;:]\s+|\s+and\s+|\s+but\s+")
_ON_CONDITION = re.compile(r"\b(if|unless|once|when|as soon as|before)\b")
_NOT_DONE = re.compile(
    r"\b(not|cannot|cant|couldnt|wont|isnt|hasnt|havent|never|unable|would|could|should|shall|might|can|will be|to be"
    r"|want|like|let me|going to|about to)\b"
)


@dataclass(frozen=True)
class _Action:
    """A kind of action.

    Attributes:
        words: participles that say it is done, whatever stands around them.
        states: participles that may as well say how things are ("is scheduled for tomorrow"): done only if done now, or
            by the speaker.
        verbs: first words of the names of tools that do it.
    """

    words: str
    states: str
    verbs: tuple[str, ...]

    def is_claimed_in(self, clause: str) -> re.Match[str] | None:
        """Find the words of a normalised clause that say the action is done."""
        words = "|".join(filter(None, (self.words, self.states)))
        return re.search(f"{_DONE.format(words=self.words)}|{_BY_ME_OR_NOW.format(words=words)}", clause)


_ACTIONS = {
    "cancelled": _Action("cancelled|canceled|called off", "", ("cancel",)),
    "moved": _Action(
        "moved|rescheduled", "changed|updated|switched", ("change", "move", "reschedule", "update", "set", "switch")
    ),
    "booked": _Action("booked", "scheduled|reserved", ("book", "schedule", "reserve", "create", "reschedule")),
    "opened": _Action("opened", "open", ("open", "create")),
    "refunded": _Action("refunded", "credited|reimbursed", ("refund", "return", "credit", "apply", "open", "request")),
    "filed": _Action(
        "filed|submitted", "registered", ("file", "submit", "register", "request", "report", "dispute", "open")
    ),
    "placed": _Action("placed", "", ("place", "create", "order")),
    "waived": _Action("waived", "applied", ("apply", "adjust", "waive")),
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
"""The kind of action that a handoff does too."""


@dataclass(frozen=True)
class Claim:
    """A sentence that says that something is done.

    Attributes:
        doing: the kind of action.
        sentence: as it was spoken.
        word: the participle; empty for a handover to a person.
    """

    doing: str
    sentence: str
    word: str

    def is_done_by(self, tool: str) -> bool:
        """Whether a tool does what is claimed, by the first word of its name."""
        return tool.split("_")[0] in (_PEOPLE if self.doing == HANDOVER else _ACTIONS[self.doing].verbs)


def claims_in(text: str) -> Iterator[Claim]:
    """Yield the claims of an agent's turn, in order.

    What is merely said to be so ("your order is cancelled") counts like what was done now: whether it was so before can
    be said only by what the agent had read.
    """
    for sentence in sentences(text):
        if sentence.endswith("?") or _ON_CONDITION.search(normalise(sentence)):
            continue
        for clause in map(normalise, _CLAUSE_END.split(sentence)):
            if _NOT_DONE.search(clause):
                continue
            for name, action in _ACTIONS.items():
                if found := action.is_claimed_in(clause):
                    yield Claim(name, sentence, found[0].split()[-1])
            if _HANDOVER.search(clause):
                yield Claim(HANDOVER, sentence, "")
