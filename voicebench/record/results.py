"""The results of a run: a row for each trial, and the summary, as ``run --json`` prints them."""

from __future__ import annotations

from voicebench.record.base import Items, Number, Record
from voicebench.record.figures import CallCost, CallerComprehension, CostSums, Quantiles
from voicebench.record.transcript import Attribution
from voicebench.record.verdict import ErrorSource, Gates, Said, Verdict, VoidKind

__all__ = ["AttemptCounts", "CallRow", "RunSummary", "VoidCounts"]


class CallRow(Record):
    """One attempt; in the results of a run the last of a trial. The fields are those of ``call.json``."""

    pack: str
    """The task's pack."""
    task: str
    """Id of the task."""
    trial: int
    """Which repetition of the task, from 1."""
    attempt: int
    """Which attempt at the trial, from 1."""
    verdict: Verdict
    """What the call counts as."""
    scoring_version: int = 1
    """Version of the rules that gave verdict and figures."""
    void_kind: VoidKind | None = None
    """Of a void call, what made it void."""
    error_by: ErrorSource | None = None
    """Whose failure broke the call off."""
    service_began_s: Number | None = None
    """When the agent's service began to answer, seconds of call time."""
    hung_up: bool = False
    """Whether the agent's service broke off a call that it had begun to answer, which makes the trial not passed; in
    the results of a run, in any attempt."""
    reason: str | None
    """Why it did not pass."""
    gates: Gates | None
    """The three gates."""
    said: Said | None = None
    """The agent's words against its duties, which gate nothing."""
    call_s: Number | None
    """Length of the call, seconds of call time."""
    wall_s: Number | None
    """Wall time of the call, seconds."""
    cpu_s: Number | None
    """CPU time of the call, seconds."""
    ttft_ms: Quantiles | None
    """Time to the first token, over the agent's requests, milliseconds."""
    v2v_ms: Quantiles | None
    """Voice-to-voice latency over the answered turns, milliseconds."""
    missed_turns: int | None
    """Turns of the caller that got no answer."""
    comprehension: CallerComprehension | None
    """What the caller made of the agent's turns."""
    cost: CallCost | None
    """What the call cost."""
    attribution: Attribution | None
    """Why the call did not pass; null if it did."""
    dir: str
    """The folder of the call, absolute."""
    attempts: Items[Verdict] = ()
    """The verdicts of all attempts at the trial, first to last."""


class VoidCounts(Record):
    """Void calls by what made them so."""

    script: int
    """The simulated caller broke its script."""
    comprehension: int
    """It did not understand what the agent had asked or said."""


class AttemptCounts(Record):
    """All attempts, those that were repeated included."""

    n: int
    """How many."""
    passed: int
    """Passed."""
    failed: int
    """Failed."""
    void: int
    """Void: what the simulated caller did says nothing of the agent."""
    voids: VoidCounts
    """The void ones by kind."""
    error: int
    """Broken off."""
    void_rate: Number | None
    """Void attempts, of all; null without any."""
    error_rate: Number | None
    """Attempts that broke off, of all."""


class RunSummary(Record):
    """The figures of a run, over its trials; latencies are of their last attempts."""

    planned: int
    """Trials that were asked for."""
    calls: int
    """Trials that have an attempt."""
    passed: int
    """Passed."""
    failed: int
    """Failed, those included that the agent's service broke off after it had begun to answer."""
    hung_up: int = 0
    """How many of the failed ones that were: whatever later attempts gave, such a trial is not passed."""
    void: int
    """Void in all attempts: what the simulated caller did says nothing of the agent."""
    voids: VoidCounts
    """Last attempts that were void, by kind."""
    error: int
    """Broken off, by what was not the agent's service or before that had begun to answer."""
    pass_rate: Number | None
    """Passed, of all that are not void; null without any."""
    ttft_ms: Quantiles
    """Time to the first token, over all requests, milliseconds."""
    v2v_ms: Quantiles
    """Voice-to-voice latency, over all answered turns, milliseconds."""
    yield_ms: Quantiles
    """How long the agent went on when the caller began over it, milliseconds."""
    missed_turns: int | None
    """Turns of the caller that got no answer; null if a call did not count them."""
    said: Number | None = None
    """Share of its duties that the agent kept, mean over the calls with a verdict; null where none were counted."""
    comprehension: CallerComprehension | None
    """What the callers made of the agent's turns, over the calls that counted them; null without any."""
    causes: dict[str, int]
    """Why calls did not pass, each cause with its calls."""
    attempts: AttemptCounts
    """All attempts."""
    cost: CostSums
    """The cost of all attempts."""
    complete: bool
    """Whether every trial has an attempt, and few enough are void or error."""
