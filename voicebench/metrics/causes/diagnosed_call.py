"""The input of the search for a call's cause, and the candidates that the search finds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, get_args

from voicebench.language.compare import compare_values
from voicebench.language.intents import Intents
from voicebench.language.nearest import SentenceEncoder
from voicebench.language.understanding import readable
from voicebench.metrics.fact_mentions import fact_arguments
from voicebench.packs import PackSnapshot
from voicebench.packs.models import Case, Step
from voicebench.record.call import CallScore
from voicebench.record.figures import LineReport
from voicebench.record.json_types import JsonValue
from voicebench.record.spans import (
    AsrSpan,
    CallerHeardSpan,
    CallerSpeechSpan,
    HandoffSpan,
    LlmSpan,
    ToolSpan,
    TtsSpan,
    is_answer,
)
from voicebench.record.trace import TraceRecord
from voicebench.record.trace_line import TraceSpan
from voicebench.record.transcript import Attribution, Cause, FactMention, TranscriptTurn
from voicebench.record.verdict import ArgumentRow, GateName, HandoffRow, MadeHandoff, MadeToolCall, ToolRow, VoidKind

__all__ = ["CAUSES", "CauseCandidate", "DiagnosedCall", "Made", "ScriptedReplies", "ScriptedReply", "SolutionStep"]

CAUSES: tuple[Cause, ...] = get_args(Cause)

Made = MadeToolCall | MadeHandoff


@dataclass(frozen=True)
class CauseCandidate:
    """Something that kept a call from passing; the first of them in time is the cause.

    Attributes:
        cause: who or what.
        sentence: what happened, for people.
        at_s: when, seconds of call time; infinite for what was never done.
        evidence: ids of the spans that show it.
        fact: the fact of the task that it is about.
        said: the words spoken.
        heard: the words recognised of them.
        used: the value given to a tool.
        voids: of the caller's own doing, the kind of void call that it makes.
    """

    cause: Cause
    sentence: str
    at_s: float
    evidence: Sequence[str] = ()
    fact: str | None = None
    said: str | None = None
    heard: str | None = None
    used: JsonValue = None
    voids: VoidKind = "comprehension"

    def record(self) -> Attribution:
        """Return it as the call's cause."""
        return Attribution(
            cause=self.cause,
            sentence=self.sentence,
            at_s=None if self.at_s == float("inf") else round(self.at_s, 3),
            evidence=tuple(dict.fromkeys(self.evidence)),
            fact=self.fact,
            said=self.said,
            heard=self.heard,
            used=self.used,
        )


@dataclass(frozen=True)
class ScriptedReply:
    """What a caller that keeps to the script would do about some words: this tells its faults from the agent's.

    Attributes:
        rule: behind its answer, as the span ``caller.speech`` names it; empty where it would wait.
        gives: the facts that the answer gives.
    """

    rule: str
    gives: tuple[str, ...] = ()

    @property
    def answers(self) -> bool:
        """Whether its script has an answer, now; to say the last thing once more is none of the script's."""
        return is_answer(self.rule) and not self.rule.startswith("repeat:")


class ScriptedReplies(Protocol):
    """The scripted caller at any moment of a call."""

    def __call__(self, text: str, span_id: str | None) -> ScriptedReply:
        """Return what it would do about some words.

        Args:
            text: what it hears.
            span_id: of the ``caller.speech`` that it speaks instead, having heard all that was heard before; None for
                the end of the call.
        """
        ...


@dataclass(frozen=True)
class SolutionStep:
    """A call or a handoff of the solution with what was done of it, as the verdict has it.

    Attributes:
        index: among the solution's calls and handoffs.
        step: of the solution.
        row: of ``tool_calls.rows``.
        name: the tool or handoff expected.
    """

    index: int
    step: Step
    row: ToolRow | HandoffRow
    name: str

    @property
    def satisfied(self) -> bool:
        """Whether the agent did the step as the solution has it."""
        return self.row.satisfied

    @property
    def needed(self) -> bool:
        """Whether a gate fails because the step was not done."""
        return self.row.gating and not self.satisfied

    @property
    def actual(self) -> Made | None:
        """The call or handoff that it was matched to."""
        return self.row.actual

    @property
    def start_s(self) -> float:
        """Start of the call or handoff it was matched to, seconds of call time; infinity without one."""
        return float("inf") if self.actual is None else self.actual.start_s

    @property
    def wrong_arguments(self) -> list[ArgumentRow]:
        """The arguments that fail it."""
        return [argument for argument in self.row.arguments if argument.gates and not argument.equal]

    @property
    def refused_as_written(self) -> MadeToolCall | None:
        """The call, if it was made just as the solution has it and the tool did not answer as the solution expects."""
        actual = self.row.actual
        as_written = isinstance(actual, MadeToolCall) and not self.satisfied and not self.wrong_arguments
        return actual if isinstance(actual, MadeToolCall) and as_written else None


