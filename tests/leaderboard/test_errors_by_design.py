"""Nobody gains by breaking a call off: whom the agent's service hung up on was failed, whatever later attempts gave."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.leaderboard.constructed import make_run, task_ids
from voicebench.leaderboard import read_board
from voicebench.leaderboard.rows import Row

pytestmark = pytest.mark.unit

P, F, HUNG_UP = "passed", "failed", "hung_up"
TRIALS = 5
GAIN = 0.015
"""What a cheat may gain over its honest rate."""


def row_of(root: Path) -> Row:
    [row] = read_board([root], profile="bench").rows
    return row


def honest(draws: Iterator[bool]) -> str:
    return P if next(draws) else F


def hangs_up_before_failing(draws: Iterator[bool]) -> str:
    """Answer 503, or cut the stream, whenever the attempt is about to fail; the third one stands as it is."""
    if next(draws):
        return P
    return f"{HUNG_UP}>{P}" if next(draws) else f"{HUNG_UP}>{HUNG_UP}>{honest(draws)}"


def rate(root: Path, true_rate: float, behave: Callable[[Iterator[bool]], str]) -> Row:
    """Return the row of an agent that passes an attempt with a true rate; draws are the same for every behaviour."""
    outcomes = {}
    for number, task in enumerate(task_ids()):
        trials = []
        for trial in range(TRIALS):
            rng = np.random.default_rng([number, trial])
            trials.append(behave(iter((rng.random(9) < true_rate).tolist())))
        outcomes[task] = trials
    return row_of(make_run(root, "m", outcomes))


@pytest.mark.parametrize("true_rate", [0.5, 0.75])
def test_hanging_up_before_a_failure_gains_nothing(tmp_path: Path, true_rate: float) -> None:
    fair, cheat = (
        rate(tmp_path / "fair", true_rate, honest),
        rate(tmp_path / "cheat", true_rate, hangs_up_before_failing),
    )
    assert fair.pass_at_1 == pytest.approx(true_rate, abs=0.06)
    assert cheat.pass_at_1 is not None
    assert cheat.pass_at_1 <= (fair.pass_at_1 or 0.0) + GAIN
    assert (cheat.pass_hat_k or 0.0) <= (fair.pass_hat_k or 0.0) + GAIN
    assert cheat.hung_up == pytest.approx((1 - true_rate) * 180, abs=11)
    last_attempts = sum(trial.verdict == P for trial in cheat.entry.trials) / 180
    assert last_attempts > true_rate + 0.15, "this is what the last attempts alone would have given"


def test_an_error_before_the_service_began_is_tried_again_and_costs_nothing(tmp_path: Path) -> None:
    outcomes = {task: [f"error>{P}", P] for task in task_ids(4)}
    row = row_of(make_run(tmp_path / "run", "m", outcomes))
    assert (row.pass_at_1, row.hung_up, row.error_rate) == (1.0, 0, 4 / 12)


def test_an_error_of_the_harness_after_the_service_began_costs_nothing(tmp_path: Path) -> None:
    root = make_run(tmp_path / "run", "m", {task: [f"{HUNG_UP}>{P}", P] for task in task_ids(4)})
    assert row_of(root).pass_at_1 == 0.5
    for path in root.rglob("attempt-1/call.json"):
        call = json.loads(path.read_text())
        path.write_text(json.dumps({**call, "error_by": "harness" if call["error_by"] else None}))
    assert row_of(root).pass_at_1 == 1.0


def test_a_trial_void_in_all_attempts_is_left_out_and_its_bounds_are_in_the_interval(tmp_path: Path) -> None:
    outcomes = {task: [P, F] * 15 for task in task_ids(4)}
    without = row_of(make_run(tmp_path / "without", "m", outcomes))
    outcomes[task_ids(1)[0]] = [*([P, F] * 14), P, "void>void>void"]
    row = row_of(make_run(tmp_path / "void", "m", outcomes))
    assert row.complete
    assert row.pass_at_1 == pytest.approx((3 * 0.5 + 15 / 29) / 4)
    assert row.interval is not None
    assert without.interval is not None
    assert row.interval[0] <= without.interval[0]
    assert row.interval[1] >= without.interval[1]


@pytest.mark.parametrize(("voids", "is_complete"), [(3, True), (4, False)])
def test_callers_that_do_not_understand_widen_the_interval_and_then_make_the_row_incomplete(
    tmp_path: Path, voids: int, is_complete: bool
) -> None:
    first, *others = task_ids(4)
    outcomes = {first: [P] * 8 + [F] * 8, **{task: [P, F] * 8 for task in others}}
    fair = row_of(make_run(tmp_path / "fair", "m", outcomes))
    outcomes[first] = [f"void>{P}"] * voids + outcomes[first][voids:]
    root = make_run(tmp_path / "void", "m", outcomes)
    for path in root.rglob("attempt-1/call.json"):
        call = json.loads(path.read_text())
        if call["verdict"] == "void":
            path.write_text(json.dumps({**call, "void_kind": "comprehension"}))
    row = row_of(root)
    assert row.complete is is_complete
    assert row.script_void_rate == 0.0
    if is_complete:
        assert fair.interval is not None
        assert row.interval is not None
        share = voids / (64 + voids)
        assert row.comprehension_void_rate == share
        assert row.interval[0] == pytest.approx(fair.interval[0] - share)
        assert row.interval[1] == fair.interval[1]
    else:
        assert any("did not understand the agent in 5.9 %" in why for why in row.unranked_because)


def test_a_caller_that_is_made_to_break_its_script_costs_the_rank(tmp_path: Path) -> None:
    outcomes = {task: [P, F] * 5 for task in task_ids(5)}
    outcomes[task_ids(1)[0]] = [f"void>{P}", *outcomes[task_ids(1)[0]][1:]]
    assert row_of(make_run(tmp_path / "one", "m", outcomes)).unranked_because == ()
    outcomes[task_ids(1)[0]] = [f"void>{P}", f"void>{P}", *outcomes[task_ids(1)[0]][2:]]
    row = row_of(make_run(tmp_path / "two", "m", outcomes))
    assert row.unranked_because == ("the caller broke its script in 3.8 % of the attempts, over 2 %",)


def test_copies_of_a_run_are_no_trials(tmp_path: Path) -> None:
    outcomes = {task: [P, F] for task in task_ids(4)}
    for number in range(5):
        make_run(tmp_path / str(number), "m", outcomes)
    [row] = read_board([tmp_path], profile="bench", k=5).rows
    assert (row.calls, row.missing, row.pass_hat_k) == (8, 0, None)
    for number in range(5, 8):
        make_run(tmp_path / str(number), "m", outcomes, seed=number)
    [row] = read_board([tmp_path], profile="bench", k=5).rows
    assert (row.calls, row.missing) == (32, 0)
