"""The policy of a simulated caller: it gets the agent's turns as text and decides what to say, or to hang up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from voicebench.record.spans import CallerSpeechSpan

__all__ = ["CallerDecision", "CallerPolicy", "SpokenFact", "Utterance"]


@dataclass(frozen=True)
class SpokenFact:
    """A fact given in an utterance, and which of its forms (from 0) was spoken; None if it was put otherwise."""

    name: str
    form: int | None


@dataclass(frozen=True)
class Utterance:
    """Something the caller says.

    Attributes:
        intended: as it would be written down; facts by their values.
        spoken: what text-to-speech gets; facts by one of their spoken forms.
        rule: what made the caller say it: ``opening``, ``closing``, ``give_up``, ``hello``, the rules that fired, as
            ``asked:identity+asked:order_number`` or ``heard:refund_promised``, ``read_back`` (it confirms, or
            corrects), ``repeat:order_number`` (asked to say that again: the fact, ``answer`` for a sentence, or
            ``opening``), one of :data:`voicebench.record.spans.UNANSWERING_RULES`, or ``model``.
        facts: the facts given, in the order they are spoken.
        interrupt_after_words: the caller does not wait for its turn, but starts this many words into the agent's.
        answers: what the caller had heard when it decided to say this.
        interrupts: what it had heard was the beginning of a turn, and it broke in.
    """

    intended: str
    spoken: str
    rule: str
    facts: tuple[SpokenFact, ...] = ()
    interrupt_after_words: int | None = None
    answers: str = ""
    interrupts: bool = False

    def span(self, start_ns: int, end_ns: int, *, turn: int, interrupted: bool) -> CallerSpeechSpan:
        """Return the span of its speech, which began and ended at these call times."""
        return CallerSpeechSpan(
            start_ns=start_ns,
            end_ns=end_ns,
            turn=turn,
            intended=self.intended,
            spoken=self.spoken,
            facts=tuple(fact.name for fact in self.facts),
            form=tuple(fact.form for fact in self.facts),
            rule=self.rule,
            answers=self.answers,
            interrupts=self.interrupts,
            interrupted=interrupted,
        )


@dataclass(frozen=True)
class CallerDecision:
    """What the caller does about one turn of the agent.

    Attributes:
        action: ``speak`` the utterance; ``wait``, as the agent has more to say; ``hang_up`` after the utterance.
        utterance: None exactly when waiting.
        reason: why the caller hangs up: ``closing`` (what it called for has happened) or ``give_up``.
    """

    action: Literal["speak", "wait", "hang_up"]
    utterance: Utterance | None = None
    reason: Literal["closing", "give_up"] | None = None

    def answering(self, text: str, *, interrupts: bool = False) -> CallerDecision:
        """Return the decision with a note of what it answers, or interrupts."""
        if self.utterance is None:
            return self
        return replace(self, utterance=replace(self.utterance, answers=text, interrupts=interrupts))


class CallerPolicy(Protocol):
    """What decides for a caller, without audio or clock: the text channel and the telephone drive the same policy."""

    async def begin(self, greeting: str) -> CallerDecision:
        """Say the first thing, or wait for more of the greeting; asked again, it forgets what it said before."""
        ...

    async def answer(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        """Decide about one gathered turn of the agent; what that takes is no part of the call's time.

        Args:
            text: all that the caller understood of the turn; empty if that was nothing.
            after_words: the text is only the first so many words of a turn that still goes on, and the question is
                whether to interrupt it: the answer is ``wait`` if not.
        """
        ...

    def retract(self) -> None:
        """Undo the last ``answer``: the agent went on, so the reply was never begun."""
        ...

    def interrupt_points(self) -> tuple[int, ...]:
        """Return after how many words of the agent's turn this caller may interrupt it now, ascending."""
        ...

    def still_there(self) -> Utterance:
        """Return what is said after ten seconds of silence on both sides."""
        ...
