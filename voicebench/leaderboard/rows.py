"""One row of a board: the figures of one model under one configuration, from all runs that have it."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from voicebench.leaderboard.contradictions import contradictions
from voicebench.leaderboard.trials import StoredRun, TrialResult
from voicebench.metrics import quantiles
from voicebench.metrics.comprehension import add_comprehension
from voicebench.metrics.statistics import (
    LatencyInterval,
    TaskCount,
    latency_interval,
    pass_at_1,
    pass_hat_k,
    pass_interval,
)
from voicebench.record.figures import Quantiles
from voicebench.record.row import BoardRow
from voicebench.stored.identity import TaskKey

__all__ = ["Entry", "Qualified", "Row", "Rule", "entries", "latencies_by_task", "make_row", "rounded", "task_counts"]

Qualified = Literal["yes", "no", "borderline"]
Rule = Literal["ttft", "ttfat"]

_TOLERATED = 0.02
"""Share of the trials that may have no verdict on the agent in a score that is published."""

MOST_SCRIPT_VOIDS = 0.02
"""Share of the attempts in which the caller may have broken its script in a row with a rank."""

MOST_COMPREHENSION_VOIDS = 0.05
"""Share of the attempts in which the caller may not have understood the agent in a score that is published."""


@dataclass(frozen=True)
class Entry:
    """All runs of one model under one configuration and the same packs."""

    runs: tuple[StoredRun, ...]

    @property
    def first(self) -> StoredRun:
        """The first run; model, caller and line are the same in all."""
        return self.runs[0]

    @property
    def trials(self) -> list[TrialResult]:
        """All trials of all runs; of several with one seed, task and number, as copies have them, the first made."""
        found: dict[tuple[int, TaskKey, int], TrialResult] = {}
        for run in sorted(self.runs, key=lambda run: run.record.started_at or ""):
            for trial in run.trials:
                found.setdefault((trial.seed, trial.key, trial.trial), trial)
        return list(found.values())

    @property
    def decided(self) -> list[TrialResult]:
        """Those with a verdict on the agent."""
        return [trial for trial in self.trials if trial.decided]

    @property
    def counted(self) -> list[TrialResult]:
        """Those that are in pass rates: all but the void ones."""
        return [trial for trial in self.trials if trial.counted]

    @property
    def measured(self) -> list[TrialResult]:
        """Those that have figures: they ended with a verdict on the agent."""
        return [trial for trial in self.trials if trial.measured]

    @property
    def planned(self) -> dict[TaskKey, int]:
        """Trials that were asked for, by task, all runs together; those of runs with one seed are the same trials."""
        by_seed: dict[tuple[TaskKey, int], int] = {}
        for run in self.runs:
            for key, trials in run.planned.items():
                by_seed[key, run.record.seed] = max(by_seed.get((key, run.record.seed), 0), trials)
        total: Counter[TaskKey] = Counter()
        for (key, _), trials in by_seed.items():
            total[key] += trials
        return dict(total)


@dataclass(frozen=True)
class Row:
    """The figures of one entry.

    Attributes:
        entry: where they come from.
        pass_at_1, pass_hat_k: None in an incomplete row; pass^k also where k trials of each task were not asked for.
        k: of pass^k.
        interval: 95 % interval of pass@1; in an incomplete row the bounds that the missing calls allow.
        tasks: that were asked for.
        calls: trials with a verdict on the agent; those that were hung up on have one.
        void_rate, error_rate: shares of all attempts.
        script_void_rate, comprehension_void_rate: the void ones by kind, likewise.
        hung_up: trials not passed since the agent's service broke off a call that it had begun to answer.
        said: share of its duties that the agent kept, mean over the calls; None if they were not counted.
        not_understood_rate: of the agent's turns that callers heard; None if they were not counted.
        ttft, ttfat, v2v: over all requests, or answered turns, of the calls with a verdict, milliseconds. A realtime
            model's TTFT and TTFAT are without what follows a tool.
        tool_round_ttft: of a realtime model, over what follows a tool, milliseconds.
        ttft_interval: of TTFT's median.
        cost_per_call_usd: mean over the calls with a verdict; None if any of them is unknown.
        qualified: whether the chosen latency's median is within the limit; ``borderline`` if its interval crosses it.
        contradictions: what TTFT does not agree with.
        missing: trials without a verdict on the agent, of those asked for.
        unranked_because: why it has no rank; empty if it has one.
    """

    entry: Entry
    pass_at_1: float | None
    pass_hat_k: float | None
    k: int
    interval: tuple[float, float] | None
    tasks: int
    calls: int
    void_rate: float | None
    error_rate: float | None
    hung_up: int
    script_void_rate: float | None
    comprehension_void_rate: float | None
    said: float | None
    not_understood_rate: float | None
    ttft: Quantiles
    ttfat: Quantiles
    tool_round_ttft: Quantiles
    v2v: Quantiles
    ttft_interval: LatencyInterval | None
    cost_per_call_usd: float | None
    qualified: Qualified
    missing: int
    contradictions: tuple[str, ...] = ()
    unranked_because: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the score is published."""
        return self.pass_at_1 is not None

    def record(self) -> BoardRow:
        """Return the row as it is published, numbers rounded."""
        run = self.entry.first
        bounds = self.ttft_interval
        return BoardRow(
            model=run.model,
            harness=run.harness,
            pass_at_1=rounded(self.pass_at_1),
            pass_hat_k=rounded(self.pass_hat_k),
            k=self.k,
            interval=None if self.interval is None else tuple(round(end, 6) for end in self.interval),
            tasks=self.tasks,
            calls=self.calls,
            void_rate=rounded(self.void_rate),
            script_void_rate=rounded(self.script_void_rate),
            comprehension_void_rate=rounded(self.comprehension_void_rate),
            error_rate=rounded(self.error_rate),
            hung_up=self.hung_up,
            said=rounded(self.said),
            not_understood_rate=rounded(self.not_understood_rate),
            ttft_p50_ms=self.ttft.p50,
            ttft_p50_interval=None if bounds is None else (round(bounds.low, 3), round(bounds.high, 3)),
            ttft_p95_ms=self.ttft.p95,
            ttfat_p50_ms=self.ttfat.p50,
            tool_round_ttft_p50_ms=self.tool_round_ttft.p50,
            v2v_p50_ms=self.v2v.p50,
            cost_per_call_usd=rounded(self.cost_per_call_usd, 8),
            qualified=self.qualified,
            contradictions=self.contradictions,
            complete=self.complete,
            ranked=not self.unranked_because,
            unranked_because="; ".join(self.unranked_because) or None,
            caller=run.caller,
            line=run.line,
            config_hash=run.record.config_hash,
            scoring_version=run.scored_by[0] if len(run.scored_by) == 1 else None,
        )


