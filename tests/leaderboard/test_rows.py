"""The figures of a row: which trials count, what is asked of a score, and where its limits lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.leaderboard.constructed import make_run
from voicebench.leaderboard.board import make_board, order
from voicebench.leaderboard.rows import Entry, Row, latencies_by_task, make_row, rounded, task_counts
from voicebench.leaderboard.trials import StoredRun, TrialResult, load_run
from voicebench.metrics.statistics import pass_interval
from voicebench.record.figures import CallerComprehension

pytestmark = pytest.mark.unit

TASKS = ("T1-E1", "T1-E2", "T1-E3", "T1-E4", "T1-M1", "T1-M2", "T1-M3", "T1-M4", "T1-H1", "T1-H2")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run of which only the record is used."""
    return load_run(make_run(tmp_path_factory.mktemp("rows") / "run", "m", {"T1-E1": ["passed"]}))


def trial(task: str, number: int, *attempts: Any, **figures: Any) -> TrialResult:
    about = {"pack": "customer_support", "category": "x", "difficulty": "easy", "line": "pstn", "seed": 0}
    made = attempts or ("passed",)
    values: dict[str, Any] = {"usd": 0.01, "ttft_ms": (400.0, 400.0), **about, **figures}
    return TrialResult(task=task, trial=number, verdict=made[-1], attempts=made, **values)


def five_of_each(*others: TrialResult, tasks: Sequence[str] = TASKS) -> list[TrialResult]:
    """Five passed trials of each task, but for those that are given."""
    given = {(one.task, one.trial) for one in others}
    return [*others, *(trial(t, n) for t in tasks for n in range(1, 6) if (t, n) not in given)]


def run_of(stored: StoredRun, trials: list[TrialResult], planned: dict[str, int] | None = None) -> StoredRun:
    asked = Counter(one.task for one in trials) if planned is None else planned
    return replace(stored, trials=trials, planned={("customer_support", task): n for task, n in asked.items()})


def started(run: StoredRun, at: str | None, seed: int = 0) -> StoredRun:
    return replace(run, record=run.record.model_copy(update={"started_at": at, "seed": seed}))


def row_of(*runs: StoredRun, limit_ms: float = 1_000.0, k: int = 5, **asked: Any) -> Row:
    return make_row(Entry(runs), limit_ms, k, **asked)


@pytest.mark.parametrize("first", ["2026-08-01T11:00:00+00:00", None])
def test_of_copies_of_a_trial_the_first_made_counts(stored: StoredRun, first: str | None) -> None:
    early = started(run_of(stored, [trial("T1-E1", 1, "passed")]), first)
    late = started(run_of(stored, [trial("T1-E1", 1, "failed")]), "2026-08-01T12:00:00+00:00")
    assert row_of(early, late).pass_at_1 == row_of(late, early).pass_at_1 == 1.0
    assert row_of(late, early).calls == 1


def test_runs_of_one_seed_ask_for_the_same_trials_and_runs_of_two_for_both(stored: StoredRun) -> None:
    runs = [
        started(run_of(stored, [], {"T1-E1": trials, "T1-E2": 1}), None, seed)
        for trials, seed in ((2, 0), (3, 0), (4, 1))
    ]
    planned = {task: n for (_, task), n in Entry(tuple(runs)).planned.items()}
    assert planned == {"T1-E1": 3 + 4, "T1-E2": 1 + 1}
    assert Entry(tuple(runs[::-1])).planned == Entry(tuple(runs)).planned


def test_a_score_may_lack_one_verdict_in_fifty_and_no_more(stored: StoredRun) -> None:
    lost = trial("T1-E1", 1, "error", "error", "error")
    fifty = five_of_each(lost)
    assert len(fifty) == 50
    assert row_of(run_of(stored, fifty)).complete
    assert not row_of(run_of(stored, fifty[:-1])).complete


def test_one_attempt_in_twenty_may_be_one_that_the_caller_did_not_understand(stored: StoredRun) -> None:
    again = [trial("T1-E1", n, "void", "passed", voids=("comprehension",)) for n in (1, 2)]
    forty = five_of_each(*again, tasks=TASKS)[:38]
    row = row_of(run_of(stored, forty))
    assert (row.comprehension_void_rate, row.complete) == (0.05, True)
    assert not row_of(run_of(stored, forty[:-1])).complete


def test_pass_hat_k_leaves_out_a_task_that_lost_one_of_its_k_trials(stored: StoredRun) -> None:
    lost = trial("T1-E1", 1, "void", "void", "void", voids=("script",) * 3)
    failed = [trial("T1-E2", 1, "failed"), trial("T1-E1", 2, "failed")]
    row = row_of(run_of(stored, five_of_each(lost, *failed)))
    assert row.pass_hat_k == pytest.approx(8 / 9)
    assert row_of(run_of(stored, five_of_each()), k=6).pass_hat_k is None


