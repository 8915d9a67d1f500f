"""Weighs a caller's turn: how likely it is a breach, by many signs at once, none of which decides alone.

A rule of :mod:`voicebench.caller.fidelity` that goes by expressions is sure of some breaches and guesses at others.
Here its findings are signs among others: how near the words are to what the part says, to what the scripted caller
would have said, and to what was heard (cosines of the sentence encoder); which words nothing gave it; what it does with
its words. A logistic regression weighs them. Its weights stand in ``weights.json``; ``scripts/fidelity_weights`` makes
them anew from the labelled sentences of ``tests/caller``. All of it is a function of the words: equal calls, equal
figures.

What this cannot tell: whether what is near to the part is true of it ("Iron Mountain" for "Iron River").
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from voicebench.caller.given_facts import gives_fact
from voicebench.caller.policy import CallerDecision
from voicebench.caller.script import OwnLines
from voicebench.language.caller_acts import (
    clauses,
    consents,
    did_not_hear,
    evades,
    leaves_open,
    offer_in,
    refuses,
    sides_with_company,
    wishes,
)
from voicebench.language.dialogue_acts import agrees, is_empty_answer, plays_agent, sentences
from voicebench.language.foreign_words import ForeignWords
from voicebench.language.itn import normalise
from voicebench.language.nearest import SentenceEncoder
from voicebench.language.plain_talk import is_plain
from voicebench.language.remedies import names_remedy
from voicebench.language.topics import foreign_topics, pasts_in, tells_a_promise
from voicebench.packs.models import CallerScript, PackSpec

if TYPE_CHECKING:  # a caller by rules needs no numpy
    import numpy as np
    import numpy.typing as npt

__all__ = ["TurnWeights", "WeighedTurn", "Weigher", "turn_weights"]

_ENDS = re.compile(r"(?<=[.,;:!?])\s+|\s+(?=(?:but|and then|and also|because)\b)")
_FIRST = re.compile(r"\b(?:i|my|me|im|ive|id)\b")
_SECOND = re.compile(r"\b(?:you|your)\b")
_THIRD = re.compile(r"\b(?:he|she|they|his|her|their)\b")
_PAST = re.compile(r"\b(?:was|were|had|did|told|said|\w+ed)\b")
_NO_ANSWER = ("sorry", "wish", "have_not", "still_waiting")
_DIGITS = 3
"""To which similarities are rounded, so that the last bits of another processor decide nothing."""
_LEAST_LETTERS = 3


@dataclass(frozen=True)
class WeighedTurn:
    """A turn as it is weighed.

    Attributes:
        said: the caller's words.
        heard: what they answer.
        would: what the scripted caller would have done.
        told: all that the agent has said until then.
        rules: the names of the rules that the turn breaks by its expressions.
    """

    said: str
    heard: str
    would: CallerDecision
    told: tuple[str, ...]
    rules: frozenset[str]


@dataclass(frozen=True)
class TurnWeights:
    """The regression.

    Attributes:
        signs: by name of the sign, what is taken from it, what it is then divided by, and its weight.
        bias: what is added to the sum.
        least: the sum from which a turn is a breach.
    """

    signs: Mapping[str, tuple[float, float, float]]
    bias: float
    least: float

    def score(self, signs: Mapping[str, float]) -> float:
        """Return by how much a turn is over the limit; below 0, it is fair."""
        parts = ((signs[name] - mean) / scale * weight for name, (mean, scale, weight) in self.signs.items())
        return sum(parts) + self.bias - self.least


@lru_cache(1)
def turn_weights() -> TurnWeights:
    """Return the weights that ship."""
    read = json.loads(resources.files("voicebench.caller").joinpath("weights.json").read_text())
    signs = {name: (float(mean), float(scale), float(weight)) for name, (mean, scale, weight) in read["signs"].items()}
    return TurnWeights(signs, float(read["bias"]), float(read["least"]))


class Weigher:
    """Weighs the turns of one caller.

    Args:
        script: its part.
        spec: the pack's.
        part: all texts that it may draw on.
        forbidden: names of remedies that it must not take.
        encoder: of sentences.
    """

    def __init__(
        self,
        script: CallerScript,
        spec: PackSpec,
        part: Sequence[str],
        forbidden: Sequence[str],
        encoder: SentenceEncoder,
    ) -> None:
        self._script = script
        self._spec = spec
        self._part = part
        self._forbidden = forbidden
        self._encoder = encoder
        self._own = OwnLines(script)
        said = [rule.say for rule in script.answers if rule.say]
        self._lines = list(dict.fromkeys([script.opening, *said]))

    def is_breach(self, turn: WeighedTurn) -> bool:
        """Whether a turn is rather a breach than what a fair caller says, by all signs together."""
        return turn_weights().score(self.signs(turn)) >= 0

    def signs(self, turn: WeighedTurn) -> dict[str, float]:
        """Return the signs of a turn, by name."""
        body = self._own.without(turn.said)
        return {
            **{f"rule_{rule}": float(rule in turn.rules) for rule in ("value", "forbidden", "role", "unanswered")},
            "rules": float(len(turn.rules)),
            **self._nearness(turn, body),
            **self._answers(turn),
            **self._words(turn, body),
            **self._acts(turn, body),
        }

    def _nearness(self, turn: WeighedTurn, body: str) -> dict[str, float]:
        """How near the words are, as a whole and clause by clause, to the part, to what was heard, to what was due."""
        parts = [part for part in _ENDS.split(body) if re.search(r"\w", part)] or [body or "."]
        whole = self._vectors([body or "."])
        own, heard = self._vectors(self._lines), self._vectors(sentences(turn.heard) or ["."])
        by_clause = self._vectors(parts)
        to_own, to_any = _near(by_clause, own), _near(by_clause, own, heard)
        would = turn.would.utterance.spoken if turn.would.utterance else ""
        return {
            "near_part": _near(whole, own)[0],
            "near_heard": _near(whole, heard)[0],
            "clause_far_from_part": min(to_own),
            "clause_near_part": max(to_own),
            "clauses_near_part": sum(to_own) / len(to_own),
            "clause_far_from_all": min(to_any),
            "near_due": _near(whole, self._vectors([would]))[0] if would else 0.0,
            "clauses": min(6.0, len(parts)),
        }

    def _answers(self, turn: WeighedTurn) -> dict[str, float]:
        """What the scripted caller would have done, and whether that was done."""
        due = turn.would.utterance
        line, rule = (due.spoken, due.rule) if due else ("", "wait")
        facts, specs = self._script.facts, self._spec.facts
        asked = [fact.name for fact in due.facts] if due else []
        willing = agrees(line) or line.casefold().startswith("yes") or (bool(line) and consents(line))
        return {
            "due_wait": float(due is None),
            "due_facts": float(bool(asked)),
            "due_sorry": float(rule in _NO_ANSWER),
            "due_heard": float("heard:" in rule),
            "due_asked": float("asked:" in rule),
            "due_yes": float(willing),
            "due_no": float(any(map(refuses, clauses(line)))),
            "gives": float(any(gives_fact(name, facts[name], specs, turn.said) for name in facts)),
            "gives_due": float(any(gives_fact(name, facts[name], specs, turn.said) for name in asked if name in facts)),
            "yes_not_due": float(due is not None and rule not in _NO_ANSWER and not willing and consents(turn.said)),
        }

    def _words(self, turn: WeighedTurn, body: str) -> dict[str, float]:
        """Words that belong neither to ordinary talk, nor to the part, nor to what was told."""
        foreign = ForeignWords(self._part, turn.told)
        words = [word for word in re.findall("[a-z]+", normalise(body)) if len(word) >= _LEAST_LETTERS]
        known = [word for word in words if foreign.knows(word)]
        new = [word for word in words if not is_plain(word) and not foreign.knows(word)]
        every = max(1, len(words))
        return {
            "asks_foreign": min(3.0, len(foreign.requested(body))),
            "claims_foreign": min(3.0, len(foreign.claimed(body))),
            "topics": min(3.0, len(foreign_topics(body, self._part, turn.told))),
            "foreign": min(4.0, len(new)),
            "foreign_share": len(new) / every,
            "known_share": len(known) / every,
            "known": min(4.0, len([word for word in known if not is_plain(word)])),
            "promise": float(tells_a_promise(body)),
            "past": float(bool(pasts_in(body))),
        }

    def _acts(self, turn: WeighedTurn, body: str) -> dict[str, float]:
        """What the caller does with its words."""
        said, words = turn.said, normalise(turn.said)
        first = clauses(body)[:1]
        offered = names_remedy(offer_in(turn.heard), self._forbidden)
        return {
            "refuses": float(any(map(refuses, clauses(body)))),
            "refuses_first": float(any(map(refuses, first))),
            "consents": float(bool(words) and consents(said)),
            "agrees": float(agrees(said)),
            "not_heard": float(did_not_hear(said)),
            "evades": float(evades(said)),
            "leaves_open": float(leaves_open(said)),
            "wishes": float(wishes(body)),
            "empty": float(is_empty_answer(said)),
            "company": float(sides_with_company(body)),
            "plays_agent": float(plays_agent(body, self._spec.company.name)),
            "question": float("?" in said),
            "asked": float("?" in turn.heard),
            "length": min(20.0, len(said.split())),
            "offer": float(offered),
            "yes_to_offer": float(offered and bool(words) and consents(said)),
            "first_person": float(bool(_FIRST.search(words))),
            "second_person": float(bool(_SECOND.search(words))),
            "third_person": float(bool(_THIRD.search(words))),
            "past_tense": float(bool(_PAST.search(words))),
        }

    def _vectors(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return self._encoder.encode(texts)


def _near(vectors: npt.NDArray[np.float32], *others: npt.NDArray[np.float32]) -> list[float]:
    """Return, of each vector, the cosine to the nearest of all the others."""
    return [max(round(float((other @ vector).max()), _DIGITS) for other in others) for vector in vectors]