@dataclass(frozen=True)
class DiagnosedCall:
    """One scored call with all data that the search for its cause uses.

    Attributes:
        snapshot: the run's copy of the pack.
        case: the task.
        trace: spans and events.
        score: the verdict and the metrics.
        end_reason: why the call ended.
        scripted_reply: what the caller's script makes of words.
        line: what both legs did; None over text.
        encoder: by which the agent is understood; None for rules alone.
    """

    snapshot: PackSnapshot
    case: Case
    trace: Sequence[TraceRecord]
    score: CallScore
    end_reason: str
    scripted_reply: ScriptedReplies
    line: LineReport | None = None
    encoder: SentenceEncoder | None = None

    # ---- what was done ---------------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> Sequence[ToolRow | HandoffRow]:
        return () if self.score.tool_calls is None else self.score.tool_calls.rows

    @cached_property
    def steps(self) -> list[SolutionStep]:
        """The solution's calls and handoffs."""
        acts = [step for step in self.case.solution if step.call or step.hand_off]
        rows = [(row, row.expected.name) for row in self._rows if row.expected is not None]
        return [SolutionStep(index, step, *row) for index, (step, row) in enumerate(zip(acts, rows, strict=True))]

    @cached_property
    def extra(self) -> list[Made]:
        """Calls and handoffs that no step of the solution stands for."""
        return [row.actual for row in self._rows if row.expected is None and row.actual is not None]

    def fails(self, gate: GateName) -> bool:
        """Whether a gate does not pass."""
        return self.score.gates is not None and not self.score.gates.by_name()[gate].passed

    def wrote(self, made: Made | None) -> bool:
        """Whether a call changed something."""
        tool = self.snapshot.tools.get(made.name) if made is not None else None
        return tool is not None and tool.writes and isinstance(made, MadeToolCall) and made.ok

    def act_spans(self, made: Made | None) -> list[str]:
        """Return the span of a call or a handoff of the verdict."""
        if made is None:
            return []
        acts = (span for span in self.trace if isinstance(span, ToolSpan | HandoffSpan))
        return [span.span_id for span in acts if span.tool == made.name and span.start_ns / 1e9 == made.start_s][:1]

    def differing_facts(self, made: Made, step: Step | None = None) -> dict[str, JsonValue]:
        """Return the facts of the caller's that a call was given another value for, with that value.

        Args:
            made: the call.
            step: the step whose arguments say which is which fact; those of all steps if None.
        """
        if not isinstance(made, MadeToolCall):
            return {}
        ways = [way for one in (self.case.solution if step is None else [step]) for way in fact_arguments(one)]
        types = self.snapshot.tools[made.name].arg_types if made.name in self.snapshot.tools else {}
        known = self.case.caller.facts
        differing: dict[str, JsonValue] = {}
        for argument, value in made.arguments.items():
            names = [facts[argument] for tool, facts in ways if tool == made.name and argument in facts]
            allowed = [known[name].value for name in names if name in known]
            right = any(compare_values(types.get(argument), fact, value).equal for fact in allowed)
            if names and value is not None and not right:
                differing[names[0]] = value
        return differing

    def lacking(self, step: SolutionStep) -> list[str]:
        """Return the facts that a step needs and that the caller never gave; none if one way to do it has them all."""
        by_script = {
            fact for turn in self.caller_turns if (span := self._utterance(turn)) is not None for fact in span.facts
        }
        by_model = any(self.rule(turn) == "model" for turn in self.caller_turns)

        def given(fact: str) -> bool:
            # Free words cannot be found in those of a model, so it may have given them.
            spec = self.snapshot.spec.facts.get(fact)
            free = spec is None or not readable(spec)
            return fact in by_script or bool(self.mentions_of(fact)) or (free and by_model)

        unsaid = [[fact for fact in way.values() if not given(fact)] for _, way in fact_arguments(step.step)]
        return min(unsaid, key=len, default=[])

    @cached_property
    def agent_ended(self) -> bool:
        """Whether the agent ended the call by a tool, or gave it to a person."""
        ending = {tool.name for tool in self.snapshot.tools.values() if tool.ends_call}
        calls = (span for span in self.trace if isinstance(span, ToolSpan))
        return any(span.tool in ending and span.result.get("ok") is True for span in calls)

    # ---- what was said ---------------------------------------------------------------------------------------

    @property
    def turns(self) -> Sequence[TranscriptTurn]:
        """Both sides' turns."""
        return self.score.transcript

    @cached_property
    def caller_turns(self) -> list[TranscriptTurn]:
        """The caller's turns."""
        return [turn for turn in self.turns if turn.speaker == "caller"]

    @cached_property
    def _utterances(self) -> Mapping[str, CallerSpeechSpan]:
        return {span.span_id: span for span in self.trace if isinstance(span, CallerSpeechSpan)}

    def _utterance(self, turn: TranscriptTurn) -> CallerSpeechSpan | None:
        return self._utterances.get(turn.span_ids[0])

    def rule(self, turn: TranscriptTurn) -> str:
        """Return the rule behind a turn of the caller's; empty where it has none."""
        span = self._utterance(turn)
        return "" if span is None else span.rule

    def heard_by_caller(self, turn: TranscriptTurn, before: TranscriptTurn) -> str:
        """Return what a turn of the caller's answers as the caller had understood it: the agent's turn before it."""
        span = self._utterance(turn)
        if span is not None and span.answers is not None:
            return span.answers
        return before.spoken if before.heard is None else before.heard

    def agents_before(self, turn: TranscriptTurn) -> list[TranscriptTurn]:
        """Return the agent's turns before a turn of the caller's."""
        return [one for one in self.turns[: self.turns.index(turn)] if one.speaker == "agent"]

    def caller_after(self, turn: TranscriptTurn) -> TranscriptTurn | None:
        """Return the caller's answer to a turn of the agent's: what it said next but for "hello?"."""
        after = [one for one in self.turns[self.turns.index(turn) + 1 :] if one.speaker == "caller"]
        return next((one for one in after if self.rule(one) != "hello"), None)

    def mentions_of(self, fact: str) -> list[FactMention]:
        """Return the caller's mentions of a fact."""
        return [one for one in self.score.fact_mentions if one.fact == fact and one.speaker == "caller"]

    @cached_property
    def is_heard(self) -> bool:
        """Whether the agent listens through a recognizer whose words are known."""
        # An agent that speaks by a synthesiser listens by a recognizer, though a deaf one has never had it work.
        return any(isinstance(span, AsrSpan | TtsSpan) and span.party != "caller" for span in self.trace)

    @cached_property
    def is_caller_listening(self) -> bool:
        """Whether the caller hears the agent's voice, or is given its words."""
        return any(isinstance(span, CallerHeardSpan) for span in self.trace)

    @cached_property
    def intents(self) -> Intents:
        """The pack's."""
        return Intents(self.snapshot.spec.intents, self.encoder)

    @property
    def today(self) -> dt.date:
        """The pack's date."""
        return dt.date.fromisoformat(self.snapshot.spec.today)

    # ---- time ------------------------------------------------------------------------------------------------

    @cached_property
    def end_s(self) -> float:
        """When the call ended, seconds of call time."""
        ends = (record.end_ns if isinstance(record, TraceSpan) else record.time_ns for record in self.trace)
        return max(ends, default=0) / 1e9

    def requests(self, after_s: float = 0.0) -> list[LlmSpan]:
        """Return the spans of what the agent's model was asked at a time or later."""
        requests = (span for span in self.trace if isinstance(span, LlmSpan) and span.party != "caller")
        return [span for span in requests if span.start_ns / 1e9 >= after_s]