def entries(runs: Iterable[StoredRun]) -> list[Entry]:
    """Put together runs of one configuration and scoring version whose packs do not differ, in the order given."""
    groups: list[list[StoredRun]] = []
    for run in runs:
        for group in groups:
            first, packs = group[0], run.record.packs.items()
            same = _sameness(run) == _sameness(first)
            if same and all(other.record.packs.get(name, pack) == pack for other in group for name, pack in packs):
                group.append(run)
                break
        else:
            groups.append([run])
    return [Entry(tuple(group)) for group in groups]


def _sameness(run: StoredRun) -> tuple[str, str, tuple[int, ...]]:
    """Return what runs must share, beside their packs, to be one row."""
    return run.profile, run.record.config_hash, run.scored_by


def make_row(entry: Entry, limit_ms: float, k: int, rule: Rule = "ttft") -> Row:
    """Compute the figures of an entry.

    Args:
        entry: its runs.
        limit_ms: the median latency up to which a model qualifies.
        k: of pass^k.
        rule: which latency that is.
    """
    planned, decided, measured, trials = entry.planned, entry.decided, entry.measured, entry.trials
    counts = task_counts(entry.counted)
    asked = sum(planned.values())
    # A trial without a verdict may be bad luck, a few are tolerated; one that was never made was left out by choice.
    never_made = asked - len(trials)
    attempts = [verdict for trial in trials for verdict in trial.attempts]
    voids = Counter(kind for trial in trials for kind in trial.voids)
    void_rates = {kind: count / len(attempts) for kind, count in voids.items()}
    not_understood = void_rates.get("comprehension", 0.0)
    tried = bool(counts) and not never_made and not_understood <= MOST_COMPREHENSION_VOIDS
    complete = tried and asked - len(decided) <= _TOLERATED * asked
    # pass^k counts only if k trials of every task were asked for; a task that lost one of just k is left out.
    has_k = complete and min(planned.values()) >= k
    by_task = {name: latencies_by_task(measured, name) for name in ("ttft", "ttfat", "v2v", "tool_round_ttft")}
    medians = {name: quantiles([ms for values in groups for ms in values]) for name, groups in by_task.items()}
    intervals = {name: latency_interval(by_task[name]) for name in ("ttft", rule)}
    counted = add_comprehension(trial.comprehension for trial in trials)
    said = [trial.said for trial in measured if trial.said is not None]
    costs = [trial.usd for trial in measured]
    known = [usd for usd in costs if usd is not None]
    return Row(
        entry=entry,
        pass_at_1=pass_at_1(counts) if complete else None,
        pass_hat_k=pass_hat_k([task for task in counts if task.n >= k], k) if has_k else None,
        k=k,
        interval=_interval(trials, not_understood) if complete else _bounds(decided, planned),
        tasks=len(planned),
        calls=len(decided),
        void_rate=attempts.count("void") / len(attempts) if attempts else None,
        error_rate=attempts.count("error") / len(attempts) if attempts else None,
        hung_up=sum(trial.hung_up for trial in trials),
        script_void_rate=void_rates.get("script", 0.0) if attempts else None,
        comprehension_void_rate=not_understood if attempts else None,
        said=statistics.fmean(said) if said else None,
        not_understood_rate=counted.not_understood / counted.heard if counted and counted.heard else None,
        ttft=medians["ttft"],
        ttfat=medians["ttfat"],
        tool_round_ttft=medians["tool_round_ttft"],
        v2v=medians["v2v"],
        ttft_interval=intervals["ttft"],
        cost_per_call_usd=statistics.fmean(known) if known and len(known) == len(costs) else None,
        qualified=_qualified(medians[rule].p50, intervals[rule], limit_ms),
        contradictions=contradictions(entry.first, measured, limit_ms),
        missing=asked - len(decided),
    )


