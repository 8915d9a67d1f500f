"""One row of a board: the figures of one model under one configuration, from all runs that have it."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from voicebench.leaderboard.trials import StoredRun, TrialResult
from voicebench.metrics import quantiles
from voicebench.metrics.statistics import (
    LatencyInterval,
    TaskCount,
    latency_interval,
    pass_at_1,
    pass_hat_k,
    pass_interval,
)
from voicebench.stored.identity import TaskKey

__all__ = ["Entry", "Qualified", "Row", "Rule", "entries", "make_row", "task_counts"]

Qualified = Literal["yes", "no", "borderline"]
Rule = Literal["ttft", "ttfat"]

_TOLERATED = 0.02
"""Share of the trials that may have no verdict on the agent in a score that is published."""


@dataclass(frozen=True)
class Entry:
    """All runs of one model under one configuration and the same packs."""

    runs: tuple[StoredRun, ...]

    @property
    def first(self) -> StoredRun:
        """The run whose record stands for all."""
        return self.runs[0]

    @property
    def trials(self) -> list[TrialResult]:
        """All trials of all runs."""
        return [trial for run in self.runs for trial in run.trials]

    @property
    def decided(self) -> list[TrialResult]:
        """Those with a verdict on the agent."""
        return [trial for trial in self.trials if trial.decided]

    @property
    def planned(self) -> dict[TaskKey, int]:
        """Trials that were asked for, by task, all runs together."""
        total: dict[TaskKey, int] = {}
        for run in self.runs:
            for key, trials in run.planned.items():
                total[key] = total.get(key, 0) + trials
        return total


@dataclass(frozen=True)
class Row:
    """The figures of one entry.

    Attributes:
        entry: where they come from.
        pass_at_1, pass_hat_k: None in an incomplete row; pass^k also where k trials of each task were not asked for.
        k: of pass^k.
        interval: 95 % interval of pass@1; in an incomplete row the bounds that the missing calls allow.
        tasks: that were asked for.
        calls: trials with a verdict on the agent.
        void_rate, error_rate: shares of all attempts.
        ttft, ttfat, v2v: ``{p50, p95, n}`` over all requests, or turns, of the calls with a verdict, milliseconds.
        ttft_interval: of TTFT's median.
        cost_per_call_usd: mean over the calls with a verdict; None if any of them is unknown.
        qualified: whether the chosen latency's median is within the limit; ``borderline`` if its interval crosses it.
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
    ttft: dict[str, Any]
    ttfat: dict[str, Any]
    v2v: dict[str, Any]
    ttft_interval: LatencyInterval | None
    cost_per_call_usd: float | None
    qualified: Qualified
    missing: int
    unranked_because: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the score is published."""
        return self.pass_at_1 is not None

    def as_json(self) -> dict[str, Any]:
        """Return what ``leaderboard --format json`` prints of the row."""
        run = self.entry.first
        bounds = self.ttft_interval
        return {
            "model": run.model,
            "harness": run.harness,
            "pass_at_1": _rounded(self.pass_at_1),
            "pass_hat_k": _rounded(self.pass_hat_k),
            "k": self.k,
            "interval": None if self.interval is None else [_rounded(end) for end in self.interval],
            "tasks": self.tasks,
            "calls": self.calls,
            "void_rate": _rounded(self.void_rate),
            "error_rate": _rounded(self.error_rate),
            "ttft_p50_ms": self.ttft["p50"],
            "ttft_p50_interval": None if bounds is None else [round(bounds.low, 3), round(bounds.high, 3)],
            "ttft_p95_ms": self.ttft["p95"],
            "ttfat_p50_ms": self.ttfat["p50"],
            "v2v_p50_ms": self.v2v["p50"],
            "cost_per_call_usd": _rounded(self.cost_per_call_usd, 8),
            "qualified": self.qualified,
            "complete": self.complete,
            "ranked": not self.unranked_because,
            "unranked_because": "; ".join(self.unranked_because) or None,
            "caller": run.caller,
            "line": run.line,
            "config_hash": run.record["config_hash"],
        }


def entries(runs: Iterable[StoredRun]) -> list[Entry]:
    """Put together the runs of one configuration whose packs do not differ, in the order in which they first come."""
    groups: list[list[StoredRun]] = []
    for run in runs:
        group = next((group for group in groups if all(_belong_together(run, other) for other in group)), None)
        if group is None:
            groups.append([run])
        else:
            group.append(run)
    return [Entry(tuple(group)) for group in groups]


def make_row(entry: Entry, limit_ms: float, k: int, rule: Rule = "ttft") -> Row:
    """Compute the figures of an entry.

    Args:
        entry: its runs.
        limit_ms: the median latency up to which a model qualifies.
        k: of pass^k.
        rule: which latency that is.
    """
    planned, decided = entry.planned, entry.decided
    counts = task_counts(decided)
    missing = sum(planned.values()) - len(decided)
    complete = bool(counts) and missing <= _TOLERATED * sum(planned.values()) and not _unmade(entry)
    attempts = [verdict for trial in entry.trials for verdict in trial.attempts]
    latencies = {name: _latency(decided, name) for name in ("ttft", "ttfat", "v2v")}
    ttft_interval = latency_interval(_by_task(decided, "ttft"))
    ruling = ttft_interval if rule == "ttft" else latency_interval(_by_task(decided, rule))
    costs = [trial.usd for trial in decided]
    known = [usd for usd in costs if usd is not None]
    return Row(
        entry,
        pass_at_1(counts) if complete else None,
        _pass_hat_k(counts, planned, k) if complete else None,
        k,
        pass_interval(counts) if complete else _bounds(decided, planned),
        len(planned),
        len(decided),
        attempts.count("void") / len(attempts) if attempts else None,
        attempts.count("error") / len(attempts) if attempts else None,
        latencies["ttft"],
        latencies["ttfat"],
        latencies["v2v"],
        ttft_interval,
        statistics.fmean(known) if known and len(known) == len(costs) else None,
        _qualified(latencies[rule]["p50"], ruling, limit_ms),
        missing,
    )


def task_counts(trials: Iterable[TrialResult]) -> list[TaskCount]:
    """Count the passed calls of each task, of trials with a verdict on the agent."""
    grouped: dict[TaskKey, list[TrialResult]] = {}
    for trial in trials:
        grouped.setdefault(trial.key, []).append(trial)
    return [TaskCount(made[0].cluster, sum(trial.passed for trial in made), len(made)) for made in grouped.values()]


def _belong_together(run: StoredRun, other: StoredRun) -> bool:
    ours, theirs = run.record, other.record
    return (run.profile, ours["config_hash"]) == (other.profile, theirs["config_hash"]) and all(
        ours["packs"][name] == theirs["packs"][name] for name in ours["packs"].keys() & theirs["packs"].keys()
    )


def _unmade(entry: Entry) -> int:
    """Return how many trials that were asked for have no attempt at all."""
    return sum(entry.planned.values()) - len(entry.trials)


def _pass_hat_k(counts: Sequence[TaskCount], planned: dict[TaskKey, int], k: int) -> float | None:
    """Return pass^k where k trials of every task were asked for; a task that lost one of just k does not count."""
    if min(planned.values()) < k:
        return None
    return pass_hat_k([task for task in counts if task.n >= k], k)


def _bounds(decided: Sequence[TrialResult], planned: dict[TaskKey, int]) -> tuple[float, float] | None:
    """Return pass@1 if all missing calls had failed, and if all had passed."""
    if not planned:
        return None
    passed: dict[TaskKey, int] = {}
    failed: dict[TaskKey, int] = {}
    for trial in decided:
        side = passed if trial.passed else failed
        side[trial.key] = side.get(trial.key, 0) + 1
    low = statistics.fmean(passed.get(key, 0) / trials for key, trials in planned.items())
    high = statistics.fmean(1 - failed.get(key, 0) / trials for key, trials in planned.items())
    return low, high


def _by_task(trials: Iterable[TrialResult], name: str) -> list[list[float]]:
    """Return the latencies of each base task."""
    grouped: dict[str, list[float]] = {}
    for trial in trials:
        grouped.setdefault(trial.cluster, []).extend(getattr(trial, f"{name}_ms"))
    return list(grouped.values())


def _latency(trials: Iterable[TrialResult], name: str) -> dict[str, Any]:
    return quantiles([value for values in _by_task(trials, name) for value in values])


def _qualified(p50_ms: float | None, interval: LatencyInterval | None, limit_ms: float) -> Qualified:
    if p50_ms is None or interval is None:
        return "no"
    if interval.low <= limit_ms < interval.high:
        return "borderline"
    return "yes" if p50_ms <= limit_ms else "no"


def _rounded(value: float | None, digits: int = 6) -> float | None:
    return None if value is None else round(value, digits)
