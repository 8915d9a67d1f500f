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
from dataclasses import dataclass
from typing import Literal, get_args

from voicebench.caller.given_facts import gives_fact, names_first_day, ways_to_say_dates, wrong_first_names
from voicebench.caller.policy import CallerDecision
from voicebench.caller.script import OwnLines, forbids_of, words_of
from voicebench.caller.shadow import Shadow
from voicebench.language.caller_acts import did_not_hear, evades, leaves_open, sides_with_company, wishes, with_ordinals
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
from voicebench.language.remedies import takes_remedy
from voicebench.language.topics import foreign_topics, pasts_in, tells_a_promise
from voicebench.packs.models import AnswerRule, CallerScript, PackSpec
from voicebench.record.events import CallerWaitsEvent
from voicebench.record.spans import AgentSpeechSpan, CallerSpeechSpan, ToolSpan, is_answer
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


@dataclass(frozen=True)
class _Said:
    """An utterance of the caller, all that the agent had said until then, and whether it had ended the call."""

    span: CallerSpeechSpan
    by_agent: tuple[str, ...]
    agent_ended: bool

    @property
    def span_id(self) -> str:
        return self.span.span_id

    @property
    def spoken(self) -> str:
        return self.span.spoken

    @property
    def answers(self) -> str:
        return self.span.answers or ""

    @property
    def hangs_up(self) -> bool:
        return self.span.rule in ("closing", "give_up")


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
        self._said = list(_utterances(trace, end_tools))
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
        self._pasts = set[str]().union(*map(pasts_in, (*self._lines, script.brief)))
        self._misunderstood = 0

    def check(self) -> Iterator[FidelityBreach]:
        for index, said in enumerate(self._said):
            is_scripted = False
            if index == 0:
                yield from self._opening(said)
            else:
                would = self._shadow.hear(said.answers, interrupts=said.span.interrupts)
                is_scripted = would.utterance is not None and would.utterance.spoken == said.spoken
                gives_up = said.span.rule == "give_up"
                self._misunderstood += gives_up or _is_misunderstood(would) or did_not_hear(said.spoken)
                yield from self._answer(said, would)
            if said.hangs_up:
                yield from self._hanging_up(said)
            if not is_scripted:  # the part's own answer to what was heard is no breach of the part
                yield from self._words(said)
                yield from self._forbidden(said, first=index == 0)
            yield from self._left_unanswered(said)

    # ---- word for word -------------------------------------------------------------------------------------

    def _opening(self, said: _Said) -> Iterator[FidelityBreach]:
        if words_of(said.spoken) != words_of(self._script.opening):
            yield _breach("opening", f"began with {_quoted(said.spoken)} instead of its first sentence", said.span_id)

    def _hanging_up(self, said: _Said) -> Iterator[FidelityBreach]:
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

    def _words(self, said: _Said) -> Iterator[FidelityBreach]:
        ungrounded = Sources([*self._task, *said.by_agent, said.answers]).ungrounded_values(said.span.intended)
        ungrounded += wrong_first_names(self._names, said.spoken)
        if ungrounded:
            what = f"said {_listed(ungrounded)}, which is not in its task and was not told to it"
            yield _breach("value", what, said.span_id)
        if self._own.is_locked(said.spoken):
            return
        yield from self._topics(said)
        words = self._own.without(said.spoken)
        if plays_agent(words, self._spec.company.name) or sides_with_company(words):
            yield _breach("role", f"spoke as the company: {_quoted(said.spoken)}", said.span_id)

    def _topics(self, said: _Said) -> Iterator[FidelityBreach]:
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

    def _forbidden(self, said: _Said, *, first: bool) -> Iterator[FidelityBreach]:
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
            taken = taken or (not is_scripted and self._takes(forbid.said, said))
            if (expressed or taken) and not (excepted or allowed):
                what = f"said {_quoted(said.spoken)}, and its task forbids: {_plain(forbid.said)}"
                yield _breach("forbidden", what, said.span_id)

    def _takes(self, name: str, said: _Said) -> bool:
        """Whether a caller takes what an intent forbids, in any words; those of its script are not asked about."""
        remedies = self._spec.intents.remedies.get(name, [])
        return takes_remedy(self._own.without(said.spoken), said.answers, remedies, self._own_words)

    def _marks(self, said: _Said) -> set[str]:
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

    def _answer(self, said: _Said, would: CallerDecision) -> Iterator[FidelityBreach]:
        if would.reason == "closing" and not said.hangs_up:
            condition = _plain(self._script.hangs_up.heard)
            yield _breach("stayed_on", f"was told: {condition}, and went on with {_quoted(said.spoken)}", said.span_id)
        if said.hangs_up or asks_again(said.spoken) or did_not_hear(said.spoken):
            return
        asked = [rule for rule in self._script.answers if rule.asked and self._any("asked", rule.asked, [said.answers])]
        if (asked or "?" in said.answers) and is_empty_answer(said.spoken):
            yield _breach("unanswered", f"answered {_quoted(said.answers)} with {_quoted(said.spoken)}", said.span_id)
            return
        if would.utterance is None:
            return
        if not would.utterance.facts:
            has_choice = bool(asked) and self._own.shares_words(would.utterance.spoken, said.spoken)
            if asked and leaves_open(said.spoken) and not has_choice and not leaves_open(would.utterance.spoken):
                yield _breach("unanswered", f"left {_quoted(said.answers)} to the company", said.span_id)
            return
        if "asked:" not in would.utterance.rule and not evades(said.spoken):
            return  # who answers a statement may do so in other words
        wanted = self._wanted([fact.name for fact in would.utterance.facts], said)
        facts, specs = self._script.facts, self._spec.facts
        is_own = said.spoken == would.utterance.spoken  # where it is wrong, what was said breaks another rule
        if wanted and not is_own and not any(gives_fact(name, facts[name], specs, said.spoken) for name in wanted):
            names = " and ".join(map(_plain, wanted))
            yield _breach("unanswered", f"was asked for {names} and said {_quoted(said.spoken)}", said.span_id)

    def _wanted(self, names: list[str], said: _Said) -> list[str]:
        """Return the facts that must be given: those asked for, unless they were read back or may be put anyhow."""
        facts, specs = self._script.facts, self._spec.facts
        back = read_backs(said.answers, facts, specs, names)
        if (back.right or back.wrong) and settles(said.spoken):
            return []
        if any(specs[name].type in _UNCHECKED for name in names if name in specs):
            return []
        return [name for name in names if name not in back.right - back.offered]

    # ---- the end -------------------------------------------------------------------------------------------

    def _left_unanswered(self, said: _Said) -> Iterator[FidelityBreach]:
        """Check where the caller decided to say nothing after these words."""
        for wait in _waits(self._trace, said.span_id):
            would = self._shadow.would(wait.heard)
            if would.reason == "closing":
                what = f"was told: {_plain(self._script.hangs_up.heard)}, and said nothing"
                yield _breach("stayed_on", what, wait.span_id)
            elif would.utterance is not None and wait.is_silence(would.utterance.rule, self._end_reason):
                yield _breach("unanswered", f"left {_quoted(wait.heard)} without an answer", wait.span_id)


