"""Two runs: paired by task and trial, with what chance explains."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.leaderboard.constructed import make_run, task_ids
from voicebench.cli import main
from voicebench.errors import ConfigError
from voicebench.leaderboard import RunComparison, compare_runs, load_run
from voicebench.leaderboard.compare import compare_trials

pytestmark = pytest.mark.unit

P, F = "passed", "failed"


def compared(folder: Path, before: dict[str, list[str]], after: dict[str, list[str]]) -> RunComparison:
    return compare_runs(make_run(folder / "a", "a", before), make_run(folder / "b", "b", after))


def test_the_tasks_that_moved_and_the_difference(tmp_path: Path) -> None:
    one, two, three, four = task_ids(4)
    before = {one: [P, P], two: [P, F], three: [F, F], four: [P, P]}
    after = {one: [P, P], two: [P, P], three: [F, F], four: [F, F]}
    found = compared(tmp_path, before, after)
    told = json.loads(json.dumps(found.to_json()))
    assert (told["a"]["pass_at_1"], told["b"]["pass_at_1"], told["difference"]) == (0.625, 0.5, -0.125)
    assert [(moved["task"], moved["a"], moved["b"], moved["n"]) for moved in told["moved"]] == [
        (four, 2, 0, 2),
        (two, 1, 2, 2),
    ]
    assert told["interval"][0] < -0.125 < told["interval"][1]
    assert (told["tasks"], told["calls"], told["left_out"]) == (4, 8, 0)
    assert told["permuted"] == "calls"
    assert told["p_value"] == 1.0
    assert "model: a and b" in told["notes"]


def test_a_fall_of_few_tasks_over_many_calls_is_no_chance(tmp_path: Path) -> None:
    before = {task: [P] * 4 for task in task_ids(3)}
    found = compared(tmp_path, before, {task: [F] * 2 + [P] * 2 for task in before}).comparison
    assert found.p_worse == 1 / 64
    assert found.got_worse
    assert not compared(tmp_path / "back", {task: [F] * 4 for task in before}, before).comparison.got_worse


def test_tasks_are_permuted_where_there_are_enough(tmp_path: Path) -> None:
    before = {task: [P] * 3 for task in task_ids(7)}
    found = compared(tmp_path, before, {task: [F] * 3 for task in before}).comparison
    assert (found.over, found.p_value, found.p_worse < 1e-3) == ("tasks", 2 / 2**7, True)


def test_trials_that_are_void_on_a_side_do_not_count_and_an_error_is_no_pass(tmp_path: Path) -> None:
    one, two = task_ids(2)
    found = compared(tmp_path, {one: [P, P], two: [P, "error"]}, {one: [F, P, P], two: ["void>void>void", P]})
    assert (found.comparison.tasks, found.comparison.calls, found.comparison.left_out) == (2, 3, 2)
    assert found.comparison.difference == 0.25


def test_runs_that_share_nothing_show_no_difference(tmp_path: Path) -> None:
    one, two = task_ids(2)
    found = compared(tmp_path, {one: [P]}, {two: [F]}).comparison
    assert (found.calls, found.left_out, found.p_value, found.got_worse) == (0, 2, 1.0, False)


def test_runs_of_other_seeds_are_paired_by_task_and_trial(tmp_path: Path) -> None:
    outcomes = {task: [P, F] for task in task_ids(3)}
    first, second = make_run(tmp_path / "a", "m", outcomes), make_run(tmp_path / "b", "m", outcomes, seed=1)
    found = compare_runs(first, second).comparison
    assert (found.calls, found.left_out, found.difference) == (6, 0, 0.0)
    both = [*load_run(first).trials, *load_run(second).trials]
    assert compare_trials(both, both).calls == 12


def test_runs_of_two_scoring_versions_are_refused(tmp_path: Path) -> None:
    outcomes = {task: [P] for task in task_ids(2)}
    first, second = make_run(tmp_path / "a", "m", outcomes, scoring_version=1), make_run(tmp_path / "b", "m", outcomes)
    with pytest.raises(ConfigError) as told:
        compare_runs(first, second)
    assert f"{first}: version 1; {second}: version 2" in str(told.value)
    assert str(told.value).endswith(f"run `voicebench score {first}` first")
    assert compare_runs(first, first).comparison.calls == 2
    with pytest.raises(SystemExit, match="2"):  # before the first call is made
        main(["run", "fast", "--channel", "text", "--baseline", str(first), "--out", str(tmp_path / "new")])
    assert not (tmp_path / "new").exists()


def test_what_else_differs_is_told(tmp_path: Path) -> None:
    outcomes = {task: [P] for task in task_ids(6)}
    first = make_run(tmp_path / "a", "m", outcomes)
    second = make_run(tmp_path / "b", "m", outcomes, seed=1, settings=["line.preset=bad_signal"], profile="other")
    assert compare_runs(first, second).notes == [
        "profile: bench and other",
        "line: pstn and bad_signal",
        "seed: 0 and 1",
        "trials of two seeds are not the same calls: pairing them takes no noise out",
    ]
    assert compare_runs(first, first).notes == []