def test_pass_hat_k_is_unknown_where_a_task_was_not_tried_k_times_or_the_row_is_incomplete(stored: StoredRun) -> None:
    short = five_of_each()[:-3]
    assert row_of(run_of(stored, short)).complete
    assert row_of(run_of(stored, short)).pass_hat_k is None
    incomplete = row_of(run_of(stored, five_of_each()[:-5], dict.fromkeys(TASKS, 5)))
    assert (incomplete.pass_at_1, incomplete.pass_hat_k, incomplete.missing) == (None, None, 5)


def test_the_interval_spans_what_trials_that_are_void_could_have_given(stored: StoredRun) -> None:
    lost = trial("T1-E1", 1, "void", "void", "void", voids=("script",) * 3)
    failed = [trial(task, 2, "failed") for task in TASKS[2:6]]
    row = row_of(run_of(stored, five_of_each(lost, *failed)))
    ends = [
        pass_interval(task_counts(trials))
        for trials in (
            five_of_each(trial("T1-E1", 1, "failed"), *failed),
            five_of_each(*failed),
            five_of_each(lost, *failed)[1:],
        )
    ]
    assert row.interval == (min(low for low, _ in ends), max(high for _, high in ends))
    assert row.pass_at_1 == pytest.approx(1 - 4 / 50)


def test_the_interval_is_wider_downwards_by_what_the_caller_did_not_understand(stored: StoredRun) -> None:
    failed = [trial(task, 2, "failed") for task in TASKS]
    again = trial("T1-E1", 1, "void", "passed", voids=("comprehension",))
    plain = row_of(run_of(stored, five_of_each(*failed))).interval
    wider = row_of(run_of(stored, five_of_each(again, *failed))).interval
    assert plain is not None
    assert wider is not None
    assert wider[0] == pytest.approx(plain[0] - 1 / 51)
    assert wider[1] == plain[1]
    never = [replace(one, verdict="failed", attempts=("failed",)) for one in five_of_each()]
    none = row_of(run_of(stored, [*never[1:], replace(again, verdict="failed", attempts=("void", "failed"))]))
    assert none.interval is not None
    assert none.interval[0] == 0.0


def test_the_bounds_of_an_incomplete_row_are_all_missing_calls_failed_and_all_passed(stored: StoredRun) -> None:
    made = [trial("T1-E1", 1), trial("T1-E1", 2, "failed"), trial("T1-E2", 1, "failed"), trial("T1-E2", 2, "error")]
    row = row_of(run_of(stored, made, {"T1-E1": 4, "T1-E2": 2}))
    assert (row.interval, row.missing, row.calls) == ((0.125, 0.625), 3, 3)
    assert row_of(run_of(stored, [])).interval is None


@pytest.mark.parametrize(
    ("low_ms", "high_ms", "qualified"),
    [(1_000, 1_000, "yes"), (1_001, 1_001, "no"), (700, 1_000, "yes"), (1_000, 1_300, "borderline")],
)
def test_a_median_at_the_limit_qualifies_and_an_interval_that_goes_on_from_there_is_borderline(
    stored: StoredRun, low_ms: float, high_ms: float, qualified: str
) -> None:
    made = five_of_each()
    slow = [replace(one, ttft_ms=(float(high_ms),)) for one in made[:22]]
    row = row_of(run_of(stored, [*slow, *(replace(one, ttft_ms=(float(low_ms),)) for one in made[22:])]))
    assert row.ttft_interval is not None
    assert (row.ttft_interval.low, row.ttft_interval.high) == (low_ms, high_ms)
    assert row.qualified == qualified


def test_figures_of_the_calls_are_counted_where_they_are_known(stored: StoredRun) -> None:
    about = {"said": 0.5, "comprehension": CallerComprehension(heard=6, not_understood=1)}
    made = [
        trial("T1-E1", 1, usd=0.2, tool_round_ttft_ms=(300.0,), v2v_ms=(900.0,), ttfat_ms=(450.0,), **about),
        trial("T1-E2", 1, usd=0.4, said=1.0, comprehension=CallerComprehension(heard=2, not_understood=1)),
        trial("T1-E3", 1, "failed", usd=0.6),
        trial("T1-E4", 1, "error", "error", hung_up=True, usd=None),
        trial("T1-M1", 1, "void", "failed", voids=("script",), usd=0.4),
    ]
    row = row_of(run_of(stored, made))
    assert row.said == 0.75
    assert row.not_understood_rate == 2 / 8
    assert row.hung_up == 1
    assert row.cost_per_call_usd == pytest.approx(0.4), "a call without a verdict has no price of a call"
    assert (row.tool_round_ttft.p50, row.v2v.p50, row.ttfat.p50, row.ttft.p50) == (300.0, 900.0, 450.0, 400.0)
    assert (row.error_rate, row.void_rate, row.script_void_rate, row.comprehension_void_rate) == (
        2 / 7,
        1 / 7,
        1 / 7,
        0,
    )


