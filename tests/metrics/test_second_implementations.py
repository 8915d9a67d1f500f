"""The same statistics by SciPy, and Holm's p-values by the closed test that they abbreviate."""

from __future__ import annotations

import math
from itertools import chain, combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from voicebench.metrics import quantiles
from voicebench.metrics.statistics import (
    Z95,
    TaskCount,
    holm,
    latency_interval,
    pass_hat_k,
    permutation_test,
    wilson,
)

pytestmark = pytest.mark.unit

RNG_SEED = 20_261_130


def test_the_point_of_the_normal_distribution() -> None:
    assert pytest.approx(stats.norm.ppf(0.975), abs=1e-14) == Z95


@pytest.mark.parametrize("n", [1, 5, 36, 180, 540])
def test_wilson_is_scipys_for_every_count(n: int) -> None:
    for passed in {0, 1, n // 3, n // 2, n - 1, n}:
        theirs = stats.binomtest(passed, n).proportion_ci(0.95, method="wilson")
        assert wilson(passed / n, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_pass_hat_k_is_a_hypergeometric_chance() -> None:
    for n in range(1, 11):
        for passed in range(n + 1):
            for k in range(1, n + 1):
                theirs = float(stats.hypergeom(n, passed, k).pmf(k))
                assert pass_hat_k([TaskCount("T", passed, n)], k) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_the_exact_permutation_test_is_scipys(alternative: str) -> None:
    rng = np.random.default_rng(RNG_SEED)
    for size in (3, 7, 12):
        differences = rng.integers(-5, 6, size) / 5 - 0.1
        ours = permutation_test(named(differences), alternative=alternative)  # type: ignore[arg-type]
        assert ours == pytest.approx(scipys_p(differences, alternative), abs=1e-12)


def test_the_sampled_permutation_test_agrees_with_scipys_exact_one() -> None:
    differences = np.random.default_rng(RNG_SEED).normal(0.1, 0.3, 15)
    assert permutation_test(named(differences)) == pytest.approx(scipys_p(differences, "two-sided"), abs=0.01)


def test_tasks_of_one_cluster_flip_together() -> None:
    values = [("A", 0.4), ("A", 0.2), ("B", 0.3), ("C", -0.1), ("D", 0.5), ("D", 0.0)]
    assert permutation_test(values) == pytest.approx(scipys_p(np.array([0.6, 0.3, -0.1, 0.5]), "two-sided"))


def named(differences: NDArray[np.float64]) -> list[tuple[str, float]]:
    return [(f"T{number}", float(value)) for number, value in enumerate(differences)]


def scipys_p(differences: NDArray[np.float64], alternative: str) -> float:
    found = stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=2**16, alternative=alternative, vectorized=True
    )
    return float(found.pvalue)


def test_a_medians_interval_over_calls_is_scipys_percentile_bootstrap() -> None:
    values = np.random.default_rng(RNG_SEED).normal(995, 150, 66)
    ours = latency_interval([list(values)])
    theirs = stats.bootstrap((values,), np.median, method="percentile", n_resamples=4_000, rng=1).confidence_interval
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=6)


def test_a_medians_interval_over_tasks_is_scipys_bootstrap_of_whole_tasks() -> None:
    rng = np.random.default_rng(RNG_SEED)
    groups = [rng.normal(rng.normal(900, 80), 60, size) for size in (4, 9, 6, 11, 5, 8, 7, 10, 6, 3, 12, 5)]

    def median_of(drawn: NDArray[np.int_]) -> float:
        return float(np.median(np.concatenate([groups[index] for index in drawn])))

    ours = latency_interval([list(group) for group in groups])
    tasks = (np.arange(len(groups)),)
    theirs = stats.bootstrap(tasks, median_of, method="percentile", n_resamples=2_000, vectorized=False, rng=1)
    assert ours is not None
    assert ours.over == "tasks"
    bounds = theirs.confidence_interval
    assert (ours.low, ours.high) == pytest.approx((bounds.low, bounds.high), rel=0.015)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_quantiles_are_scipys_of_the_same_definition(n: int) -> None:
    values = np.random.default_rng(n).exponential(400, n)
    p50, p95 = stats.mstats.mquantiles(values, [0.5, 0.95], alphap=1, betap=1)
    found = quantiles(list(values))
    assert (found.p50, found.p95) == pytest.approx((p50, p95), abs=5e-4)


def test_holm_is_the_closed_test_of_bonferroni() -> None:
    """A hypothesis is rejected if each set that holds it is; SciPy has no Holm, so that all sets are tried here."""
    rng = np.random.default_rng(RNG_SEED)
    for size in (1, 2, 3, 6, 8):
        p_values = [float(p) for p in rng.uniform(0, 1, size) ** 3]
        indices = range(size)
        sets = list(chain.from_iterable(combinations(indices, n) for n in range(1, size + 1)))
        closed = [max(min(1.0, len(s) * min(p_values[i] for i in s)) for s in sets if one in s) for one in indices]
        assert holm(p_values) == pytest.approx(closed, abs=1e-15)
        assert math.isclose(min(holm(p_values)), min(1.0, size * min(p_values)))
