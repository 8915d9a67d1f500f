"""Rates and latencies of many calls: estimates, intervals, and tests that hold for calls grouped by task.

All functions are pure; what is random follows from a seed. Rates and differences run from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Interval",
    "LatencyInterval",
    "TaskCount",
    "difference_interval",
    "effective_size",
    "holm",
    "latency_interval",
    "pass_at_1",
    "pass_hat_k",
    "pass_interval",
    "permutation_test",
    "smallest_difference",
    "wilson",
]

Z95 = 1.959963984540054
"""The normal distribution's 97.5 % point: all intervals are 95 % intervals, two-sided."""

Interval = tuple[float, float]

_FEWEST_TASKS = 5
_RESAMPLES = 2_000
_RESAMPLES_AT_ONCE = 250
_EXACT_UP_TO = 12
_PERMUTATIONS = 10_000


@dataclass(frozen=True)
class TaskCount:
    """The calls of one task.

    Attributes:
        cluster: the base task, shared with the task's variants: what happens to them is not independent.
        passed: calls that passed.
        n: calls with a verdict, at least 1.
    """

    cluster: str
    passed: int
    n: int

    @property
    def rate(self) -> float:
        """Share of the calls that passed."""
        return self.passed / self.n


@dataclass(frozen=True)
class LatencyInterval:
    """A 95 % interval of a median.

    Attributes:
        low: lower end, in the unit of the values.
        high: upper end.
        over: what was resampled, ``tasks`` or, where these are under five, ``calls``: the single values.
    """

    low: float
    high: float
    over: Literal["tasks", "calls"]


def pass_at_1(tasks: Sequence[TaskCount]) -> float:
    """Return the mean over tasks of the mean over trials.

    Raises:
        ValueError: there is no task.
    """
    if not tasks:
        raise ValueError("no tasks: a rate of nothing is not defined")
    return math.fsum(task.rate for task in tasks) / len(tasks)


def pass_hat_k(tasks: Sequence[TaskCount], k: int) -> float | None:
    """Return pass^k: the mean over tasks of C(passed, k) / C(n, k), the chance that k calls of a task all pass.

    The unbiased estimator of Yao et al., tau-bench (2024), section 4; ``(passed / n) ** k`` is too high. None if a task
    has fewer than k calls, or if there is no task.
    """
    if not tasks or any(task.n < k for task in tasks):
        return None
    return math.fsum(math.comb(task.passed, k) / math.comb(task.n, k) for task in tasks) / len(tasks)


def wilson(rate: float, n: float) -> Interval:
    """Return the score interval of a rate that was seen in n independent draws (Wilson 1927); n need not be whole."""
    squared = Z95 * Z95
    centre = (rate + squared / (2 * n)) / (1 + squared / n)
    half = Z95 / (1 + squared / n) * math.sqrt(rate * (1 - rate) / n + squared / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def effective_size(tasks: Sequence[TaskCount]) -> float:
    """Return how many independent draws the calls are worth: p(1 - p) / Var(p), within clusters and calls.

    Var(p) is that of a ratio estimate over clusters of unlike size (Cochran, Sampling Techniques, 1977, chapter 6),
    which is Var(task means) / T where each cluster is one task. Without any variance it is the number of clusters.
    """
    clusters = _clusters([(task.cluster, task.rate) for task in tasks])
    count, calls = len(clusters), sum(task.n for task in tasks)
    rate = pass_at_1(tasks)
    variance = _variance_of_mean(clusters)
    if variance == 0:
        return float(count)
    return float(min(max(rate * (1 - rate) / variance, count), calls))


def pass_interval(tasks: Sequence[TaskCount]) -> Interval:
    """Return the 95 % interval of pass@1: Wilson's, at the effective size."""
    return wilson(pass_at_1(tasks), effective_size(tasks))


def latency_interval(values: Sequence[Sequence[float]], seed: int = 0) -> LatencyInterval | None:
    """Return the 95 % bootstrap interval of the median of all values, by percentiles (Efron 1979).

    Args:
        values: those of each task; tasks without values do not count.
        seed: of the resampling.

    Returns:
        None if there are no values.
    """
    groups = [np.asarray(group, dtype=np.float64) for group in values if len(group)]
    if not groups:
        return None
    over: Literal["tasks", "calls"] = "tasks"
    if len(groups) < _FEWEST_TASKS:
        over, groups = "calls", [np.asarray([value]) for group in groups for value in group]
    medians = _resampled_medians(groups, np.random.default_rng(seed))
    low, high = np.quantile(medians, [0.025, 0.975])
    return LatencyInterval(float(low), float(high), over)


def permutation_test(
    differences: Sequence[tuple[str, float]], seed: int = 0, *, alternative: Literal["two-sided", "less"] = "two-sided"
) -> float:
    """Return the p-value that two models do equally well: signs of whole clusters are flipped.

    Exact up to 12 clusters that differ at all, above that from 10,000 flips (the observed one counted, so that p is
    never 0; Phipson and Smyth 2010).

    Args:
        differences: cluster and difference of the two, one a task or one a call.
        seed: of the flips.
        alternative: ``less`` asks only whether the differences are below zero.
    """
    sums = np.array([total for total, _ in _clusters(differences) if total != 0])
    if not len(sums):
        return 1.0
    if len(sums) <= _EXACT_UP_TO:
        signs = np.array(list(product((1.0, -1.0), repeat=len(sums))))
    else:
        signs = np.random.default_rng(seed).choice((1.0, -1.0), size=(_PERMUTATIONS, len(sums)))
    flipped, observed = signs @ sums, sums.sum()
    if alternative == "two-sided":
        flipped, observed = -np.abs(flipped), -abs(observed)
    extreme = int((flipped <= observed + 1e-9).sum())
    return extreme / len(signs) if len(sums) <= _EXACT_UP_TO else (1 + extreme) / (1 + len(signs))


def difference_interval(first: Sequence[TaskCount], second: Sequence[TaskCount]) -> Interval:
    """Return the 95 % interval of the first's pass@1 less the second's, over the same tasks in the same order.

    Newcombe's method for paired proportions (1998, method 10), from the two intervals at their effective sizes and the
    correlation of the clusters' means.
    """
    rates, ends = zip(*((pass_at_1(side), pass_interval(side)) for side in (first, second)), strict=True)
    correlation = _correlation(first, second)
    difference = rates[0] - rates[1]
    low = _distance(rates[0] - ends[0][0], ends[1][1] - rates[1], correlation)
    high = _distance(ends[0][1] - rates[0], rates[1] - ends[1][0], correlation)
    return max(-1.0, difference - low), min(1.0, difference + high)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979), in the order given."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = highest
    return adjusted