# ---- the trace ----------------------------------------------------------------------------------------------------


def _utterances(trace: Sequence[TraceRecord], end_tools: frozenset[str]) -> Iterator[_Said]:
    """Yield what the caller said, but for "hello?"."""
    by_agent: list[str] = []
    turn: int | None = None
    agent_ended = False
    for line in trace:
        if isinstance(line, AgentSpeechSpan):
            texts = [line.intended]
            if line.turn == turn and by_agent:
                # One turn may come in several pieces, and an intent may need the words of two of them.
                texts.append(f"{by_agent[-1]} {line.intended}")
            by_agent += texts
            turn = line.turn
        elif isinstance(line, ToolSpan) and line.tool in end_tools:
            agent_ended = agent_ended or line.result.get("ok") is True
        elif isinstance(line, CallerSpeechSpan) and line.rule != "hello":
            yield _Said(line, tuple(by_agent), agent_ended)


@dataclass(frozen=True)
class _Wait:
    """A turn that the caller let pass.

    Attributes:
        heard: what it had heard.
        span_id: of the agent's last words.
        followed_by: what came next: ``hello``, ``agent`` or ``end``.
    """

    heard: str
    span_id: str
    followed_by: Literal["hello", "agent", "end"]

    def is_silence(self, would_be: str, end_reason: str) -> bool:
        """Whether a fair caller would have spoken, by the rule that the scripted one would have followed."""
        if self.followed_by == "end":
            return end_reason == "agent_silent"
        return self.followed_by == "hello" and is_answer(would_be)


def _waits(trace: Sequence[TraceRecord], span_id: str) -> Iterator[_Wait]:
    """Yield the turns that the caller let pass between some words and its next, but for "hello?"."""
    begin = next(index for index, line in enumerate(trace) if line.span_id == span_id)
    agent_span, waiting = "", ""
    for line in trace[begin + 1 :]:
        if waiting and isinstance(line, AgentSpeechSpan | CallerWaitsEvent | CallerSpeechSpan):
            said_hello = isinstance(line, CallerSpeechSpan) and line.rule == "hello"
            yield _Wait(waiting, agent_span, "hello" if said_hello else "agent")
            waiting = ""
        if isinstance(line, CallerSpeechSpan) and line.rule != "hello":
            return
        if isinstance(line, AgentSpeechSpan):
            agent_span = line.span_id
        elif isinstance(line, CallerWaitsEvent):
            waiting = line.heard
    if waiting:
        yield _Wait(waiting, agent_span, "end")


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
