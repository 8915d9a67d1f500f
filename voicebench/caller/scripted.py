"""The scripted caller: a locked script, followed by rules alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from voicebench.caller.caller_task import CallerTask
from voicebench.caller.policy import CallerDecision, SpokenFact, Utterance
from voicebench.caller.script import join_phrases, own_wishes, thing_to_offer
from voicebench.caller.script_state import ScriptState
from voicebench.language.caller_acts import consents
from voicebench.language.intents import Intents
from voicebench.language.itn import normalise
from voicebench.language.labels import Act, Detail
from voicebench.language.nearest import SentenceEncoder
from voicebench.language.number_mentions import days_in, offers_days
from voicebench.language.proposals import OwnWishes, proposal_in
from voicebench.language.readback import ReadBack, read_backs
from voicebench.packs.models import AnswerRule, CallerScript, PackSpec

__all__ = ["ScriptedCaller"]

_SORRY = "Sorry, could you say that again?"
_HELLO = "Hello?"
_YES = "Yes, that's right."
_OKAY = "Okay."
_YES_OR_NO = re.compile(r"(?:yes|no|yeah|sure|okay)\b", re.IGNORECASE)
_MISSES, _OKAYS, _HOLDS = 2, 2, 6
_STILL_WAITING = "Hello? I am still waiting."

_GOES_ON: frozenset[Act] = frozenset({"hold", "working", "transfers_now"})
"""Acts after which the agent has more to say, or somebody else has."""
_COURTESIES: frozenset[Act] = frozenset({"thanks", "apology"})
_OFFERS: frozenset[Act] = frozenset({"proceed", "offers_person", "offers_callback", "offers_remedy", "goodbye"})
"""Acts that "Okay." would consent to. Whoever has no answer to them says what it wants."""
_IN_GENERAL = re.compile(
    r"\b(?:details?|information|info|identity|who you are|look you up|find you|identify (?:you|yourself)"
    r"|verify (?:you|that its you|its you))\b"
)
_AGREES = re.compile(r"^(?:Yes|Sure|Okay|That's (?:fine|fair|all right))\b")
_STORIES: frozenset[Detail] = frozenset({"day_or_time", "reason", "what_happened", "which_item"})
"""Details that nobody says of that he has them, or has them not."""


class ScriptedCaller:
    """Follows the script of one task.

    For one turn of the agent, in this order:

    1. ``hangs_up``;
    2. the first ``heard`` rule that matches;
    3. every ``asked`` rule that matches, their facts joined, with the corrections of what was read back wrong; of
       several intents that a question may be, the first with a rule;
    4. a right read-back is confirmed;
    5. asked to say that again, it says what it gave last, facts in their next form; before the first, its opening;
    6. asked for a detail that it does not have, it says so, and what it has;
    7. words after which the agent goes on, thanks and apologies are waited for;
    8. offers that the script has no answer to, read-backs of what is no fact, a goodbye, and the third
       statement in a row are met with what it wants; other statements with "Okay.";
    9. a question that it did not understand is met with what it wants, if it is the first, and else, as is silence,
       with "Sorry, could you say that again?".

    Three turns in a row without an answer (5 once every form was used, 6, 8 without "Okay.", 9), and it gives up.

    Args:
        script: the caller's part of the case.
        spec: the pack's, or what the local caller gets of it: intents and kinds of facts.
        encoder: for the pack's example sentences; without it these are not used.
        wishes: what it agrees to; by default what its script wants.
    """

    def __init__(
        self,
        script: CallerScript,
        spec: PackSpec | CallerTask,
        encoder: SentenceEncoder | None = None,
        wishes: OwnWishes | None = None,
    ) -> None:
        self._script = script
        self._intents = Intents(spec.intents, encoder)
        self._labels = spec.intents.labels
        self._specs = spec.facts
        kinds = {name: spec.facts[name].type for name in script.facts if name in spec.facts}
        self._numbers = [name for name, kind in kinds.items() if kind in ("id", "phone")]
        self._state = ScriptState(fired=(0,) * len(script.answers))
        self._before = self._state
        self._wishes = wishes or own_wishes(script, self._labels.get("day_or_time", []))

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
        return _locked(self._script.opening, "opening")

    def still_there(self) -> Utterance:
        """Return "Hello?"."""
        return _locked(_HELLO, "hello")

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
        rules = (
            self._closing,
            self._heard,
            self._asked,
            self._confirmed,
            self._repeated,
            self._lacking,
            self._waiting,
            self._stated,
        )
        decisions = (rule(text) for rule in rules)
        decision = next((one for one in decisions if one is not None), None) or self._not_understood(text)
        return self._after_holds(decision)

    # ---- the rules, in order -------------------------------------------------------------------------------

    def _closing(self, text: str) -> CallerDecision | None:
        ending = self._script.hangs_up
        if self._state.marks.issuperset(ending.needs) and self._intents.match("heard", ending.heard, text):
            return CallerDecision("hang_up", _locked(self._script.closing, "closing"), "closing")
        return None

    def _heard(self, text: str) -> CallerDecision | None:
        for index, rule in self._live():
            if rule.heard and self._matches(rule, text) and not (_consents(rule) and self._proposes_other(text)):
                return self._speak([(index, rule)], rule.give)
        return None

    def _asked(self, text: str) -> CallerDecision | None:
        rules = self._rules_asked(text)
        facts = list(dict.fromkeys(name for _, rule in rules for name in rule.give))
        back = self._read_back(text, facts)
        again = back.offered | back.unfinished
        chosen = [name for name in self._script.facts if name in again and name not in facts]
        if not rules and not back.wrong and not chosen:
            return None
        settled = frozenset() if rules and len(days_in(text)) > 1 else (back.right | back.wrong.keys()) - again
        needed = [name for name in [*facts, *chosen] if name not in settled]
        if not needed and not back.wrong and not any(rule.say for _, rule in rules):
            return self._answered(_locked(_YES, "read_back"))
        confirms = back.is_asked and bool(back.right - again)
        return self._speak(rules, needed, corrected=list(back.wrong), confirms=confirms and not back.wrong)

    def _confirmed(self, text: str) -> CallerDecision | None:
        back = self._read_back(text)
        if back.right and (back.confirm or not self._intents.meaning(text).needs_only_patience):
            return self._answered(_locked(_YES, "read_back"))
        return None

    def _repeated(self, text: str) -> CallerDecision | None:
        """Say again what was said last, in the next form; once every form was used, that counts as not understood."""
        if "repeat_unnamed" not in self._intents.meaning(text).acts:
            return None
        state, last = self._state, self._state.last
        self._state = replace(state, repeats=state.repeats + 1)
        if last is None:
            says = self.opening().spoken if state.repeats % 2 == 0 else self._want()
            return self._said_again(_locked(says, "repeat:opening"), is_new=state.repeats < 2)
        facts = last.facts or (() if last.sentences and state.repeats == 0 else state.latest)
        forms = self._next_forms(facts)
        is_new = (
            state.repeats == 0
            if not facts
            else any(state.given.count(name) < len(self._script.facts[name].forms) for name in facts)
        )
        names = [f"repeat:{name}" for name in facts] or ["repeat:answer"]
        self._state = replace(self._state, given=self._state.given + tuple(facts))
        return self._said_again(self._utterance(forms, last.sentences, "+".join(names)), is_new=is_new)

    def _lacking(self, text: str) -> CallerDecision | None:
        """Say that it does not have a detail; asked for a story or a choice, it says what it wants."""
        requests = self._intents.meaning(text).requests
        if not requests.details and not requests.own:
            return None
        if not requests.own and _STORIES.issuperset(requests.details):
            return self._missed(_locked(self._want(), "wish"))
        has = thing_to_offer(self._script.facts, self._specs, self._state.given)
        return self._missed(_locked(f"I don't have that, I have {has}." if has else "I don't have that.", "have_not"))

    def _waiting(self, text: str) -> CallerDecision | None:
        """Wait where the agent has announced more, or has only been polite."""
        meaning = self._intents.meaning(text)
        if meaning.needs_only_patience:
            return CallerDecision("wait")
        questions = [one.text for one in meaning.sentences if one.is_question]
        goes_on = meaning.acts & _GOES_ON and all(self._intents.meaning(one).acts & _GOES_ON for one in questions)
        is_polite = meaning.acts and meaning.acts <= _COURTESIES and not questions
        return CallerDecision("wait") if goes_on or is_polite else None

    def _stated(self, text: str) -> CallerDecision | None:
        """Meet what is no question, and offers and questions that were understood and have no answer."""
        meaning = self._intents.meaning(text)
        if meaning.acts & (_OFFERS | {"read_back"}) or meaning.demands or self._intents.asked(text):
            return self._missed(_locked(self._want(), "wish"))
        if not meaning.sentences or not meaning.is_statement:
            return None
        if self._state.okays >= _OKAYS:
            return self._missed(_locked(self._want(), "wish"))
        self._state = replace(self._state, okays=self._state.okays + 1, spoke=True)
        return CallerDecision("speak", _locked(_OKAY, "acknowledge"))

    def _not_understood(self, text: str) -> CallerDecision:
        if text.strip() and not self._state.spoke:
            return self._missed(_locked(self._want(), "wish"))
        return self._missed(_locked(_SORRY, "sorry"))

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

    def _rules_asked(self, text: str) -> list[tuple[int, AnswerRule]]:
        """Return the live rules that a turn asks for, in the order of the script."""
        live = [(index, rule) for index, rule in self._live() if rule.asked]
        names = {rule.asked for _, rule in live}
        skipped = self._overruled(text)
        asked = self._intents.asked(self._without_repeats(text))
        questions = [question.intents for question in asked if question.intents[0] not in skipped]
        if self._asks_in_general(text):
            ungiven = {rule.asked for _, rule in live if set(rule.give).difference(self._state.given)}
            lookups = tuple(name for name in self._labels.get("not_found", []) if name in ungiven)
            questions = [lookups + question for question in questions]
        days = tuple(self._labels.get("day_or_time", []))
        if "which_item" in self._intents.meaning(text).requests.details and offers_days(text):
            questions = [days + q if q[0] in self._labels.get("which_item", []) else q for q in questions]
        chosen = {next((name for name in question if name in names), None) for question in questions}
        if chosen & {*self._labels.get("proceed", [])} and self._proposes_other(text):
            chosen -= {*self._labels.get("proceed", [])}
            if self._wishes.is_other_day(proposal_in(self._intents.meaning(text).sentences)):
                chosen.add(next((name for name in days if name in names), None))
        if not chosen - {None} and self._offers_days(text):
            chosen.add(next((name for name in days if name in names), None))
        return [(index, rule) for index, rule in live if rule.asked in chosen]

    def _offers_days(self, text: str) -> bool:
        """Whether a turn offers days to choose from, or asks whether it may be one that is not the caller's."""
        meaning = self._intents.meaning(text)
        names = self._labels.get("day_or_time", [])
        days = {name for _, rule in self._live() if rule.asked in names for name in rule.give}
        if meaning.is_statement or meaning.requests.details or self._read_back(text).right - days:
            return False
        return offers_days(text) or self._wishes.is_other_day(proposal_in(meaning.sentences))

    def _proposes_other(self, text: str) -> bool:
        """Whether a turn asks for a yes to something that the script does not want."""
        meaning = self._intents.meaning(text)
        asks = any(one.is_question for one in meaning.sentences) or "proceed" in meaning.acts
        return asks and self._wishes.refuses(proposal_in(meaning.sentences))

    def _without_repeats(self, text: str) -> str:
        """Return a turn without the sentences that only ask to say that again: "what did you say?" asks no more."""
        meaning = self._intents.meaning(text)
        if "repeat_unnamed" not in meaning.acts or meaning.requests.details or meaning.requests.own:
            return text
        parts = [one.text for one in meaning.sentences]
        return " ".join(one for one in parts if self._intents.meaning(one).acts != {"repeat_unnamed"})

    def _asks_in_general(self, text: str) -> bool:
        """Whether a turn asks who is calling without naming a detail: what looks a caller up answers that best."""
        requests = self._intents.meaning(text).requests
        return requests.details == ("other",) and not requests.own and _IN_GENERAL.search(normalise(text)) is not None

    def _overruled(self, text: str) -> set[str]:
        """Return the intents that a turn only seems to ask, beside what it does ask."""
        meaning = self._intents.meaning(text)
        skipped: set[str] = set()
        if "repeat_unnamed" in meaning.acts and self._state.last is not None and not meaning.requests.details:
            skipped |= set(self._labels.get("not_found", []))  # "I couldn't find it, could you check the number?"
        others = [label for label in meaning.requests.details if label != "other"]
        if "not_found" in meaning.acts and others:  # "I could not find that. What is the order number?"
            named = {name for label in others for name in self._labels.get(label, [])}
            skipped |= {*self._labels.get("not_found", [])}.difference(named)
        if others and "other" in meaning.requests.details and " or " in text:  # "the order number, or other details"
            skipped |= {*self._labels.get("other", [])}.difference(*(self._labels.get(label, []) for label in others))
        if "offers_person" in meaning.acts and "proceed" not in meaning.acts:
            skipped |= set(self._labels.get("proceed", []))
        return skipped

    def _read_back(self, text: str, asked: Iterable[str] = ()) -> ReadBack:
        expected = {*self._state.latest, *asked}
        return read_backs(text, self._script.facts, self._specs, expected, {*self._state.given, *self._numbers})

    def _want(self) -> str:
        """Return what the caller wants, in its own words."""
        names = self._labels.get("what_help", ["what_help"])
        wants = (rule.say for _, rule in self._live() if rule.asked in names and rule.say)
        return next(wants, self._script.opening)

    def _next_forms(self, facts: Iterable[str]) -> list[SpokenFact]:
        """Return facts with their forms; asked again, the next one: the one given last was not understood."""
        return [SpokenFact(name, self._state.given.count(name) % len(self._script.facts[name].forms)) for name in facts]

    def _utterance(
        self, given: Sequence[SpokenFact], sentences: Iterable[str], rule: str, *, prefix: str = ""
    ) -> Utterance:
        facts = self._script.facts
        return Utterance(
            intended=prefix + join_phrases([*(facts[one.name].value for one in given), *sentences]),
            spoken=prefix + join_phrases([*(facts[one.name].forms[one.form or 0] for one in given), *sentences]),
            rule=rule,
            facts=tuple(given),
        )

    def _speak(
        self,
        rules: Sequence[tuple[int, AnswerRule]],
        facts: Sequence[str],
        corrected: Sequence[str] = (),
        confirms: bool = False,
    ) -> CallerDecision:
        """Say the corrections, the facts and the sentences of some rules in one utterance, and note that they fired.

        Where it ``confirms`` a read-back beside, it says so before, unless a sentence begins with yes or no by itself.
        """
        names = ["read_back"] if corrected or confirms else []
        says = [rule.say for _, rule in rules if rule.say]
        yes = "" if any(_YES_OR_NO.match(one) for one in says) else "Yes, that's right, "
        names += [f"heard:{rule.heard}" if rule.heard else f"asked:{rule.asked}" for _, rule in rules]
        utterance = self._utterance(
            self._next_forms([*corrected, *facts]),
            says,
            "+".join(names or ["read_back"]),
            prefix="No, it is " if corrected else yes if confirms else "",
        )
        points = (rule.interrupt_after_words for _, rule in rules if rule.interrupt_after_words)
        self._state = self._state.with_answer(dict(rules), tuple(fact.name for fact in utterance.facts))
        return CallerDecision("speak", replace(utterance, interrupt_after_words=next(points, None)))

    def _after_holds(self, decision: CallerDecision) -> CallerDecision:
        """Return a decision, or say that it is still waiting, where it has been asked to wait too often in a row."""
        if decision.action != "wait":
            self._state = replace(self._state, holds=0)
            return decision
        self._state = replace(self._state, holds=self._state.holds + 1)
        return decision if self._state.holds <= _HOLDS else self._missed(_locked(_STILL_WAITING, "still_waiting"))

    def _answered(self, utterance: Utterance) -> CallerDecision:
        self._state = self._state.with_progress()
        return CallerDecision("speak", utterance)

    def _said_again(self, utterance: Utterance, *, is_new: bool) -> CallerDecision:
        return CallerDecision("speak", utterance) if is_new else self._missed(utterance)

    def _missed(self, utterance: Utterance) -> CallerDecision:
        """Say something that answers nothing, or give up at the third time in a row."""
        self._state = replace(self._state, misses=self._state.misses + 1, okays=_OKAYS - 1, spoke=True)
        if self._state.misses > _MISSES:
            return CallerDecision("hang_up", _locked(self._script.give_up, "give_up"), "give_up")
        return CallerDecision("speak", utterance)


def _consents(rule: AnswerRule) -> bool:
    return rule.say is not None and (consents(rule.say) or _AGREES.search(rule.say) is not None)


def _locked(text: str, rule: str) -> Utterance:
    return Utterance(text, text, rule)
