"""Statistics: examples worked by hand, known tables, and simulations of coverage and of false positives."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from voicebench.metrics.statistics import (
    TaskCount,
    difference_interval,
    effective_size,
    holm,
    latency_interval,
    pass_at_1,
    pass_hat_k,
    pass_interval,
    permutation_test,
    smallest_difference,
    wilson,
)

pytestmark = pytest.mark.unit


def counts(*passed: int, n: int = 5) -> list[TaskCount]:
    return [TaskCount(f"T{i}", c, n) for i, c in enumerate(passed)]


@pytest.mark.parametrize(
    ("passed", "n", "k", "expected"),
    [
        (3, 5, 1, Fraction(3, 5)),
        (3, 5, 2, Fraction(3, 10)),
        (3, 5, 3, Fraction(1, 10)),
        (3, 5, 4, Fraction(0)),
        (5, 5, 5, Fraction(1)),
        (4, 5, 5, Fraction(0)),
        (6, 8, 2, Fraction(15, 28)),
        (8, 10, 5, Fraction(56, 252)),
    ],
)
def test_pass_hat_k_of_one_task(passed: int, n: int, k: int, expected: Fraction) -> None:
    found = pass_hat_k([TaskCount("T", passed, n)], k)
    assert found == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_pass_hat_k_is_the_share_of_sets_of_k_calls_that_all_pass(k: int) -> None:
    outcomes = [(1, 1, 1, 1, 0), (1, 0, 1, 1, 0), (1, 1, 1, 1, 1)]
    shares = [sum(all(chosen) for chosen in combinations(calls, k)) / math.comb(len(calls), k) for calls in outcomes]
    assert pass_hat_k(counts(4, 3, 5), k) == pytest.approx(sum(shares) / 3)


def test_pass_hat_k_is_a_mean_over_tasks_and_below_the_plain_power() -> None:
    tasks = counts(5, 4, 3, 2, 1)
    assert pass_at_1(tasks) == pytest.approx(0.6)
    assert pass_hat_k(tasks, 2) == pytest.approx((10 + 6 + 3 + 1 + 0) / 50)
    assert pass_hat_k(tasks, 5) == pytest.approx(0.2)
    plain = [(task.passed / task.n) ** 2 for task in tasks]
    assert sum(plain) / 5 > 0.4


def test_pass_hat_k_needs_k_calls_of_each_task() -> None:
    assert pass_hat_k([TaskCount("A", 5, 5), TaskCount("B", 4, 4)], 5) is None
    assert pass_hat_k([], 1) is None
    with pytest.raises(ValueError, match="no tasks"):
        pass_at_1([])


def test_pass_at_1_weighs_tasks_equally_however_many_trials_they_have() -> None:
    assert pass_at_1([TaskCount("A", 1, 1), TaskCount("B", 0, 9)]) == 0.5


@pytest.mark.parametrize(
    ("passed", "n", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17:857, table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_agrees_with_the_published_table(passed: int, n: int, low: float, high: float) -> None:
    assert wilson(passed / n, n) == pytest.approx((low, high), abs=5e-5)


def test_effective_size_lies_between_the_clusters_and_the_calls() -> None:
    assert effective_size(counts(5, 5, 5, 5)) == 4
    assert effective_size(counts(5, 0, 5, 0)) == 4
    assert effective_size(counts(3, 2, 3, 2)) == 20
    between = counts(5, 3, 4, 1, 2)
    variance = np.var([1.0, 0.6, 0.8, 0.2, 0.4], ddof=1) / 5
    assert effective_size(between) == pytest.approx(0.6 * 0.4 / variance)


def test_variants_of_one_task_are_one_cluster() -> None:
    alone = [TaskCount(base, passed, 5) for base, passed in (("A", 5), ("B", 2), ("C", 0))]
    tripled = [task for task in alone for _ in range(3)]
    assert effective_size(tripled) == pytest.approx(effective_size(alone))
    assert pass_interval(tripled) == pytest.approx(pass_interval(alone))


def test_the_interval_of_a_perfect_score_is_that_of_as_many_draws_as_tasks() -> None:
    low, high = pass_interval(counts(*[5] * 36))
    assert high == pytest.approx(1.0)
    assert low == pytest.approx(36 / (36 + 1.96**2), abs=1e-4)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    found = [coverage(t, mean, c) for t in (36, 108) for mean in (0.5, 0.9, 0.97) for c in (1.0, 4.0)]
    assert 0.93 <= sum(found) / len(found) <= 0.97
    assert min(found) >= 0.91


def coverage(tasks: int, mean: float, concentration: float, boards: int = 1_000) -> float:
    """Return the share of boards whose interval holds the mean of the population that the tasks are drawn from."""
    rng = np.random.default_rng([tasks, round(mean * 100), round(concentration)])
    rates = rng.beta(mean * concentration, (1 - mean) * concentration, size=(boards, tasks))
    passed = rng.binomial(5, rates)
    ends = [pass_interval(counts(*map(int, board))) for board in passed]
    return sum(low <= mean <= high for low, high in ends) / boards


def test_the_median_is_resampled_over_tasks() -> None:
    rng = np.random.default_rng(0)
    fast, slow = rng.normal(500, 20, (5, 40)), rng.normal(900, 20, (5, 40))
    found = latency_interval([list(row) for row in (*fast, *slow)])
    assert found is not None
    assert found.over == "tasks"
    assert found.low < 520
    assert found.high > 880
    assert latency_interval([list(row) for row in (*fast, *slow)]) == found


def test_under_five_tasks_the_median_is_resampled_over_calls() -> None:
    found = latency_interval([[900.0, 1000.0, 1100.0]] * 4)
    assert found is not None
    assert found.over == "calls"
    assert (found.low, found.high) == (1000.0, 1000.0) or found.low < 1000.0 < found.high
    assert latency_interval([[], []]) is None


def test_the_interval_of_a_median_agrees_with_plain_resampling() -> None:
    rng = np.random.default_rng(7)
    groups = [list(rng.exponential(400, size)) for size in (3, 8, 5, 12, 4, 9, 7, 1)]
    found = latency_interval(groups)
    draws = [np.median(np.concatenate([groups[i] for i in rng.integers(0, 8, 8)])) for _ in range(4_000)]
    assert found is not None
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])), rel=0.08)


def test_the_interval_of_a_median_covers_it() -> None:
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(60):
        centres = rng.normal(800, 60, 20)
        found = latency_interval([list(rng.normal(centre, 100, 6)) for centre in centres])
        assert found is not None
        held += found.low <= 800 <= found.high
    assert 52 <= held <= 60


def test_the_permutation_test_counts_sign_flips_exactly() -> None:
    assert permutation_test([("A", 1.0), ("B", 1.0), ("C", 1.0), ("D", 1.0)]) == 2 / 16
    assert permutation_test([("A", 1.0), ("B", 1.0), ("C", -1.0)]) == 1.0
    assert permutation_test([("A", 0.0), ("B", 0.0)]) == 1.0
    assert permutation_test([("A", 0.5), ("A", 0.5), ("B", 1.0)]) == 2 / 4
    worse = [("A", -1.0), ("B", -1.0), ("C", -1.0)]
    assert permutation_test(worse, alternative="less") == 1 / 8
    assert permutation_test([(name, -value) for name, value in worse], alternative="less") == 1.0


def test_sampled_flips_agree_with_the_binomial_test() -> None:
    found = permutation_test([(f"T{i}", 1.0 if i < 15 else -1.0) for i in range(20)])
    exact = 2 * sum(math.comb(20, i) for i in range(15, 21)) / 2**20
    assert found == pytest.approx(exact, abs=0.008)


@pytest.mark.parametrize("shared", [True, False], ids=["same-rates-by-task", "other-rates-by-task"])
def test_equal_models_differ_once_in_twenty_boards(shared: bool) -> None:
    rng = np.random.default_rng(11)
    boards, tasks = 300, 36
    wrong = covered = 0
    for _ in range(boards):
        rates = rng.beta(0.8, 0.2, (2, tasks))
        first, second = rng.binomial(5, rates if not shared else rates[[0, 0]])
        ours, theirs = counts(*map(int, first)), counts(*map(int, second))
        wrong += permutation_test([(a.cluster, a.rate - b.rate) for a, b in zip(ours, theirs, strict=True)]) <= 0.05
        low, high = difference_interval(ours, theirs)
        covered += low <= 0 <= high
    assert 0.02 <= wrong / boards <= 0.08
    assert 0.92 <= covered / boards <= 0.99


def test_a_difference_is_held_by_its_interval_and_grows_narrower_with_pairing() -> None:
    first, second = counts(5, 4, 1, 0, 3, 5), counts(4, 3, 0, 0, 2, 4)
    low, high = difference_interval(first, second)
    assert low < pass_at_1(first) - pass_at_1(second) < high
    shuffled = counts(0, 2, 4, 4, 3, 0)
    wider = difference_interval(first, shuffled)
    assert wider[1] - wider[0] > high - low


def test_models_that_never_differ_are_not_said_to_be_equal_for_certain() -> None:
    low, high = difference_interval(counts(*[5] * 10), counts(*[5] * 10))
    assert low < -0.2
    assert high > 0.2


def test_holm_adjusts_step_by_step() -> None:
    # Holm 1979: multiply the smallest by m, the next by m - 1, and never go down
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize(("tasks", "trials", "points"), [(50, 4, 12.0), (100, 4, 8.5)])
def test_the_smallest_difference_at_two_sizes(tasks: int, trials: int, points: float) -> None:
    assert smallest_difference(tasks, trials) * 100 == pytest.approx(points, abs=0.1)