def test_figures_that_no_call_has_are_unknown(stored: StoredRun) -> None:
    row = row_of(run_of(stored, [], {"T1-E1": 1}))
    unknown = (row.said, row.not_understood_rate, row.cost_per_call_usd, row.ttft.p50, row.void_rate, row.error_rate)
    assert unknown == (None,) * 6
    assert (row.script_void_rate, row.comprehension_void_rate, row.qualified) == (None, None, "no")
    deaf = trial("T1-E1", 1, usd=None, comprehension=CallerComprehension(heard=0, not_understood=0))
    assert row_of(run_of(stored, [deaf])).not_understood_rate is None
    half = row_of(run_of(stored, [deaf, trial("T1-E2", 1, usd=0.5)]))
    assert half.cost_per_call_usd is None


def test_variants_of_a_task_share_its_latencies() -> None:
    made = [trial("T1-E1", 1, ttft_ms=(1.0,)), trial("T1-E2", 1, ttft_ms=(2.0,)), trial("T1-E1-BG", 1, ttft_ms=(3.0,))]
    assert latencies_by_task(made, "ttft") == [[1.0, 3.0], [2.0]]


def test_figures_are_published_with_six_digits_and_dollars_with_eight(stored: StoredRun) -> None:
    made = [trial("T1-E1", n, "passed" if n > 1 else "failed", usd=0.1234567891) for n in (1, 2, 3)]
    record = row_of(run_of(stored, made)).record()
    assert (record.pass_at_1, record.cost_per_call_usd) == (0.666667, 0.12345679)
    assert record.interval is not None
    assert all(end == round(end, 6) for end in record.interval)
    assert rounded(None) is None


def test_what_a_row_does_not_know_is_published_as_unknown(stored: StoredRun) -> None:
    record = row_of(run_of(stored, [])).record()
    assert (record.interval, record.ttft_p50_interval, record.pass_at_1, record.complete) == (None, None, None, False)
    assert (record.ranked, record.unranked_because) == (True, None)
    refused = replace(row_of(run_of(stored, [])), unranked_because=("baseline", "charges")).record()
    assert (refused.ranked, refused.unranked_because) == (False, "baseline; charges")


def test_the_interval_of_a_latency_is_published_in_microseconds(stored: StoredRun) -> None:
    made = [replace(one, ttft_ms=(400.12345,)) for one in five_of_each()]
    assert row_of(run_of(stored, made)).record().ttft_p50_interval == (400.123, 400.123)


@pytest.mark.parametrize(("versions", "published"), [((2,), 2), ((1, 2), None), ((), None)])
def test_a_row_has_the_scoring_version_that_all_its_calls_have(
    stored: StoredRun, versions: tuple[int, ...], published: int | None
) -> None:
    made = five_of_each()[: len(versions)]
    scored = [replace(one, scored_by=frozenset({version})) for one, version in zip(made, versions, strict=True)]
    assert row_of(run_of(stored, scored)).record().scoring_version == published


def test_rows_are_sorted_by_rank_then_completeness_then_scores_then_name(stored: StoredRun) -> None:
    best = row_of(run_of(stored, five_of_each()))
    assert best.pass_hat_k == 1.0
    sorted_rows = [
        best,
        replace(best, pass_hat_k=0.5),
        replace(best, pass_hat_k=None),
        replace(best, pass_at_1=0.5),
        replace(best, unranked_because=("baseline",)),
        replace(best, pass_at_1=None, unranked_because=("incomplete",)),
    ]
    assert sorted(sorted_rows[::-1], key=order) == sorted_rows


def test_two_breaks_of_the_script_in_a_hundred_attempts_are_ranked_and_three_are_not(stored: StoredRun) -> None:
    def ranked(broken: int, made: int) -> bool:
        again = [trial(TASKS[n], 1, "void", "passed", voids=("script",)) for n in range(broken)]
        board = make_board([run_of(stored, five_of_each(*again)[: made - broken])], profile="any")
        return not board.rows[0].unranked_because

    assert ranked(1, 50)
    assert not ranked(1, 49)


def test_a_board_names_its_profiles_and_counts_its_rows(stored: StoredRun) -> None:
    run = run_of(stored, five_of_each())
    assert repr(make_board([run], profile="any")) == "<Board bench: 1 row>"
    other = replace(run, record=run.record.model_copy(update={"config_hash": "other"}))
    assert repr(make_board([run, other], profile="any")) == "<Board bench: 2 rows>"
    assert repr(make_board([])) == "<Board no profile: 0 rows>"
    assert make_board([]).min_difference is None
