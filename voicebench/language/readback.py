"""What an agent repeats of a caller's facts: rightly, or with another value in the place of one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from voicebench.language.compare import compare_values
from voicebench.language.extract import extract
from voicebench.language.itn import MONTHS, normalise
from voicebench.language.name_mentions import (
    differs_in_first_name,
    names_read_back,
    repeats_part_of_name,
    without_introductions,
)
from voicebench.language.number_mentions import begins_number, days_in, is_slip, offers_days, parts_of_number
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
    r"|that s|thats|that was|that would be|written down|put down|noted)\b"
)
_CHOICE = re.compile(r"\b(?:or|which|either|(?:any|one) of (?:those|these|them))\b")
_BORN = re.compile(r"\b(?:birth|birthday|birthdate|born|dob)\b")
_DATED = re.compile(rf"\b(?:{'|'.join(MONTHS)}) \d{{1,2}} (\d{{4}})\b")


_RECALLS = re.compile(
    r"\b(?:you (?:said|wanted|want|asked|told|mentioned|picked|chose)|what you (?:said|wanted)|did you say"
    r"|you were born)\b|^(?:and |okay |ok )?so (?:its|it is|thats|that is)\b|^(?:okay |ok |and )*so\b.* then$"
)
"""Words that say that a value is the caller's own."""
_THEN = re.compile(rf"\b(?:(?:{'|'.join(MONTHS)}) \d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)|the \w+th) then$")
_THE_REST = re.compile(
    r"\b(?:and then|and after that|what(?:s| is| comes| came| follows| was)? (?:next|after|then|the rest)"
    r"|then what|and the rest|whats left|the rest of it|go on|keep going)\b|\band$"
)
_OWN = re.compile(
    r"\b(?:my|our|the stores?)(?: \w+){0,2} (?:number|zip|code|extension|phone|line|address|name|is)\b"
    r"|\b(?:case|ticket|reference|confirmation|tracking|extension)\b"
)
"""Words for numbers of the agent and of its company."""
_STANDS = re.compile(r"\b(?:current(?:ly)?|original(?:ly)?|at the moment|right now|on file|so far)\b")
"""Words for how things stand, which nobody has asked for."""
_YEAR = re.compile(r"\b(?:born(?: in)?|year(?: of birth)?(?: is| was)?) ((?:19|20)\d\d)\b")
_LAST = 0.5
"""Likeness for which it stands that a fact was given last."""
_GENERAL = frozenset({"number", "code", "last4", "name", "full", "of", "date", "other", "id", "last", "digits"})
"""Words in names of facts that tell no fact from another."""
_NOUNS = {"postal": ("zip", "postal", "postcode"), "phone": ("phone", "telephone", "mobile", "cell")}


@dataclass(frozen=True)
class ReadBack:
    """What a turn repeats of the caller's facts.

    Attributes:
        right: facts whose value is in it, whole or, where it says so or asks, in part.
        wrong: facts in whose place another value of the same kind is, each with that value.
        offered: of the right ones those that are offered beside others, to choose from.
        confirm: it asks for confirmation, or at least it asks something.
        is_asked: it asks whether that is right.
        unfinished: of the right ones those of which it asks the rest: "K E four five zero, and then?".
    """

    right: frozenset[str]
    wrong: Mapping[str, str]
    offered: frozenset[str]
    confirm: bool
    is_asked: bool = False
    unfinished: frozenset[str] = frozenset()


def read_backs(
    text: str,
    facts: Mapping[str, Fact],
    specs: Mapping[str, FactSpec],
    expected: Collection[str],
    given: Collection[str] = (),
) -> ReadBack:
    """Find the caller's facts in an agent's turn, by type and format.

    Any fact may be repeated rightly. An ``expected`` one (given last, or asked for in this turn) can be repeated
    wrongly, where the turn reads like it, and one given before where the other value is close to it or named as it.
    So an appointment's date is not taken for a date of birth, nor a year for the last digits of a card, nor the agent's
    own name for the caller's.

    Args:
        text: the turn as it was understood.
        facts: the caller's facts.
        specs: the pack's kinds of facts; a fact without one is not looked for.
        expected: names of the facts that the agent may be repeating.
        given: those given before, and others that the agent may have; one of these is expected as well where its
            value cannot be another's and the turn asks whether all is right, or where the turn holds a slip of it.
    """
    kinds = {name: specs[name] for name in facts if name in specs and specs[name].type in _READABLE}
    turn = _AgentTurn(text, normalise(text), text.rstrip().endswith("?"))
    found = {name: turn.values(spec, facts[name].value) for name, spec in kinds.items()}
    right = frozenset(
        name for name, spec in kinds.items() if any(_is_same(spec, facts[name], value) for value in found[name])
    )
    late = {name for name in given if name in kinds and name not in expected}
    late |= {name for name, spec in kinds.items() if spec.type == "date" and turn.recalls and name not in expected}
    latest = {*expected}
    if turn.confirms:
        expected = {*expected, *(name for name in late if _is_unmistakable(kinds[name], facts[name]))}
    right |= {
        name
        for name, spec in kinds.items()
        if (name in expected and turn.repeats_part(spec, facts[name].value))
        or (name in late and (turn.confirms or spec.type == "name") and turn.repeats_part(spec, facts[name].value))
    }
    repeated = [_bare(facts[name].value) for name in right]
    wrong: dict[str, str] = {}
    for name, spec in kinds.items():
        if name in right or name not in {*expected, *late}:
            continue
        # a part of a fact repeated rightly, such as the last digits of a phone number, is no other value
        values = [one for one in found[name] if not any(_bare(one) in whole for whole in repeated)]
        value = facts[name].value
        others = [one for one in values if name in expected and turn.repeats(spec, value, one)]
        others += [one for one in values if turn.slips(spec, value, one, beside=bool(repeated))]
        others += [one for one in turn.other_names(spec, value) if _is_nearest(name, one, kinds, facts)]
        others += turn.spoilt(spec, value, repeated) if name in expected or not turn.is_own else []
        wrong |= {name: others[0]} if others else {}
    wrong = _placed(wrong, kinds, facts, turn.words, latest)
    offered = {name for name in right if turn.offers_choice and (len(found[name]) > 1 or turn.offers_days(kinds[name]))}
    unfinished = frozenset(name for name in {*expected, *late} if turn.asks_the_rest(kinds.get(name), facts.get(name)))
    right, wrong = right | unfinished, {name: one for name, one in wrong.items() if name not in unfinished}
    return ReadBack(right, wrong, frozenset(offered), turn.confirms or turn.question, turn.confirms, unfinished)


