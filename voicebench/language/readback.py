"""What an agent repeats of a caller's facts: rightly, or with another value in the place of one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from voicebench.language.compare import compare_values
from voicebench.language.extract import extract
from voicebench.language.itn import MONTHS, normalise
from voicebench.language.name_mentions import names_read_back, without_introductions
from voicebench.language.number_mentions import days_in, offers_days, parts_of_number
from voicebench.language.slots import Fact, FactSpec

__all__ = ["ReadBack", "facts_in", "read_backs"]

_READABLE = {"id", "phone", "date", "number", "name"}
_UNMISTAKABLE = 6
"""Characters of an identifier from which on another one in its format is taken for it without a request to confirm."""
_BORN_BEFORE = 2016
"""A date before this year is a date of birth or long past, and no day that anything is arranged for."""

_CONFIRM = re.compile(
    r"\b(?:(?:is|was) (?:that|this|it|all that|all of that) (?:all )?(?:right|correct|accurate|good)"
    r"|is (?:that|this) (?:your|the) (?:right|correct)|(?:is|was) (?:that|this) what you said|have i got (?:that|it)"
    r"|did i (?:get|hear|have|catch|spell|understand) (?:that|it|you|this|your)|do i have (?:that|it|your|this)"
    r"|am i (?:right|correct)|you said|did you say"
    r"|(?:to|let me|ill|i will|i want to|i would like to|id like to|can i|may i|can you|could you|please)"
    r" (?:just |quickly |please )?(?:confirm|repeat|verify|double check|read)(?: back)? ?(?:that|it|this)?"
    r"|just (?:confirming|checking|to be sure|to make sure|making sure)|read(?:ing)? (?:that|it|this|your) back"
    r"|is (?!that |this |it )(?:\w+ ){1,4}your (?:\w+ )?name|is (?:this|that) the (?:\w+ )?(?:number|name|address) "
    r"(?:on|for|of|you)"
    r"|(?:that|is it|thats|it is|these|those) (?:right|correct)|(?:right|correct)$|yes or no"
    r"|make sure i (?:have|got))\b"
)
_CONSENTS = re.compile(
    r"\bconfirm (?:(?:if|whether) you (?:would |do |still )*(?:like|want|wish|agree|accept|are (?:okay|ok|"
    r"happy|fine|ready))"
    r"|(?:if|whether) youd like|(?:(?:if|whether|that) )?(?:this|that|it|these|everything) (?:is|are|sounds|works|"
    r"would be|looks) (?:acceptable|agreeable|"
    r"okay|ok|fine|all right"
    r"|alright|good|suitable)|(?:acceptable|agreeable|okay|ok|fine)\b)|\bconfirm(?: (?:with|by|saying|your|a|an|"
    r"explicit|clear|simple))* "
    r"(?:yes|consent|agreement|approval)\b|\bconfirm (?:to (?:proceed|go|continue)|before i|so (?:that )?i|and (?:i|"
    r"ill)\b)"
    r"|\b(?:can you|could you|please)(?: please| just| kindly)* (?:verify|double check|read|repeat) (?:your|the) "
    r"(?:details|information|info|order|account|name|number|date|email|address)\b"
)
"""A request for consent, or for a detail: no value before it is read back by that."""
_LOOSE_CONFIRM = re.compile(
    r"\b(?:i have|i ve got|ive got|i got|i heard|i wrote|i see|i put|got it|got you|so that s|so thats|so that is"
    r"|that s|thats|that was|that would be)\b"
)
_CHOICE = re.compile(r"\b(?:or|which|either)\b")
_BORN = re.compile(r"\b(?:birth|birthday|birthdate|born|dob)\b")
_DATED = re.compile(rf"\b(?:{'|'.join(MONTHS)}) \d{{1,2}} (\d{{4}})\b")


@dataclass(frozen=True)
class ReadBack:
    """What a turn repeats of the caller's facts.

    Attributes:
        right: facts whose value is in it, whole or, where it says so or asks, in part.
        wrong: facts in whose place another value of the same kind is, each with that value.
        offered: of the right ones those that are offered beside others, to choose from.
        confirm: it asks for confirmation, or at least it asks something.
        is_asked: it asks whether that is right.
    """

    right: frozenset[str]
    wrong: Mapping[str, str]
    offered: frozenset[str]
    confirm: bool
    is_asked: bool = False


def read_backs(
    text: str,
    facts: Mapping[str, Fact],
    specs: Mapping[str, FactSpec],
    expected: Collection[str],
    given: Collection[str] = (),
) -> ReadBack:
    """Find the caller's facts in an agent's turn, by type and format.

    Any fact may be repeated rightly. Only an ``expected`` one (given last, or asked for in this turn) can be repeated
    wrongly, and only where the turn reads like it, so that an appointment's date is not taken for a date of birth, nor
    a year for the last digits of a card, nor the agent's own name for the caller's.

    Args:
        text: the turn as it was understood.
        facts: the caller's facts.
        specs: the pack's kinds of facts; a fact without one is not looked for.
        expected: names of the facts that the agent may be repeating.
        given: those given before, and others that the agent may have; one of these is expected as well where its
            value cannot be another's and the turn asks whether all is right.
    """
    kinds = {name: specs[name] for name in facts if name in specs and specs[name].type in _READABLE}
    turn = _AgentTurn(text, normalise(text), text.rstrip().endswith("?"))
    found = {name: turn.values(spec, facts[name].value) for name, spec in kinds.items()}
    right = frozenset(
        name for name, spec in kinds.items() if any(_is_same(spec, facts[name], value) for value in found[name])
    )
    if turn.confirms:
        expected = {
            *expected,
            *(name for name in given if name in kinds and _is_unmistakable(kinds[name], facts[name])),
        }
    right |= {name for name in expected if name in kinds and turn.repeats_part(kinds[name], facts[name].value)}
    repeated = [_bare(facts[name].value) for name in right]
    wrong: dict[str, str] = {}
    for name, spec in kinds.items():
        if name in expected and name not in right:
            # a part of a fact repeated rightly, such as the last digits of a phone number, is no other value
            values = [one for one in found[name] if not any(_bare(one) in whole for whole in repeated)]
            others = [one for one in values if turn.repeats(spec, facts[name].value, one)]
            others += turn.other_names(spec, facts[name].value)
            others += turn.spoilt(spec, facts[name].value, repeated)
            wrong |= {name: others[0]} if others else {}
    offered = {name for name in right if turn.offers_choice and (len(found[name]) > 1 or turn.offers_days(kinds[name]))}
    return ReadBack(right, wrong, frozenset(offered), turn.confirms or turn.question, turn.confirms)


def facts_in(text: str, facts: Mapping[str, Fact], specs: Mapping[str, FactSpec]) -> frozenset[str]:
    """Return the names of the facts whose values are in a text, by their types."""
    kinds = {name: specs[name] for name in facts if name in specs and specs[name].type in _READABLE}
    return frozenset(
        name for name, spec in kinds.items() if any(_is_same(spec, facts[name], value) for value in extract(spec, text))
    )


@dataclass(frozen=True)
class _AgentTurn:
    """A turn as it was understood, its normalised words, and whether it ends as a question."""

    text: str
    words: str
    question: bool

    @property
    def confirms(self) -> bool:
        return _CONFIRM.search(_CONSENTS.sub(" ", self.words)) is not None

    @property
    def offers_choice(self) -> bool:
        return _CHOICE.search(self.words) is not None

    def offers_days(self, spec: FactSpec) -> bool:
        """Whether a date is one of two or more days that the turn names."""
        return spec.type == "date" and offers_days(self.text)

    def values(self, spec: FactSpec, value: str) -> list[str]:
        """Return the values of a kind that the turn holds; of names not those by which the agent introduces itself."""
        if spec.type == "name":
            return [*extract(spec, without_introductions(self.text)), *self._own_name(spec, value)]
        return extract(spec, self.text)

    def _own_name(self, spec: FactSpec, value: str) -> list[str]:
        """Return the caller's name if it is in the turn at all: nobody introduces himself by that."""
        return [one for one in extract(spec, self.text) if compare_values("name", value, one).equal]

    def repeats(self, spec: FactSpec, value: str, other: str) -> bool:
        """Whether a value of this kind, which is not the caller's, is meant as the caller's."""
        if spec.type == "name":
            return False
        if spec.type == "date":
            return self.confirms and self._is_of_that_time(value, other)
        if other in _DATED.findall(self.words):
            return False
        formatted = spec.type == "id" and spec.format is not None and len(_bare(other)) >= _UNMISTAKABLE
        return self.confirms or (self._reads_back and (formatted or spec.type == "phone"))

    def other_names(self, spec: FactSpec, value: str) -> list[str]:
        """Return the names that are said in the place of the caller's."""
        if spec.type != "name":
            return []
        return names_read_back(self.text, value, asks=self.confirms or self.question)

    def repeats_part(self, spec: FactSpec, value: str) -> bool:
        """Whether a part of the caller's value is repeated rightly: "ending in four zero two?", "the sixth?"."""
        if spec.type in ("id", "phone"):
            parts = parts_of_number(self.text, _digits(value))
            return parts.right if self._reads_back or parts.is_named else False
        if spec.type == "date" and self._reads_back:
            return int(value[-2:]) in days_in(self.text) if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else False
        return False

    def spoilt(self, spec: FactSpec, value: str, repeated: Collection[str]) -> list[str]:
        """Return numbers that are the caller's but for a digit or a few, and days of a month that are not its day."""
        if spec.type == "date" and self.confirms and value[:4].isdigit():
            days = [f"--{value[5:7]}-{day:02d}" for day in sorted(days_in(self.text))]
            return [one for one in days if self._is_of_that_time(value, one)]
        if spec.type not in ("id", "phone") or not (self._reads_back or self.confirms):
            return []
        parts = parts_of_number(self.text, _digits(value))
        return [one for one in parts.wrong if not any(one in whole for whole in repeated)]

    @property
    def _reads_back(self) -> bool:
        return self.confirms or self.question or _LOOSE_CONFIRM.search(self.words) is not None

    def _is_of_that_time(self, value: str, other: str) -> bool:
        """Whether both are days of birth, or both are days to come."""
        born, year = value[:4].isdigit() and int(value[:4]) < _BORN_BEFORE, other[:4]
        if year.isdigit():
            return (int(year) < _BORN_BEFORE) == born
        return not born or _BORN.search(self.words) is not None


def _is_same(spec: FactSpec, fact: Fact, value: str) -> bool:
    return compare_values(spec.type, fact.value, value).equal


def _is_unmistakable(spec: FactSpec, fact: Fact) -> bool:
    formatted = spec.type == "id" and spec.format is not None and len(_bare(fact.value)) >= _UNMISTAKABLE
    return formatted or spec.type in ("phone", "name")


def _bare(value: str) -> str:
    return "".join(c for c in value.casefold() if c.isalnum())


def _digits(value: str) -> str:
    return "".join(c for c in value if c.isdigit())