def smallest_difference(tasks: int, trials: float) -> float:
    """Return the difference of two models' pass@1 that chance alone exceeds once in twenty boards of this size.

    For two models of mean rate .5 whose rates by task are uniform and correlate by .5: the variance of a task's
    difference is 2 (.125 · .5 + .125 / trials). 50 tasks and 4 trials: .12; 100 and 4: .085.

    Args:
        tasks: independent ones (clusters).
        trials: calls of each.
    """
    between = within = 0.125
    return min(1.0, Z95 * math.sqrt(2 * (between * 0.5 + within / trials) / tasks))


Cluster = tuple[float, int]
"""Sum of the tasks' values, and number of tasks."""


def _clusters(values: Sequence[tuple[str, float]]) -> list[Cluster]:
    grouped: dict[str, list[float]] = {}
    for name, value in values:
        grouped.setdefault(name, []).append(value)
    return [(math.fsum(group), len(group)) for group in grouped.values()]


def _variance_of_mean(clusters: Sequence[Cluster]) -> float:
    count = len(clusters)
    if count < 2:
        return 0.0
    size = sum(n for _, n in clusters) / count
    mean = math.fsum(total for total, _ in clusters) / (size * count)
    squares = math.fsum(((total - mean * n) / size) ** 2 for total, n in clusters)
    variance = squares / (count - 1) / count
    return variance if variance > 1e-15 else 0.0


def _correlation(first: Sequence[TaskCount], second: Sequence[TaskCount]) -> float:
    means = [[total / n for total, n in _clusters([(t.cluster, t.rate) for t in side])] for side in (first, second)]
    if len(means[0]) < 3 or min(np.ptp(side) for side in means) < 1e-12:
        return 0.0
    return float(np.corrcoef(means[0], means[1])[0, 1])


def _distance(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * correlation * one * other + other * other))


def _resampled_medians(groups: Sequence[NDArray[np.float64]], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw as many groups as there are, with replacement, and take the median of all their values; many times."""
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    pooled = np.concatenate(groups)
    order = np.argsort(pooled, kind="stable")
    pooled, owner = pooled[order], owner[order]
    medians = []
    for _ in range(_RESAMPLES // _RESAMPLES_AT_ONCE):
        drawn = rng.multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=_RESAMPLES_AT_ONCE)
        upto = np.cumsum(drawn[:, owner], axis=1)
        total = upto[:, -1:]
        lower = (upto <= (total - 1) // 2).sum(axis=1)
        upper = (upto <= total // 2).sum(axis=1)
        medians.append((pooled[lower] + pooled[upper]) / 2)
    return np.concatenate(medians)
