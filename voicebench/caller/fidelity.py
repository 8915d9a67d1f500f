"""Whether a caller kept to its script: a pure function of the task and the trace, and no model is asked.

Only what the caller **said** counts, before the line. Each rule errs towards the caller: what a fair person could have
said is no breach. The rules, in the order in which a call's first breach is named:

``opening``
    The first sentence, word for word.
``closing``
    The last sentence (or the give-up line), word for word, at the end of what is said before hanging up.
``value``
    Every number, code, name, day and address stands in the task or was said by the agent before, and so does every
    topic that the caller brings up.
``forbidden``
    No intent that the task or its pack forbids, in whatever words, no yes to the offer of one, and no request for
    something that neither the task nor the agent named.
``role``
    Nothing that only the company's side would say.
``unanswered``
    Who is asked for a fact gives it, and who is asked anything says more than okay; who is expected to speak does.
``hung_up_early``
    Hung up before what it waited for was said, or given up before it was misunderstood three times.
``stayed_on``
    Heard what it waited for, and not hung up at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, get_args

from voicebench.caller.given_facts import (
    as_corrected,
    gives_fact,
    names_first_day,
    ways_to_say_dates,
    wrong_first_names,
)
from voicebench.caller.policy import CallerDecision
from voicebench.caller.said_turns import SaidTurn, said_turns, waited_turns
from voicebench.caller.script import OwnLines, forbids_of, words_of
from voicebench.caller.shadow import Shadow
from voicebench.caller.weighing import WeighedTurn, Weigher
from voicebench.language.caller_acts import (
    consents,
    did_not_hear,
    evades,
    leaves_open,
    offer_in,
    sides_with_company,
    wishes,
    with_ordinals,
)
from voicebench.language.dialogue_acts import (
    affirmed,
    agrees,
    asks_again,
    is_empty_answer,
    plays_agent,
    proposed,
    settles,
)
from voicebench.language.foreign_words import ForeignWords
from voicebench.language.grounding import Sources
from voicebench.language.intents import Intents
from voicebench.language.itn import normalise
from voicebench.language.nearest import SentenceEncoder
from voicebench.language.readback import read_backs
from voicebench.language.remedies import names_remedy, takes_remedy
from voicebench.language.topics import foreign_topics, pasts_in, tells_a_promise
from voicebench.packs.models import AnswerRule, CallerScript, PackSpec
from voicebench.record.trace import TraceRecord
from voicebench.record.verdict import FidelityBreach

__all__ = ["FidelityRule", "breaches"]

FidelityRule = Literal["opening", "closing", "value", "forbidden", "role", "unanswered", "hung_up_early", "stayed_on"]

_FAIR_TRIES = 3
"""Misunderstandings before a caller may give up, the last of which it answers by giving up."""
_UNCHECKED = ("bool", "prose", "enum")
"""Kinds of facts that a caller may give in any words."""


def breaches(
    script: CallerScript,
    spec: PackSpec,
    trace: Sequence[TraceRecord],
    *,
    end_reason: str,
    end_tools: Collection[str] = (),
    encoder: SentenceEncoder | None = None,
) -> list[FidelityBreach]:
    """Return what a caller did against its script, first rule first; empty if it kept to it.

    Args:
        script: the caller's part of the case.
        spec: the pack's.
        trace: spans and events.
        end_reason: why the call ended.
        end_tools: tools with which the agent ends a call; who hangs up after one is never early.
        encoder: by which the agent is understood; None for rules alone.
    """
    found = list(_FidelityChecker(script, spec, trace, end_reason, frozenset(end_tools), encoder).check())
    order = get_args(FidelityRule)
    return sorted(found, key=lambda breach: order.index(breach.rule))


def _breach(rule: FidelityRule, what: str, span_id: str) -> FidelityBreach:
    return FidelityBreach(rule=rule, what=what, span_id=span_id)


class _FidelityChecker:
    """Checks one call, with a scripted caller as its shadow that hears the same."""

    def __init__(
        self,
        script: CallerScript,
        spec: PackSpec,
        trace: Sequence[TraceRecord],
        end_reason: str,
        end_tools: frozenset[str],
        encoder: SentenceEncoder | None,
    ) -> None:
        self._script = script
        self._spec = spec
        self._trace = trace
        self._end_reason = end_reason
        self._intents = Intents(spec.intents, encoder)
        self._forbids = forbids_of(script, spec, self._intents)
        self._shadow = Shadow(script, spec, encoder)
        self._said = list(said_turns(trace, end_tools))
        self._task = [
            *(text for fact in script.facts.values() for text in (fact.value, *fact.forms)),
            *(rule.say for rule in script.answers if rule.say),
            *(script.opening, script.brief, script.closing, script.give_up, spec.company.name, spec.greeting),
            *ways_to_say_dates(script.facts.values()),
        ]
        self._lines = [script.opening, *(rule.say for rule in script.answers if rule.say)]
        values = (text for fact in script.facts.values() for text in (fact.value, *fact.forms))
        days = ways_to_say_dates(fact for name, fact in script.facts.items() if "birth" not in name)
        wanted = [*map(normalise, values), *map(normalise, map(affirmed, self._lines)), *days]
        self._own_words = {word for text in wanted for word in re.findall(r"\w+", with_ordinals(text.casefold()))}
        kinds = {name: spec.facts[name].type for name in script.facts if name in spec.facts}
        self._names = [script.facts[name] for name, kind in kinds.items() if kind == "name"]
        self._own = OwnLines(script)
        self._forbidden_remedies = [
            one for forbid in self._forbids for one in spec.intents.remedies.get(forbid.said, [])
        ]
        self._weigher = (
            None if encoder is None else Weigher(script, spec, self._task, self._forbidden_remedies, encoder)
        )
        self._pasts = set[str]().union(*map(pasts_in, (*self._lines, script.brief)))
        self._misunderstood = 0

    def check(self) -> Iterator[FidelityBreach]:
        for index, said in enumerate(self._said):
            if index == 0:
                if words_of(said.spoken) != words_of(self._script.opening):
                    what = f"began with {_quoted(said.spoken)} instead of its first sentence"
                    yield _breach("opening", what, said.span_id)
                yield from self._turn(said, None)
            else:
                would = self._shadow.hear(said.answers, interrupts=said.span.interrupts)
                gives_up = said.span.rule == "give_up"
                self._misunderstood += gives_up or _is_misunderstood(would) or did_not_hear(said.spoken)
                yield from self._turn(said, would)
            yield from self._left_unanswered(said)

    def _turn(self, said: SaidTurn, would: CallerDecision | None) -> Iterator[FidelityBreach]:
        """Check the words of one turn; ``would`` is what the scripted caller would have done, None of the opening."""
        is_scripted = would is not None and would.utterance is not None and would.utterance.spoken == said.spoken
        if would is not None and would.reason == "closing" and not said.hangs_up:
            condition = _plain(self._script.hangs_up.heard)
            yield _breach("stayed_on", f"was told: {condition}, and went on with {_quoted(said.spoken)}", said.span_id)
        if said.hangs_up:
            yield from self._hanging_up(said)
        sure, found = [*self._values(said)] if not is_scripted else [], list[FidelityBreach]()
        if would is not None and not said.hangs_up:
            sure += self._withheld(said, would)
            found += self._answer(said, would)
        if not is_scripted:  # the part's own answer to what was heard is no breach of the part
            found += self._words(said)
            for breach, is_expressed in self._forbidden(said, first=would is None):
                (sure if is_expressed else found).append(breach)
        yield from sure
        is_own = self._own.is_locked(said.spoken) or not self._own.without(said.spoken)
        if would is None or is_scripted or self._weigher is None or is_own:
            yield from found
            return
        told = (self._spec.greeting, *said.by_agent, said.answers)
        rules = frozenset(breach.rule for breach in (*sure, *found))
        turn = WeighedTurn(said.spoken, said.answers, would, told, rules)
        if self._weigher.is_breach(turn):
            yield from found if sure or found else [self._by_signs(said, would)]

    def _by_signs(self, said: SaidTurn, would: CallerDecision) -> FidelityBreach:
        """Return the breach of a turn that no rule finds by itself, named by what it does."""
        quoted, heard = _quoted(said.spoken), _quoted(said.answers)
        if consents(said.spoken) or names_remedy(offer_in(said.answers), self._forbidden_remedies):
            return _breach("forbidden", f"answered {heard} with {quoted}, as nothing in its task does", said.span_id)
        if would.utterance is not None and "asked:" in would.utterance.rule and not wishes(said.spoken):
            return _breach("unanswered", f"was asked {heard} and said {quoted}, beside its task", said.span_id)
        return _breach("value", f"claimed something that its task does not hold: {quoted}", said.span_id)

    # ---- word for word -------------------------------------------------------------------------------------

    def _hanging_up(self, said: SaidTurn) -> Iterator[FidelityBreach]:
        line = self._script.give_up if said.span.rule == "give_up" else self._script.closing
        words = words_of(line)
        if words_of(said.spoken)[-len(words) :] != words:
            what = f"hung up with {_quoted(said.spoken)} instead of its last sentence"
            yield _breach("closing", what, said.span_id)
        if said.span.rule == "give_up":
            if self._misunderstood < _FAIR_TRIES:
                what = f"gave up after {self._misunderstood} turns that were not understood"
                yield _breach("hung_up_early", what, said.span_id)
        elif not said.agent_ended:
            condition, turns = self._script.hangs_up, [said.answers, *said.by_agent]
            heard = self._any("heard", condition.heard, turns)
            if not heard or not self._marks(said).issuperset(condition.needs):
                what = f"hung up before it was told: {_plain(condition.heard)}"
                yield _breach("hung_up_early", what, said.span_id)

    # ---- words ---------------------------------------------------------------------------------------------

    def _values(self, said: SaidTurn) -> Iterator[FidelityBreach]:
        ungrounded = Sources([*self._task, *said.by_agent, said.answers]).ungrounded_values(
            as_corrected(said.span.intended)
        )
        ungrounded += wrong_first_names(self._names, said.spoken)
        if ungrounded:
            what = f"said {_listed(ungrounded)}, which is not in its task and was not told to it"
            yield _breach("value", what, said.span_id)

    def _words(self, said: SaidTurn) -> Iterator[FidelityBreach]:
        if self._own.is_locked(said.spoken):
            return
        yield from self._topics(said)
        words = self._own.without(said.spoken)
        if plays_agent(words, self._spec.company.name) or sides_with_company(words):
            yield _breach("role", f"spoke as the company: {_quoted(said.spoken)}", said.span_id)

    def _topics(self, said: SaidTurn) -> Iterator[FidelityBreach]:
        words, told = self._own.without(said.spoken), [*said.by_agent, said.answers]
        foreign = ForeignWords(self._task, told)
        topics = [topic for topic in foreign_topics(words, self._task, told) if not foreign.knows(topic)]
        if requested := [topic for topic in topics if wishes(words)] or foreign.requested(words):
            what = f"asked for something else, by {_listed(requested)}, of which its task says nothing"
            yield _breach("forbidden", what, said.span_id)
        elif claimed := topics or foreign.claimed(words):
            what = f"spoke of {_listed(claimed)}, of which its task says nothing"
            yield _breach("value", what, said.span_id)
        elif (tells_a_promise(words) and not any(map(tells_a_promise, self._task))) or pasts_in(words) - self._pasts:
            yield _breach("value", f"claimed what nobody told it: {_quoted(said.spoken)}", said.span_id)

    def _forbidden(self, said: SaidTurn, *, first: bool) -> Iterator[tuple[FidelityBreach, bool]]:
        """Yield what the task forbids and the caller voices or takes, and whether the pack's own expressions say so."""
        if self._own.is_locked(said.spoken):
            return
        meant = affirmed(self._own.without(said.spoken))
        lines = [rule.say for rule in self._script.answers if rule.say and self._meets(rule, [said.answers])]
        has_yes, is_scripted = any(map(agrees, lines)), words_of(said.spoken) in map(words_of, lines)
        accepted = proposed(said.answers) if agrees(said.spoken) and not has_yes else ""
        for forbid in self._forbids:
            excepted = forbid.except_ == "opening" and first
            allowed = forbid.before is not None and forbid.before in self._marks(said)
            expressed = self._any("said", forbid.said, [meant])
            expressed = expressed and not (forbid.said == "names_a_day" and names_first_day(meant, said.answers))
            taken = forbid.offered is not None and self._any("heard", forbid.offered, [accepted])
            if not taken and not is_scripted:  # in any words; those of its script are not asked about
                remedies = self._spec.intents.remedies.get(forbid.said, [])
                taken = takes_remedy(self._own.without(said.spoken), said.answers, remedies, self._own_words)
            if (expressed or taken) and not (excepted or allowed):
                what = f"said {_quoted(said.spoken)}, and its task forbids: {_plain(forbid.said)}"
                yield _breach("forbidden", what, said.span_id), expressed

    def _marks(self, said: SaidTurn) -> set[str]:
        """Return the marks that may be set: what sets them was heard, or said by the agent, however it was heard."""
        marks: set[str] = set()
        turns = [*said.by_agent, *(other.answers for other in self._said[: self._said.index(said) + 1])]
        for rule in self._script.answers:
            if rule.sets and self._meets(rule, turns):
                marks.add(rule.sets)
        return marks

    def _meets(self, rule: AnswerRule, texts: Sequence[str]) -> bool:
        return self._any("heard", rule.heard, texts) if rule.heard else self._any("asked", rule.asked or "", texts)

    def _any(self, kind: Literal["heard", "asked", "said"], name: str, texts: Sequence[str]) -> bool:
        return any(self._intents.match(kind, name, text) for text in texts if text)

    # ---- answers -------------------------------------------------------------------------------------------

    def _answer(self, said: SaidTurn, would: CallerDecision) -> Iterator[FidelityBreach]:
        """Check whether what was said is an answer at all."""
        if asks_again(said.spoken) or did_not_hear(said.spoken):
            return
        asked = [rule for rule in self._script.answers if rule.asked and self._any("asked", rule.asked, [said.answers])]
        if (asked or "?" in said.answers) and is_empty_answer(said.spoken):
            yield _breach("unanswered", f"answered {_quoted(said.answers)} with {_quoted(said.spoken)}", said.span_id)
        elif asked and would.utterance is not None and not would.utterance.facts:
            has_choice = self._own.shares_words(would.utterance.spoken, said.spoken)
            if leaves_open(said.spoken) and not has_choice and not leaves_open(would.utterance.spoken):
                yield _breach("unanswered", f"left {_quoted(said.answers)} to the company", said.span_id)

    def _withheld(self, said: SaidTurn, would: CallerDecision) -> Iterator[FidelityBreach]:
        """Check whether the facts that were asked for are given."""
        if asks_again(said.spoken) or did_not_hear(said.spoken) or is_empty_answer(said.spoken):
            return
        if would.utterance is None or not would.utterance.facts:
            return
        if "asked:" not in would.utterance.rule and not evades(said.spoken):
            return  # who answers a statement may do so in other words
        wanted = self._wanted([fact.name for fact in would.utterance.facts], said)
        facts, specs = self._script.facts, self._spec.facts
        is_own = said.spoken == would.utterance.spoken  # where it is wrong, what was said breaks another rule
        if wanted and not is_own and not any(gives_fact(name, facts[name], specs, said.spoken) for name in wanted):
            names = " and ".join(map(_plain, wanted))
            yield _breach("unanswered", f"was asked for {names} and said {_quoted(said.spoken)}", said.span_id)

    def _wanted(self, names: list[str], said: SaidTurn) -> list[str]:
        """Return the facts that must be given: those asked for, unless they were read back or may be put anyhow."""
        facts, specs = self._script.facts, self._spec.facts
        back = read_backs(said.answers, facts, specs, names)
        if (back.right or back.wrong) and settles(said.spoken):
            return []
        if any(specs[name].type in _UNCHECKED for name in names if name in specs):
            return []
        return [name for name in names if name not in back.right - back.offered]

    # ---- the end -------------------------------------------------------------------------------------------

    def _left_unanswered(self, said: SaidTurn) -> Iterator[FidelityBreach]:
        """Check where the caller decided to say nothing after these words."""
        for wait in waited_turns(self._trace, said.span_id):
            would = self._shadow.would(wait.heard)
            if would.reason == "closing":
                what = f"was told: {_plain(self._script.hangs_up.heard)}, and said nothing"
                yield _breach("stayed_on", what, wait.span_id)
            elif would.utterance is not None and wait.is_silence(would.utterance.rule, self._end_reason):
                yield _breach("unanswered", f"left {_quoted(wait.heard)} without an answer", wait.span_id)


def _is_misunderstood(would: CallerDecision) -> bool:
    """Whether the scripted caller would have had no answer to a turn."""
    if would.reason == "give_up":
        return True
    rule = would.utterance.rule if would.utterance else ""
    return rule in ("sorry", "wish", "have_not", "still_waiting") or rule.startswith("repeat:")


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _listed(words: Sequence[str]) -> str:
    return ", ".join(map(repr, words))


def _quoted(text: str) -> str:
    return f'"{text}"' if text else "silence"
