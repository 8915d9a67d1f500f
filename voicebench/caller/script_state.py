"""All that one turn can change of a scripted caller, so that a turn can be taken back."""

from __future__ import annotations

from dataclasses import dataclass, replace

from voicebench.packs.models import AnswerRule

__all__ = ["LastAnswer", "ScriptState"]


@dataclass(frozen=True)
class LastAnswer:
    """What the caller said last that answered something.

    Attributes:
        facts: the facts in it.
        sentences: and the sentences, word for word.
    """

    facts: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScriptState:
    """Where a script stands.

    Attributes:
        marks: set by the rules that have fired.
        fired: how often each rule has.
        given: the facts given, in their order, each as often as it was.
        latest: the facts given last, whatever was said since.
        last: what was said last that answered something; None before the first answer.
        repeats: requests to say that once more, in a row.
        misses: in a row, turns that were not understood or not answered with anything new.
        okays: in a row, statements to which the caller said okay.
        holds: turns in a row that it only waited after.
        spoke: it has said something since its opening.
    """

    marks: frozenset[str] = frozenset()
    fired: tuple[int, ...] = ()
    given: tuple[str, ...] = ()
    latest: tuple[str, ...] = ()
    last: LastAnswer | None = None
    repeats: int = 0
    misses: int = 0
    okays: int = 0
    holds: int = 0
    spoke: bool = False

    def with_answer(self, rules: dict[int, AnswerRule], facts: tuple[str, ...]) -> ScriptState:
        """Return the state after an answer.

        Args:
            rules: that fired, by their indices.
            facts: that were given.
        """
        sentences = tuple(rule.say for rule in rules.values() if rule.say)
        return replace(
            self.with_progress(),
            marks=self.marks | {rule.sets for rule in rules.values() if rule.sets},
            fired=tuple(count + (index in rules) for index, count in enumerate(self.fired)),
            given=self.given + facts,
            latest=facts or self.latest,
            last=LastAnswer(facts, sentences),
        )

    def with_progress(self) -> ScriptState:
        """Return the state after a turn that was understood and answered."""
        return replace(self, misses=0, okays=0, repeats=0, spoke=True)