def _placed(
    wrong: Mapping[str, str],
    kinds: Mapping[str, FactSpec],
    facts: Mapping[str, Fact],
    words: str,
    latest: Collection[str],
) -> dict[str, str]:
    """Leave each wrong value to the one fact that it is meant as: by the noun that is said, its likeness, the last."""

    def fit(name: str) -> float:
        return _likeness(facts[name].value, value, kinds[name]) + (_LAST if name in latest else 0)

    placed: dict[str, str] = {}
    named = {name for name, spec in kinds.items() if spec.type in ("id", "phone") and _is_named(name, words)}
    for name, value in wrong.items():
        rivals = [other for other, one in wrong.items() if _bare(one) == _bare(value)]
        if kinds[name].type in ("id", "phone"):
            others = [other for other in rivals if other in named]
            if name not in named and (others or (named and len(_bare(value)) < _UNMISTAKABLE)):
                continue
            rivals = others or rivals
        if name == max(rivals, key=fit):
            placed[name] = value
    return placed


def _is_nearest(name: str, other: str, kinds: Mapping[str, FactSpec], facts: Mapping[str, Fact]) -> bool:
    """Whether another name is likest this one of the caller's names: a company is not put right with a person."""
    likeness = {one: _likeness(facts[one].value, other) for one, spec in kinds.items() if spec.type == "name"}
    return likeness[name] == max(likeness.values())


def _is_named(name: str, words: str) -> bool:
    nouns = [noun for part in name.split("_") for noun in _NOUNS.get(part, () if part in _GENERAL else (part,))]
    return any(noun in words.split() for noun in nouns)


def _likeness(value: str, other: str, spec: FactSpec | None = None) -> float:
    """Return how like two values are; of a number its end, as long as the other, is compared."""
    if spec is not None and spec.type in ("id", "phone"):
        value = _bare(value)[-len(_bare(other)) :]
    return SequenceMatcher(None, _bare(value), _bare(other)).ratio()


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
        words = _CONSENTS.sub(" ", self.words)
        return any(one.search(words) for one in (_CONFIRM, _THEN)) or self.recalls

    @property
    def recalls(self) -> bool:
        """Whether the turn says that what it names is what the caller said."""
        return _RECALLS.search(self.words) is not None

    @property
    def is_own(self) -> bool:
        """Whether the turn names a number of the agent's, and asks nothing."""
        return _OWN.search(self.words) is not None and not self.confirms

    def asks_the_rest(self, spec: FactSpec | None, fact: Fact | None) -> bool:
        """Whether the turn stops within the caller's number and asks how it goes on."""
        if spec is None or fact is None or spec.type not in ("id", "phone") or not _THE_REST.search(self.words):
            return False
        begun = begins_number(self.text, _digits(fact.value))
        return begun and not any(_is_same(spec, fact, one) for one in self.values(spec, fact.value))

    def slips(self, spec: FactSpec, value: str, other: str, *, beside: bool) -> bool:
        """Whether a value is the caller's but for a slip, in a turn that repeats, asks, or has a right one beside."""
        if spec.type in ("id", "phone"):
            return (self._reads_back or beside) and not self.is_own and is_slip(_digits(other), _digits(value))
        if spec.type == "date" and (self.question or self._reads_back):
            born = other[:4].isdigit() and int(other[:4]) < _BORN_BEFORE
            stands = _STANDS.search(self.words) is not None
            return (born or (self.confirms and not stands)) and self._is_of_that_time(value, other)
        return False

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
            return self.confirms and self._is_of_that_time(value, other) and not _STANDS.search(self.words)
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
        if spec.type == "name":
            return repeats_part_of_name(self.text, value)
        if spec.type == "date" and self._reads_back:
            return int(value[-2:]) in days_in(self.text) if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else False
        return False

    def spoilt(self, spec: FactSpec, value: str, repeated: Collection[str]) -> list[str]:
        """Return numbers that are the caller's but for a digit or a few, and days of a month that are not its day."""
        if spec.type == "date" and self._reads_back and value[:4].isdigit():
            years = [one for one in _YEAR.findall(self.words) if one != value[:4] and int(value[:4]) < _BORN_BEFORE]
            if years:
                return years
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
    same = compare_values(spec.type, fact.value, value).equal
    return same and (spec.type != "name" or not differs_in_first_name(fact.value, value))


def _is_unmistakable(spec: FactSpec, fact: Fact) -> bool:
    formatted = spec.type == "id" and spec.format is not None and len(_bare(fact.value)) >= _UNMISTAKABLE
    return formatted or spec.type in ("phone", "name")


def _bare(value: str) -> str:
    return "".join(c for c in value.casefold() if c.isalnum())


def _digits(value: str) -> str:
    return "".join(c for c in value if c.isdigit())