def task_counts(trials: Iterable[TrialResult]) -> list[TaskCount]:
    """Count the passed trials of each task, of all that are given."""
    grouped: dict[TaskKey, list[TrialResult]] = {}
    for trial in trials:
        grouped.setdefault(trial.key, []).append(trial)
    return [TaskCount(made[0].cluster, sum(trial.passed for trial in made), len(made)) for made in grouped.values()]


def latencies_by_task(trials: Iterable[TrialResult], name: str) -> list[list[float]]:
    """Return the latencies of each base task, milliseconds; those named ``ttft`` are the trials' ``ttft_ms``."""
    grouped: dict[str, list[float]] = {}
    for trial in trials:
        grouped.setdefault(trial.cluster, []).extend(getattr(trial, f"{name}_ms"))
    return list(grouped.values())


def rounded(value: float | None, digits: int = 6) -> float | None:
    """Round a figure, if it is known."""
    return None if value is None else round(value, digits)


def _interval(trials: Sequence[TrialResult], not_understood: float) -> tuple[float, float]:
    """Return the 95 % interval of pass@1.

    It spans what trials that are void in all attempts, and so left out, could have given: none or all of them passed.
    Downwards it is wider by the share of attempts whose caller did not understand the agent, which may be its doing.
    """
    counted = task_counts(trial for trial in trials if trial.counted)
    as_failed = task_counts(trials)
    void = Counter(trial.key for trial in trials if not trial.counted)
    as_passed = [
        replace(task, passed=task.passed + void[key])
        for key, task in zip(dict.fromkeys(trial.key for trial in trials), as_failed, strict=True)
    ]
    ends = [pass_interval(counts) for counts in (counted, as_failed, as_passed)]
    return max(0.0, min(low for low, _ in ends) - not_understood), max(high for _, high in ends)


def _bounds(decided: Sequence[TrialResult], planned: dict[TaskKey, int]) -> tuple[float, float] | None:
    """Return pass@1 if all missing calls had failed, and if all had passed."""
    if not planned:
        return None
    passed: Counter[TaskKey] = Counter(trial.key for trial in decided if trial.passed)
    failed: Counter[TaskKey] = Counter(trial.key for trial in decided if not trial.passed)
    low = statistics.fmean(passed[key] / trials for key, trials in planned.items())
    high = statistics.fmean(1 - failed[key] / trials for key, trials in planned.items())
    return low, high


def _qualified(p50_ms: float | None, interval: LatencyInterval | None, limit_ms: float) -> Qualified:
    if p50_ms is None or interval is None:
        return "no"
    if interval.low <= limit_ms < interval.high:
        return "borderline"
    return "yes" if p50_ms <= limit_ms else "no"
