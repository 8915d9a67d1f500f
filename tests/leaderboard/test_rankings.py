"""Which rows may be compared, in what order rankings come, and why a row has no rank."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.leaderboard.constructed import make_run
from tests.leaderboard.test_rows import five_of_each, run_of, trial
from voicebench.config import load_pipeline
from voicebench.leaderboard.board import make_board
from voicebench.leaderboard.trials import StoredRun, load_run
from voicebench.metrics.statistics import smallest_difference

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run of ten tasks, five trials each."""
    run = load_run(make_run(tmp_path_factory.mktemp("rankings") / "run", "m", {"T1-E1": ["passed"]}))
    return run_of(run, five_of_each())


def with_record(run: StoredRun, **changes: Any) -> StoredRun:
    return replace(run, record=run.record.model_copy(update=changes))


def with_section(run: StoredRun, name: str, **keys: Any) -> StoredRun:
    section = run.configuration[name]
    assert isinstance(section, dict)
    changed = {**run.configuration, name: {**section, **keys}}
    return with_record(run, configuration=changed, config_hash=f"{name} {keys}")


def test_prices_and_the_agent_do_not_part_rows_and_all_else_does(plain: StoredRun) -> None:
    cheap = with_record(plain, configuration={**plain.configuration, "prices": {"x": 1}}, config_hash="cheap")
    assert (
        len(make_board([plain, cheap, with_section(plain, "agent", llm={"model": "other"})], profile="any").rankings)
        == 1
    )
    assert len(make_board([plain, with_section(plain, "clock", mode="other")], profile="any").rankings) == 2


def test_the_same_tasks_of_other_packs_are_other_tasks(plain: StoredRun) -> None:
    other = with_record(plain, packs={"customer_support": "other"}, config_hash="other")
    assert len(make_board([plain, other], profile="any").rankings) == 2
    beside = with_record(plain, packs={**plain.record.packs, "another": "pack"}, config_hash="beside")
    assert len(make_board([plain, beside], profile="any").rankings) == 1


def test_rankings_with_a_rank_come_first_then_by_profile_line_and_newest_scoring(plain: StoredRun) -> None:
    def scored(run: StoredRun, version: int) -> StoredRun:
        return replace(run, trials=[replace(one, scored_by=frozenset({version})) for one in run.trials])

    runs = [
        scored(with_section(with_record(plain, pipeline="b"), "line", preset="a"), 2),
        scored(with_section(with_record(plain, pipeline="b"), "line", preset="b"), 2),
        scored(with_section(with_record(plain, pipeline="b"), "line", preset="b"), 1),
        scored(with_record(plain, pipeline="c"), 2),
        scored(with_record(plain, pipeline="a", unranked=["charges"]), 2),
    ]
    found = [(one.profile, one.line, one.scored_by) for one in make_board(runs[::-1], profile="any").rankings]
    assert found == [
        *(("b", "a", (2,)), ("b", "b", (2,)), ("b", "b", (1,))),
        *(("c", "pstn", (2,)), ("a", "pstn", (2,))),
    ]


def test_a_board_asks_for_pass_hat_5_and_a_ttft_of_a_second_unless_told_otherwise(plain: StoredRun) -> None:
    board = make_board([plain])
    assert (board.rows[0].k, board.limit_ms) == (5, 1_000.0)


def test_a_run_without_a_profile_is_no_run_of_one(plain: StoredRun) -> None:
    [row] = make_board([with_record(plain, pipeline=None)], profile="callm").rows
    assert row.unranked_because == ("profile without a name, not callm",)


def test_a_profile_leaves_the_model_open_and_not_the_caller_s_voice(plain: StoredRun) -> None:
    pinned = load_pipeline("fast").model_dump(mode="json")
    chosen = with_record(plain, pipeline="fast", configuration={**pinned, "prices": {"x": 1}})
    chosen = with_section(chosen, "agent", voice="other", llm={"model": "m"})
    other_voice = with_section(chosen, "caller", voice="other")
    [row] = make_board([chosen], profile="fast").rows
    assert row.unranked_because == ()
    [row] = make_board([other_voice], profile="fast").rows
    assert row.unranked_because == ("profile fast with another caller",)


def test_all_reasons_are_told_first_those_that_another_run_would_not_change(plain: StoredRun) -> None:
    again = [trial("T1-E1", n, "void", "void", "passed", voids=("script",) * 2) for n in (1, 2, 3)]
    lost = [trial("T1-E2", n, "error", "error", "error") for n in (1, 2)]
    slow = [replace(one, ttft_ms=(2_000.0,), ttfat_ms=(9_000.0,)) for one in five_of_each(*again, *lost)]
    [row] = make_board([with_record(run_of(plain, slow), unranked=["charges"])], profile="any").rows
    assert row.unranked_because == (
        "charges",
        "the caller broke its script in 10.0 % of the attempts, over 2 %",
        "incomplete: 2 of 50 calls have no verdict on the agent",
        "not qualified: the median TTFT is 2,000 ms, over 1,000 ms",
    )


def test_a_caller_that_did_not_understand_the_agent_is_the_reason_why_a_row_is_incomplete(plain: StoredRun) -> None:
    again = [trial(f"T1-E{n}", 1, "void", "void", "passed", voids=("comprehension",) * 2) for n in (1, 2, 3, 4)]
    [row] = make_board([run_of(plain, five_of_each(*again))], profile="any").rows
    assert row.unranked_because == (
        "incomplete: the caller did not understand the agent in 13.8 % of the attempts, over 5 %",
    )


def test_a_latency_that_was_never_measured_does_not_qualify(plain: StoredRun) -> None:
    silent = [replace(one, ttft_ms=()) for one in five_of_each()]
    [row] = make_board([run_of(plain, silent)], profile="any").rows
    assert row.unranked_because == ("not qualified: the median TTFT was never measured",)


def test_the_reference_is_the_row_of_the_perfect_agent(plain: StoredRun) -> None:
    perfect = with_section(plain, "agent", llm={"model": "reference"})
    [ranking] = make_board([plain, perfect], profile="any").rankings
    assert ranking.reference is ranking.rows[1]
    assert ranking.reference.unranked_because == ("line reference",)
    assert make_board([plain], profile="any").rankings[0].reference is None


def test_where_no_row_has_a_rank_the_smallest_difference_is_that_of_all_rows_with_calls(plain: StoredRun) -> None:
    refused = with_record(plain, unranked=["charges"])
    few = with_section(run_of(refused, five_of_each(tasks=("T1-E1", "T1-E2"))), "agent", llm={"model": "other"})
    empty = with_section(run_of(refused, [], {"T1-M1": 5}), "agent", llm={"model": "none"})
    board = make_board([refused, few, empty], profile="any")
    assert board.min_difference == smallest_difference(2, 5) > smallest_difference(10, 5)
    assert make_board([plain, few], profile="any").min_difference == smallest_difference(10, 5)
    assert make_board([empty], profile="any").min_difference is None


def test_what_could_not_be_read_of_any_run_is_told(plain: StoredRun) -> None:
    runs = [replace(plain, problems=["one"]), replace(plain, problems=["two", "three"])]
    assert make_board(runs, profile="any").problems == ("one", "two", "three")
