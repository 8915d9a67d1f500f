"""Named intents of a pack: what the agent asked or said, what the caller said.

Two layers understand an agent. What any company's agent may ask or do is found by :mod:`.turn_meaning`, and the pack's
``labels`` say which of its intents that is. What is the company's own is found by the pack's regular expressions over
normalised text, and, for questions that neither understood, by the nearest of its example sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from voicebench.errors import ConfigError
from voicebench.language.itn import normalise
from voicebench.language.labels import Act, Detail
from voicebench.language.nearest import NearestExamples, SentenceEncoder
from voicebench.language.sentences import Sentence
from voicebench.language.settled import settled_words
from voicebench.language.slots import IntentsSpec
from voicebench.language.turn_meaning import TurnMeaning, turn_meaning

__all__ = ["Asked", "IntentKind", "Intents"]

IntentKind = Literal["asked", "heard", "said"]

_GIVES_WAY: frozenset[Act] = frozenset({"proceed", "what_help"})
"""Acts whose form ("would you like", "what do you need") a question of the pack's own may have."""


@dataclass(frozen=True)
class Asked:
    """One question of a turn, and the intents that it may be: the first that the caller has an answer to counts."""

    intents: tuple[str, ...]


class Intents:
    """The intents of one pack, compiled.

    Args:
        spec: as in pack.yaml.
        encoder: compares sentences with the pack's examples; without it these are not used.

    Raises:
        ConfigError: an expression does not compile; the message names the intent.
    """

    def __init__(self, spec: IntentsSpec, encoder: SentenceEncoder | None = None) -> None:
        kinds: dict[IntentKind, dict[str, list[str]]] = {"asked": spec.asked, "heard": spec.heard, "said": spec.said}
        self._patterns = {
            kind: _compile(kind, tuple((name, tuple(texts)) for name, texts in intents.items()))
            for kind, intents in kinds.items()
        }
        self._labels = spec.labels
        self._details = spec.details
        self._instead = spec.instead
        self._questions = spec.questions
        self._settled = frozenset(spec.settled)
        self._last_heard: tuple[str, set[str]] = ("", set())
        self._unless = _compile("unless", tuple((name, tuple(texts)) for name, texts in spec.unless.items()))
        generic = {name for names in spec.labels.values() for name in names}
        self._own = {*spec.details, *spec.examples} - generic
        self._nearest = NearestExamples(spec.examples, encoder) if encoder and spec.examples else None

    def encode_examples(self) -> None:
        """Encode the pack's examples before they are needed, for calls whose clock does not stand still meanwhile."""
        if self._nearest:
            self._nearest.encode_examples()

    def meaning(self, text: str) -> TurnMeaning:
        """Return what a turn of the agent asks and does, in the labels that hold for any company."""
        return turn_meaning(text, self._details)

    def asked(self, text: str) -> list[Asked]:
        """Return what a turn of the agent asks, each once, with what answers instead at the end."""
        questions = []
        for names in self._asked(text):
            substitutes = [other for name in names for other in self._instead.get(name, [])]
            questions.append(Asked(tuple(dict.fromkeys([*names, *substitutes]))))
        return questions

    def match(self, kind: IntentKind, name: str, text: str) -> bool:
        """Whether a text, as spoken or recognised, voices an intent.

        Raises:
            KeyError: the pack has no such intent.
        """
        if name not in self._patterns[kind].of:
            raise KeyError(name)
        return name in self.matching(kind, text)

    def matching(self, kind: IntentKind, text: str) -> list[str]:
        """Return the names of all intents of a kind that a text voices, in the order of pack.yaml."""
        if kind == "asked":
            found = {name for question in self._asked(text) for name in question}
        elif kind == "heard":
            if self._last_heard[0] != text:
                self._last_heard = (text, self._heard(text))  # a caller asks for one intent after the other
            found = self._last_heard[1]
        else:
            found = set(self._expressed("said", text))
        return [name for name in self._patterns[kind].of if name in found]

    def _asked(self, text: str) -> list[tuple[str, ...]]:
        """Return the questions of a turn, each with the intents that it may be."""
        meaning = self.meaning(text)
        if meaning.needs_only_patience:
            return []
        # what nothing names comes last: an expression or an example of the pack may know what it is
        labels = (*meaning.requests.named, *sorted(meaning.acts))
        meant = {name for label in labels for name in self._labels.get(label, [])}
        accidental = self._accidental(meaning) - meant
        by_expression = [name for name in self._expressed("asked", text) if name not in accidental]
        known = {*meaning.requests.own, *by_expression}
        questions: list[tuple[str, ...]] = [(name,) for name in (*meaning.requests.own, *by_expression)]
        acts = meaning.acts - self._explained_by_own(meaning)
        for label in (*meaning.requests.named, *sorted(acts)):
            names = tuple(name for name in self._labels.get(label, []) if name in self._patterns["asked"].of)
            if label == "other" and not meant.issuperset(by_expression):
                continue  # the pack knows what that is
            if names and not known.intersection(names):
                questions.append(names)
        if self._nearest and "repeat_unnamed" not in meaning.acts:
            unnamed = [one for one in meaning.sentences if not questions or not self._names_any(one, questions)]
            # beside what was understood only what is the pack's own: general questions would have been found
            general = {name for names in self._labels.values() for name in names} if questions else set()
            questions += [(name,) for name in self._nearest.asked(unnamed) if name not in general]
        if not questions and "other" in meaning.requests.details:
            questions = [tuple(name for name in self._labels.get("other", []) if name in self._patterns["asked"].of)]
        return [names for names in dict.fromkeys(questions) if names]

    def _names_any(self, sentence: Sentence, questions: Sequence[tuple[str, ...]]) -> bool:
        """Whether one of a turn's sentences does something known by itself, or asks one of the turn's questions."""
        meaning = self.meaning(sentence.text)
        asks = {name for label in meaning.requests.details for name in self._labels.get(label, [])}
        asks.update(meaning.requests.own, self._expressed("asked", sentence.text))
        return bool(meaning.acts) or any(not asks.isdisjoint(question) for question in questions)

    def _accidental(self, meaning: TurnMeaning) -> set[str]:
        """Return the generic intents that a turn does not ask, though words of it may match their expressions.

        Where a detail is asked for or an act was found, these are all that it does not name; a statement asks none.
        """
        details = {*meaning.requests.own, *meaning.requests.named} - {"other"}
        acts = any(self._labels.get(act) for act in meaning.acts) or "repeat_unnamed" in meaning.acts
        if not details and not acts and not meaning.requests_nothing:
            return set()
        return {name for label in (*get_args(Detail), *get_args(Act)) for name in self._labels.get(label, [])}

    def _heard(self, text: str) -> set[str]:
        """Return the intents of ``heard`` that a text voices, and those that repeat what it asks."""
        labelled = {name for act in self.meaning(text).acts for name in self._labels.get(act, [])}
        labelled.difference_update(_expressed(self._unless, normalise(text)))
        expressed = set(self._expressed("heard", text))
        if self._settled & expressed:
            stated = set(_expressed(self._patterns["heard"], settled_words(text)))
            expressed -= self._settled - stated
        # An offer to call back is generic, and has its guards there: "allow me a moment to get back to you" is none.
        generic = set(self._labels.get("offers_callback", [])) - labelled
        found = labelled | (expressed - generic)
        if self._questions:
            first = {question[0] for question in self._asked(text)}
            found |= {name for name, repeated in self._questions.items() if repeated in first}
        return found

    def _explained_by_own(self, meaning: TurnMeaning) -> set[Act]:
        """Return what only sentences with a question of the pack's own seem to do.

        "Which office would you like to go to?" asks for the office, and for no consent.
        """
        explained: set[Act] = set()
        for act in _GIVES_WAY & meaning.acts:
            doing = [one for one in meaning.sentences if act in self.meaning(one.text).acts]
            if doing and all(self._asks_own(one) for one in doing):
                explained.add(act)
        return explained

    def _asks_own(self, sentence: Sentence) -> bool:
        expressed = self._own.intersection(self._expressed("asked", sentence.text))
        return bool(expressed or self.meaning(sentence.text).requests.own)

    def _expressed(self, kind: IntentKind, text: str) -> tuple[str, ...]:
        """Return the intents of a kind whose expressions match."""
        return _expressed(self._patterns[kind], normalise(text))


@dataclass(frozen=True, eq=False)
class _Patterns:
    """The compiled expressions of a kind of intents; those of two are never compared, so that they are hashed fast."""

    of: dict[str, list[re.Pattern[str]]]


@lru_cache(maxsize=64)  # a pack has more expressions than re keeps, and each caller of a call compiles them
def _compile(kind: str, intents: tuple[tuple[str, tuple[str, ...]], ...]) -> _Patterns:
    of: dict[str, list[re.Pattern[str]]] = {name: [] for name, _ in intents}
    for name, texts in intents:
        for text in texts:
            try:
                of[name].append(re.compile(text))
            except re.error as error:
                raise ConfigError(f"intents.{kind}.{name}: {text!r} is no regular expression: {error}") from error
    return _Patterns(of)


@lru_cache(maxsize=4096)  # a turn is matched by the caller, its shadow and the metrics, for one intent after the other
def _expressed(patterns: _Patterns, words: str) -> tuple[str, ...]:
    return tuple(name for name, ones in patterns.of.items() if any(one.search(words) for one in ones))
