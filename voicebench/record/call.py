"""``call.json``: one attempt at one trial of a task, its verdict and its figures."""

from __future__ import annotations

from pydantic import Field

from voicebench.record.base import Items, Number, Record
from voicebench.record.figures import (
    AnsweredTurn,
    CallCost,
    CallerComprehension,
    CallLoad,
    Latencies,
    LineReport,
    Quantiles,
    TickLateness,
    TokenSums,
    TurnCounts,
)
from voicebench.record.spans import EndReason
from voicebench.record.transcript import Attribution, ClaimCheck, FactMention, TranscriptTurn, WordErrorsByLeg
from voicebench.record.verdict import (
    ErrorSource,
    FidelityBreach,
    Gates,
    HandoffPath,
    RowDifference,
    Said,
    ToolCalls,
    Verdict,
    VoidKind,
)

__all__ = ["CallEnd", "CallIdentity", "CallMetrics", "CallRecord", "CallScore", "CallVerdict"]


class CallIdentity(Record):
    """Which call it is."""

    schema_version: int | None = None
    """Version of the file."""
    pack: str
    """The task's pack."""
    task: str
    """Id of the task."""
    trial: int
    """Which repetition of the task, from 1."""
    attempt: int
    """Which attempt at the trial, from 1."""
    title: str | None = None
    """Title of the task."""
    seed: int | None = None
    """Seed of the call."""
    call_id: str | None = None
    """Id of the call, from run, task, trial and attempt."""
    trace_id: str | None = None
    """Id of the call's trace."""
    pipeline: str | None = None
    """Name of the pipeline."""
    model: str | None = None
    """Name of the agent's model."""
    caller_voice: str | None = None
    """Voice of the caller; null on the text channel."""
    config_hash: str | None = None
    """Hash of the configuration."""


class CallEnd(Record):
    """How the call ended."""

    end_reason: EndReason | None = None
    """Why the call ended."""
    error: str | None = None
    """What broke the call off; null if nothing did."""
    error_by: ErrorSource | None = None
    """Whose failure that was; null if nothing broke the call off, and in older versions."""
    void: str | None = None
    """What kept the call from counting; null if nothing did."""
    call_s: Number | None = None
    """Length of the call, seconds of call time."""


class CallVerdict(Record):
    """What the call counts as, and why."""

    verdict: Verdict
    """What the call counts as."""
    scoring_version: int | None = None
    """Version of the rules that gave verdict and figures; not set in older versions, where it was 1."""
    void_kind: VoidKind | None = None
    """Of a void call, what made it void; null of all others, and in older versions, where it was the script."""
    error_by: ErrorSource | None = None
    """Whose failure broke the call off; null if nothing did, and in older versions."""
    service_began_s: Number | None = None
    """When the agent's service began to answer, seconds of call time: the first chunk of an answer, or the first event
    after a realtime session was set up; null if it never did, and in older versions."""
    reason: str | None = None
    """Why it did not pass."""
    fidelity: Items[FidelityBreach] = ()
    """What the caller did against its script."""
    gates: Gates | None = None
    """The three gates."""
    reward: Number | None = None
    """The product of the gates' rewards, 0 to 1; 0 if the call ended before the caller had what it waits for."""
    tool_calls: ToolCalls | None = None
    """Expected and actual calls."""
    path: HandoffPath | None = None
    """Expected and actual handoffs."""
    state_diff: Items[RowDifference] = ()
    """Rows of the database that did not end as expected."""

    @property
    def scored_by(self) -> int:
        """The version of the rules that gave the verdict."""
        return self.scoring_version or 1

    @property
    def hung_up(self) -> bool:
        """Whether the agent's service broke off a call that it had begun to answer: the trial is not passed."""
        return self.verdict == "error" and self.error_by == "service" and self.service_began_s is not None

    @property
    def voided_by(self) -> VoidKind | None:
        """What made a void call void, those of older versions included; None of every other call."""
        return (self.void_kind or "script") if self.verdict == "void" else None


class CallMetrics(Record):
    """The figures of a call. What needs its sound is null on the text channel."""

    ttft_ms: Quantiles | None = None
    """Time to the first token, over the agent's requests, milliseconds."""
    ttfat_ms: Quantiles | None = None
    """Time to the first token of the answer, after any reasoning, milliseconds."""
    v2v_ms: Quantiles | None = None
    """Voice-to-voice latency over the answered turns, milliseconds."""
    first_audio_ms: Quantiles | None = None
    """The same without the way back to the caller, milliseconds."""
    yield_ms: Quantiles | None = None
    """How long the agent went on when the caller began over it, milliseconds."""
    talk_over_s: Number | None = None
    """For how long both spoke, seconds."""
    v2v_parts: Items[AnsweredTurn] = ()
    """What V2V was made of, turn by turn."""
    latencies_ms: Latencies | None = None
    """All values of the latencies, milliseconds."""
    turns: TurnCounts | None = None
    """Turns of both sides."""
    missed_turns: int | None = None
    """Turns of the caller that got no answer."""
    comprehension: CallerComprehension | None = None
    """What the caller made of the agent's turns."""
    barge_ins: int | None = None
    """How often the caller began while the agent spoke."""
    vad_forced: int | None = None
    """Turns that were ended for their length alone."""
    tokens: TokenSums | None = None
    """Tokens of the agent's model."""
    agent_speech_s: Number | None = None
    """For how long the agent spoke, seconds."""
    caller_speech_s: Number | None = None
    """For how long the caller spoke, seconds."""
    word_errors: WordErrorsByLeg | None = None
    """Word errors of both legs."""
    transcript: Items[TranscriptTurn] = ()
    """The turns, by their start."""


class CallScore(CallMetrics, CallVerdict):
    """Everything that is computed from the files of a call."""

    fact_mentions: Items[FactMention] = ()
    """Each time that a fact of the task was said."""
    attribution: Attribution | None = None
    """Why the call did not pass; null if it did."""
    claim_checks: Items[ClaimCheck] = ()
    """What the agent said and that does not fit what it did or heard."""
    said: Said | None = None
    """The agent's words against its duties, which gate nothing; null in older versions."""


class CallRecord(CallScore, CallEnd, CallIdentity):
    """One attempt. What an older version did not compute, and what a call without sound has not, is null or not set."""

    cost: CallCost | None = None
    """What the call cost."""
    wall_s: Number | None = None
    """Wall time of the call, seconds."""
    cpu_s: Number | None = None
    """CPU time of the call, seconds."""
    load: CallLoad | None = None
    """What the machine had to do."""
    ticks: TickLateness | None = None
    """How late the ticks of the line were."""
    caller_reaction_ms: Quantiles | None = None
    """How long after the agent's turn the caller began, milliseconds."""
    line: LineReport | None = None
    """What the line did; null on the text channel."""
    files: dict[str, int] = Field(default_factory=dict)
    """The call's other files and their lengths, bytes."""
    traceback: Items[str] = ()
    """Where an exception was raised that broke the call off and that voicebench did not expect."""
