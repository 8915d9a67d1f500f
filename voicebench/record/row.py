"""A row of a board, as ``leaderboard --format json`` prints it."""

from __future__ import annotations

from typing import Literal

from voicebench.record.base import Items, Number, Record

__all__ = ["BoardLatency", "BoardMissedTurns", "BoardPart", "BoardRow"]


class BoardPart(Record):
    """The pass rate of a part of a row."""

    name: str
    """The pack, category, difficulty, line or gate."""
    tasks: int
    """Tasks with a call that has a verdict."""
    calls: int
    """Calls with a verdict."""
    pass_rate: Number | None
    """Mean over tasks of the mean over trials, 0 to 1; of a gate, calls that passed it."""
    interval: Items[Number] | None
    """Its 95 % interval."""
    reward: Number | None
    """Mean reward, 0 to 1."""
    reference: Number | None
    """The rate of the line reference; null without one."""


class BoardLatency(Record):
    """A latency of a row, over its calls with a verdict."""

    name: str
    """Which latency, as ``ttft`` or ``v2v_llm``."""
    n: int
    """How many values."""
    p50_ms: Number | None
    """Median, milliseconds."""
    interval: Items[Number] | None
    """The 95 % interval of the median, milliseconds."""
    over: Literal["tasks", "calls"] | None
    """What the interval was resampled over."""
    p95_ms: Number | None
    """95th percentile, milliseconds."""
    share: Number | None
    """Of a part of V2V, its share of all V2V, 0 to 1."""


class BoardMissedTurns(Record):
    """Turns of the caller that got no answer."""

    calls: int
    """Calls in which they were counted."""
    total: int
    """How many."""
    per_call: Number | None
    """Their mean."""


class BoardRow(Record):
    """The figures of one model under one configuration."""

    model: str
    """Name of the model."""
    harness: str
    """How the agent is driven, as ``cascade``."""
    pass_at_1: Number | None
    """Mean over tasks of the mean over trials, 0 to 1; null in an incomplete row."""
    pass_hat_k: Number | None
    """Probability that k trials of a task all pass, 0 to 1."""
    k: int
    """k of pass^k."""
    interval: Items[Number] | None
    """95 % interval of pass@1; in an incomplete row the bounds that the missing calls allow."""
    tasks: int
    """Tasks that were asked for."""
    calls: int
    """Trials with a verdict on the agent."""
    void_rate: Number | None
    """Void attempts, of all attempts."""
    script_void_rate: Number | None = None
    """Those whose caller broke its script, of all attempts."""
    comprehension_void_rate: Number | None = None
    """Those whose caller did not understand what was asked, of all attempts."""
    error_rate: Number | None
    """Attempts that broke off, of all attempts."""
    hung_up: int = 0
    """Trials not passed since the agent's service broke off a call that it had begun to answer."""
    said: Number | None = None
    """Share of the duties that the agent kept in words, mean over the calls, 0 to 1; it gates nothing."""
    not_understood_rate: Number | None
    """Turns of the agent that the callers did not understand, of those they heard; null if they were not counted."""
    ttft_p50_ms: Number | None
    """Median time to the first token, milliseconds."""
    ttft_p50_interval: Items[Number] | None
    """Its 95 % interval, milliseconds."""
    ttft_p95_ms: Number | None
    """95th percentile of the time to the first token, milliseconds."""
    ttfat_p50_ms: Number | None
    """Median time to the first token of the answer, milliseconds."""
    tool_round_ttft_p50_ms: Number | None = None
    """That of a realtime model's responses to tool results, which are in no other TTFT of the row, milliseconds."""
    v2v_p50_ms: Number | None
    """Median voice-to-voice latency, milliseconds."""
    cost_per_call_usd: Number | None
    """Mean cost of a call, US dollars; null if that of one is unknown."""
    qualified: Literal["yes", "no", "borderline"]
    """Whether the median latency is within the limit; ``borderline`` if its interval crosses it."""
    contradictions: Items[str] = ()
    """What the median TTFT does not agree with: TTFAT, or V2V less its known parts."""
    complete: bool
    """Whether the score is published."""
    ranked: bool
    """Whether the row has a rank."""
    unranked_because: str | None
    """Why it has none."""
    caller: str
    """Who calls: kind, profile, voice and recognizer."""
    line: str
    """The line's preset, or ``text``."""
    config_hash: str
    """Hash of the configuration."""
    scoring_version: int | None = None
    """Version of the rules that gave the verdicts; null if its calls have several."""
    breakdowns: dict[str, Items[BoardPart]] | None = None
    """Pass rates by ``pack``, ``category``, ``difficulty``, ``line`` and ``gate``, if they were asked for."""
    latencies: Items[BoardLatency] | None = None
    """All latencies, if they were asked for."""
    missed_turns: BoardMissedTurns | None = None
    """Missed turns, if they were asked for."""
