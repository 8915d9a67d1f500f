"""What an agent repeats of a caller's facts: rightly, or with another value in the place of one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from voicebench.language.compare import compare_values
from voicebench.language.extract import extract
from voicebench.language.itn import MONTHS, normalise
from voicebench.language.slots import Fact, FactSpec

__all__ = ["ReadBack", "facts_in", "read_backs"]

_READABLE = {"id", "phone", "date", "number", "name"}
_UNMISTAKABLE = 6
"""Characters of an identifier from which on another one in its format is taken for it without a request to confirm."""

_CONFIRM = re.compile(
    r"\b(?:(?:is|was) (?:that|this|it) (?:right|correct)|is (?:that|this) (?:your|the) (?:right|correct)"
    r"|did i (?:get|hear|have|catch) (?:that|it|you)|do i have (?:that|it|your)|you said|did you say"
    r"|(?:to|let me|i want to|i would like to|can i|can you) (?:just )?(?:confirm|repeat|verify that)|just confirming"
    r"|read(?:ing)? (?:that|it|this) back|that correct|that right)\b"
)
_LOOSE_CONFIRM = re.compile(r"\b(?:i have|i ve got|ive got|i got|i heard|got it|so that s|so thats|so that is)\b")

_NAMED = re.compile(r"\b(?:speaking with|your (?:full |last |first )?name|name is|name as)\b")
_DATED = re.compile(rf"\b(?:{'|'.join(MONTHS)}) \d{{1,2}} (\d{{4}})\b")


@dataclass(frozen=True)
class ReadBack:
    """What a turn repeats of the caller's facts.

    Attributes:
        right: facts whose value is in it.
        wrong: facts in whose place another value of the same kind is, each with that value.
        confirm: it asks for confirmation, or at least it asks something.
    """

    right: frozenset[str]
    wrong: Mapping[str, str]
    confirm: bool


def read_backs(
    text: str, facts: Mapping[str, Fact], specs: Mapping[str, FactSpec], expected: Collection[str]
) -> ReadBack:
    """Find the caller's facts in an agent's turn, by type and format.

    Any fact may be repeated rightly. Only an ``expected`` one (given last, or asked for in this turn) can be repeated
    wrongly, and only where the turn reads like it, so that an appointment's date is not taken for a date of birth, nor
    a year for the last digits of a card.

    Args:
        text: the turn as it was understood.
        facts: the caller's facts.
        specs: the pack's kinds of facts; a fact without one is not looked for.
        expected: names of the facts that the agent may be repeating.
    """
    kinds = {name: specs[name] for name in facts if name in specs and specs[name].type in _READABLE}
    found = {name: extract(spec, text) for name, spec in kinds.items()}
    right = facts_in(text, facts, kinds)
    turn = _AgentTurn(normalise(text), text.rstrip().endswith("?"))
    repeated = [_bare(facts[name].value) for name in right]
    wrong: dict[str, str] = {}
    for name, spec in kinds.items():
        if name in expected and name not in right:
            # a part of a fact repeated rightly, such as the last digits of a phone number, is no other value
            values = [one for one in found[name] if not any(_bare(one) in whole for whole in repeated)]
            others = [one for one in values if turn.repeats(spec, one)]
            wrong |= {name: others[0]} if others else {}
    return ReadBack(right, wrong, turn.confirms or turn.question)


def facts_in(text: str, facts: Mapping[str, Fact], specs: Mapping[str, FactSpec]) -> frozenset[str]:
    """Return the names of the facts whose values are in a text, by their types."""
    kinds = {name: specs[name] for name in facts if name in specs and specs[name].type in _READABLE}
    return frozenset(
        name
        for name, spec in kinds.items()
        if any(compare_values(spec.type, facts[name].value, value).equal for value in extract(spec, text))
    )


@dataclass(frozen=True)
class _AgentTurn:
    """A turn, normalised, and whether it ends as a question."""

    words: str
    question: bool

    @property
    def confirms(self) -> bool:
        return _CONFIRM.search(self.words) is not None

    def repeats(self, spec: FactSpec, value: str) -> bool:
        """Whether a value of this kind, which is not the caller's, is meant as the caller's."""
        if value in _DATED.findall(self.words):
            return False
        if spec.type == "name":
            return _NAMED.search(self.words) is not None and (self.confirms or self.question)
        formatted = spec.type == "id" and spec.format is not None and len(_bare(value)) >= _UNMISTAKABLE
        loosely = self.question or _LOOSE_CONFIRM.search(self.words) is not None
        return self.confirms or (loosely and (formatted or spec.type == "phone"))


def _bare(value: str) -> str:
    return "".join(c for c in value.casefold() if c.isalnum())
