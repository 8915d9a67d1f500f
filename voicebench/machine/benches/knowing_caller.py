"""A caller for measuring comprehension: it knows every fact of its pack and has an answer to every question."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from voicebench.caller import CallerDecision, ScriptedCaller
from voicebench.language.itn import MONTHS
from voicebench.language.labels import Label
from voicebench.language.nearest import SentenceEncoder
from voicebench.language.proposals import OwnWishes
from voicebench.language.slots import Fact
from voicebench.machine.benches.labelled_turns import LabelledTurn
from voicebench.packs import Pack, PackSpec
from voicebench.packs.models import AnswerRule, CallerScript, HangUp
from voicebench.record.spans import NOT_UNDERSTOOD_RULES

__all__ = ["CONFIRMS", "CORRECTS", "HAVE_NOT", "REPEATS", "SORRY", "WAITS", "WISH", "KnowingCaller"]

WAITS, SORRY, WISH, HAVE_NOT = "(waits)", "(sorry)", "(wish)", "(have_not)"
CONFIRMS, CORRECTS, REPEATS = "(confirms)", "(corrects)", "(repeats)"
"""What a caller did that is no intent of the pack."""

_DATE = re.compile(rf"\b({'|'.join(MONTHS)}) (\d{{1,2}})", re.IGNORECASE)
_STATEMENT = "Your call is recorded."
_NEVER = "never"
"""A mark that no rule sets."""


@dataclass(frozen=True)
class _ReadBackCase:
    """A caller whose fact is the value that a turn reads back."""

    fact: str
    question: str
    script: CallerScript
    spec: PackSpec


class _AnyWish(OwnWishes):
    """Agrees to whatever is proposed: what is measured is whether a caller understands, not what it wants."""

    def refuses(self, proposal: str) -> bool:
        """Return False."""
        return False

    def is_other_day(self, proposal: str) -> bool:
        """Return False."""
        return False


class KnowingCaller:
    """Hears one turn at a time, each as a new caller, and tells what it understood.

    It plays the caller of the pack's first task, with the facts of all others beside its own and an answer to every
    question. It hangs up when it hears that a person takes over, if the pack has a label for that.

    Args:
        pack: whose caller it is.
        encoder: for the pack's example sentences; without it the caller understands by rules alone.
    """

    def __init__(self, pack: Pack, encoder: SentenceEncoder | None) -> None:
        self._encoder = encoder
        self._spec = pack.spec
        self._script = _knowing_script(pack)
        # The number by which callers are found is what was asked for before a request to repeat.
        labels: tuple[Label, ...] = ("order_number", "account_or_member_number", "phone")
        named = [name for label in labels for name in self._spec.intents.labels.get(label, ())]
        ids = [name for name, fact in self._spec.facts.items() if fact.type == "id"]
        self._primed = next((name for name in (*named, *ids) if name in self._script.facts), None)

    def reaction(self, text: str, *, repeating: bool) -> frozenset[str]:
        """Return the intents that were taken from a turn, or what the caller did instead.

        Args:
            text: the turn.
            repeating: it is a request to repeat, heard after a question for a number. The number alone is no intent
                then, but ``REPEATS``.
        """
        caller = ScriptedCaller(self._script, self._spec, self._encoder, _AnyWish([], []))
        if not repeating or self._primed is None:
            got = self._understood(caller.hear(text), None)
            if got != {WISH}:
                return got
            # It may say what it wants only because nothing was said before, and else be sorry
            later = ScriptedCaller(self._script, self._spec, self._encoder, _AnyWish([], []))
            later.hear(_STATEMENT)
            return frozenset({SORRY}) if self._understood(later.hear(text), None) == {SORRY} else got
        caller.hear(self._spec.facts[self._primed].question)
        got = self._understood(caller.hear(text), self._primed)
        return got - {self._primed} if REPEATS in got else got

    def read_back(self, turn: LabelledTurn, words: str) -> dict[str, bool] | None:
        """Return whether a read-back is confirmed where it is right, and corrected where it is wrong.

        The caller was asked for that fact, and hears the words. None if the pack has no such fact, or the label no such
        value.
        """
        case = self._read_back_case(turn)
        if case is None:
            return None
        outcomes: dict[str, bool] = {}
        for name, script, expected in (("right", case.script, CONFIRMS), ("wrong", self._script, CORRECTS)):
            caller = ScriptedCaller(script, case.spec, self._encoder, _AnyWish([], []))
            caller.hear(case.question)
            outcomes[f"read_back ({name})"] = expected in self._understood(caller.hear(words), None)
        return outcomes

    def _understood(self, decision: CallerDecision, primed: str | None) -> frozenset[str]:
        utterance = decision.utterance
        if utterance is None or utterance.rule == "acknowledge":
            return frozenset({WAITS})
        if decision.reason == "closing":
            return frozenset({self._script.hangs_up.heard})
        if utterance.rule in NOT_UNDERSTOOD_RULES:
            return frozenset({SORRY})
        # "wish" and "have_not" tell what the caller wants, or has instead: no answer to what was asked
        parts = [part.partition(":") for part in utterance.rule.split("+")]
        kinds = {kind for kind, _, _ in parts}
        got = {name or f"({kind})" for kind, _, name in parts if kind not in ("repeat", "read_back")}
        corrects = utterance.intended.startswith("No")
        if "read_back" in kinds:
            got.add(CORRECTS if corrects else CONFIRMS)
        if "repeat" in kinds:
            got.add(REPEATS)
        if primed and primed in {fact.name for fact in utterance.facts} and not corrects:
            got.add(REPEATS)
        return frozenset(got)

    def _read_back_case(self, turn: LabelledTurn) -> _ReadBackCase | None:
        value, fact = turn.value, self._fact_of(turn.value_of or "")
        if fact is None or value is None:
            return None
        spec, changed = self._spec.facts[fact], {}
        if spec.type == "date":
            found = _DATE.search(value)
            if found is None:
                return None
            value = f"{self._spec.today[:4]}-{MONTHS.index(found[1].lower()) + 1:02d}-{int(found[2]):02d}"
        elif spec.type in {"id", "phone"}:  # the value is in another company's format
            value = re.sub(r"[^0-9A-Za-z]", "", value)
            changed = {"format": "".join(r"\d" if one.isdigit() else "[A-Z]" for one in value)}
        facts = {**self._script.facts, fact: Fact(value=value, forms=[value] * 3)}
        kinds = {**self._spec.facts, fact: spec.model_copy(update=changed)}
        script = self._script.model_copy(update={"facts": facts})
        return _ReadBackCase(fact, spec.question, script, self._spec.model_copy(update={"facts": kinds}))

    def _fact_of(self, label: str) -> str | None:
        """Return the fact that a label of a read-back names: the one of its name, or the day that is asked for."""
        if label in self._spec.facts:
            return label
        if label != "day_or_time":
            return None
        days = [name for name, fact in self._spec.facts.items() if fact.type == "date"]
        asked = self._spec.intents.labels.get("day_or_time", ())
        given = [name for rule in self._script.answers if rule.asked in asked for name in rule.give]
        return next((name for name in given if name in days), None)


def _knowing_script(pack: Pack) -> CallerScript:
    callers = [case.caller for case in pack.tasks.values()]
    facts = {name: fact for caller in reversed(callers) for name, fact in caller.facts.items()}
    rules = [rule for caller in callers for rule in caller.answers if rule.asked]
    intents = pack.spec.intents
    offers = [name for name in intents.labels.get("offers_callback", ()) if name in intents.heard]
    answers = [AnswerRule(heard=name, say="I would rather not wait for a call.") for name in offers]
    answers += [_answer(name, facts, rules) for name in intents.asked]
    ending = next((name for name in intents.labels.get("transfers_now", ()) if name in intents.heard), None)
    hangs_up = callers[0].hangs_up.model_copy(update={"needs": [_NEVER]}) if ending is None else HangUp(heard=ending)
    return callers[0].model_copy(update={"facts": facts, "answers": answers, "hangs_up": hangs_up})


def _answer(name: str, facts: dict[str, Fact], rules: Iterable[AnswerRule]) -> AnswerRule:
    """Return the answer to a question: the fact of its name, what the pack's callers give, or a sentence."""
    if name in facts:
        return AnswerRule(asked=name, give=[name])
    given = next((rule.give for rule in rules if rule.asked == name and rule.give), None)
    return (
        AnswerRule(asked=name, give=given)
        if given
        else AnswerRule(asked=name, say=f"So much for {name.replace('_', ' ')}.")
    )
