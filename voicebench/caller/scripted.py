"""The scripted caller: a locked script, followed by rules alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from voicebench.caller.caller_task import CallerTask
from voicebench.caller.policy import CallerDecision, SpokenFact, Utterance
from voicebench.caller.script import join_phrases
from voicebench.language.dialogue_acts import is_hold
from voicebench.language.intents import Intents
from voicebench.language.nearest import SentenceEncoder
from voicebench.language.readback import read_backs
from voicebench.packs.models import AnswerRule, CallerScript, PackSpec

__all__ = ["ScriptedCaller"]

_SORRY = "Sorry, could you say that again?"
_HELLO = "Hello?"
_YES = "Yes, that's right."
_MISSES = 2


@dataclass(frozen=True)
class _ScriptState:
    """All that one turn can change, so that a turn can be taken back."""

    marks: frozenset[str] = frozenset()
    fired: tuple[int, ...] = ()
    given: tuple[str, ...] = ()
    latest: frozenset[str] = frozenset()
    misses: int = 0


class ScriptedCaller:
    """Follows the script of one task.

    For one turn of the agent, in this order: ``hangs_up``; the first ``heard`` rule that matches; every ``asked`` rule
    that matches, their facts joined; a read-back of a fact, confirmed or corrected; words that need no answer, for
    which it waits; and else "Sorry, could you say that again?", twice in a row, then ``give_up``.

    Args:
        script: the caller's part of the case.
        spec: the pack's, or what the local caller gets of it: intents and kinds of facts.
        encoder: compares with the pack's example sentences what no rule understands; None for rules alone.
    """

    def __init__(
        self, script: CallerScript, spec: PackSpec | CallerTask, encoder: SentenceEncoder | None = None
    ) -> None:
        self._script = script
        self._intents = Intents(spec.intents, encoder)
        self._specs = spec.facts
        kinds = {name: spec.facts[name].type for name in script.facts if name in spec.facts}
        self._names = [script.facts[name].value for name, kind in kinds.items() if kind == "name"]
        self._state = _ScriptState(fired=(0,) * len(script.answers))
        self._before = self._state

    @property
    def marks(self) -> frozenset[str]:
        """The marks set so far."""
        return self._state.marks

    async def begin(self, greeting: str) -> CallerDecision:
        """Say the opening, whatever the greeting was."""
        return CallerDecision("speak", self.opening()).answering(greeting)

    async def answer(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        """Apply the rules (see :meth:`hear`)."""
        return self.hear(text, after_words=after_words).answering(text, interrupts=after_words is not None)

    def opening(self) -> Utterance:
        """Return the opening, word for word; it counts for no fact and no mark."""
        return Utterance(self._script.opening, self._script.opening, "opening")

    def still_there(self) -> Utterance:
        """Return "Hello?"."""
        return Utterance(_HELLO, _HELLO, "hello")

    def interrupt_points(self) -> tuple[int, ...]:
        """Return the ``interrupt_after_words`` of the rules that can still fire, ascending."""
        return tuple(sorted({r.interrupt_after_words for _, r in self._live() if r.interrupt_after_words is not None}))

    def retract(self) -> None:
        """Undo the last ``hear``."""
        self._state = self._before

    def hear(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        """Apply the rules to one gathered turn, or to the first words of one (see ``CallerPolicy.answer``)."""
        self._before = self._state
        if after_words is not None:
            for index, rule in self._live():
                if rule.interrupt_after_words == after_words and self._matches(rule, text):
                    return self._speak([(index, rule)], rule.give)
            return CallerDecision("wait")
        ending = self._script.hangs_up
        if self._state.marks.issuperset(ending.needs) and self._intents.match("heard", ending.heard, text):
            return CallerDecision("hang_up", _locked(self._script.closing, "closing"), "closing")
        for index, rule in self._live():
            if rule.heard and self._matches(rule, text):
                return self._speak([(index, rule)], rule.give)
        return self._asked(text) or self._confirmed(text) or self._not_understood()

    # ---- the rules, in order -------------------------------------------------------------------------------

    def _asked(self, text: str) -> CallerDecision | None:
        rules = [(i, r) for i, r in self._live() if r.asked and self._matches(r, text)]
        facts = list(dict.fromkeys(name for _, rule in rules for name in rule.give))
        back = read_backs(text, self._script.facts, self._specs, self._state.latest | set(facts))
        if not rules and not back.wrong:
            return None
        needed = [name for name in facts if name not in back.right and name not in back.wrong]
        if not needed and not back.wrong and not any(rule.say for _, rule in rules):
            return self._answered(_locked(_YES, "read_back"))
        return self._speak(rules, needed, corrected=list(back.wrong))

    def _confirmed(self, text: str) -> CallerDecision | None:
        back = read_backs(text, self._script.facts, self._specs, self._state.latest)
        hold = is_hold(text, self._names)
        if back.right and (back.confirm or not hold):
            return self._answered(_locked(_YES, "read_back"))
        return CallerDecision("wait") if hold else None

    def _not_understood(self) -> CallerDecision:
        self._state = replace(self._state, misses=self._state.misses + 1)
        if self._state.misses > _MISSES:
            return CallerDecision("hang_up", _locked(self._script.give_up, "give_up"), "give_up")
        return CallerDecision("speak", _locked(_SORRY, "sorry"))

    # ---- what they have in common --------------------------------------------------------------------------

    def _live(self) -> Iterable[tuple[int, AnswerRule]]:
        """Yield the rules whose marks are set and whose times are not used up, with their indices."""
        for index, rule in enumerate(self._script.answers):
            spent = rule.times is not None and self._state.fired[index] >= rule.times
            if not spent and self._state.marks.issuperset(rule.needs):
                yield index, rule

    def _matches(self, rule: AnswerRule, text: str) -> bool:
        if rule.heard:
            return self._intents.match("heard", rule.heard, text)
        return self._intents.match("asked", rule.asked or "", text)

    def _speak(
        self, rules: Sequence[tuple[int, AnswerRule]], facts: Sequence[str], corrected: Sequence[str] = ()
    ) -> CallerDecision:
        """Say the corrections, the facts and the sentences of some rules in one utterance, and note that they fired."""
        # Asked again, it gives the next form: the one given last was not understood.
        counts = {name: self._state.given.count(name) for name in (*corrected, *facts)}
        given = [(name, counts[name] % len(self._script.facts[name].forms)) for name in (*corrected, *facts)]
        said = [rule.say for _, rule in rules if rule.say]
        forms = [self._script.facts[name].forms[form] for name, form in given]
        values = [self._script.facts[name].value for name, _ in given]
        prefix = "No, it is " if corrected else ""
        names = ["read_back"] if corrected else []
        names += [f"heard:{rule.heard}" if rule.heard else f"asked:{rule.asked}" for _, rule in rules]
        utterance = Utterance(
            intended=prefix + join_phrases([*values, *said]),
            spoken=prefix + join_phrases([*forms, *said]),
            rule="+".join(names),
            facts=tuple(SpokenFact(name, form) for name, form in given),
            interrupt_after_words=next((r.interrupt_after_words for _, r in rules if r.interrupt_after_words), None),
        )
        fired = {index for index, _ in rules}
        self._state = replace(
            self._state,
            marks=self._state.marks | {rule.sets for _, rule in rules if rule.sets},
            fired=tuple(count + (index in fired) for index, count in enumerate(self._state.fired)),
            given=self._state.given + tuple(name for name, _ in given),
            latest=frozenset(name for name, _ in given) or self._state.latest,
        )
        return self._answered(utterance)

    def _answered(self, utterance: Utterance) -> CallerDecision:
        self._state = replace(self._state, misses=0)
        return CallerDecision("speak", utterance)


def _locked(text: str, rule: str) -> Utterance:
    return Utterance(text, text, rule)
