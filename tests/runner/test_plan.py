"""Plans: which trials a request has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from voicebench.config import load_pipeline
from voicebench.errors import ConfigError
from voicebench.packs import base_task, load_pack
from voicebench.runner import RunRequest
from voicebench.runner.plan import plan_trials

pytestmark = pytest.mark.unit

Asked = Callable[..., RunRequest]


def test_without_tasks_all_of_a_pack_are_called(asked: Asked) -> None:
    pack = load_pack("customer_support")
    planned = [trial.task.case.id for trial in plan_trials(asked(tasks=[], packs=["customer_support"]))]
    assert planned == sorted(pack.cases)


def test_a_limit_counts_tasks_before_trials(asked: Asked) -> None:
    first, second = sorted(load_pack("customer_support").cases)[:2]
    planned = plan_trials(asked(tasks=[], packs=["customer_support"], limit=2, trials=2))
    called = [(trial.task.case.id, trial.number) for trial in planned]
    assert called == [(first, 1), (second, 1), (first, 2), (second, 2)]


def test_a_task_that_is_named_twice_is_called_once(asked: Asked) -> None:
    planned = plan_trials(asked(tasks=["T2-H3", "customer_support/T2-H3"]))
    assert [trial.key for trial in planned] == [("customer_support", "T2-H3", 1)]


def test_a_pack_is_found_by_its_folder(asked: Asked) -> None:
    root = load_pack("customer_support").root
    planned = plan_trials(asked(packs=[str(root)], tasks=["T2-H3"]))
    assert planned[0].key == ("customer_support", "T2-H3", 1)


def test_an_unknown_task_is_told(asked: Asked) -> None:
    with pytest.raises(ConfigError, match="no task 'T9-H9'"):
        plan_trials(asked(tasks=["T9-H9"]))


def test_a_suffix_selects_its_line(asked: Asked) -> None:
    noisy, weak = plan_trials(asked(tasks=["T2-H3-BG", "T2-H3-SIG"]))
    assert noisy.key == ("customer_support", "T2-H3-BG", 1)
    assert (noisy.task.case.id, noisy.task.line, weak.task.line) == ("T2-H3", "background_noise", "bad_signal")


def test_variants_add_both_suffixes_to_each_base_task(asked: Asked) -> None:
    planned = plan_trials(asked(tasks=["T1-E1", "T2-H3-BG", "T2-H3"], variants=True, limit=5))
    tasks = [trial.task.id for trial in planned]
    assert tasks == ["T1-E1", "T1-E1-BG", "T1-E1-SIG", "T2-H3-BG", "T2-H3"]


def test_a_line_beside_a_suffix_is_refused(asked: Asked) -> None:
    with pytest.raises(ConfigError, match="T2-H3-SIG: its suffix selects the line 'bad_signal'; leave --line out"):
        plan_trials(asked(tasks=["T2-H3-SIG"], line="pstn"))
    with pytest.raises(ConfigError, match="T2-H3-BG: its suffix"):
        plan_trials(asked(tasks=["T2-H3"], variants=True, line="pstn"))
    assert plan_trials(asked(tasks=["T2-H3"], line="pstn"))[0].task.line is None


def test_a_variant_is_the_same_pipeline_over_another_line() -> None:
    pipeline = load_pipeline("fast", ["line.caller_to_agent.delay_ms=90"])
    other = pipeline.over("bad_signal")
    assert (other.line.preset, other.line.caller_to_agent) == ("bad_signal", {"delay_ms": 90})
    assert other.over(pipeline.line.preset).config_hash == pipeline.config_hash
    assert [base_task(task) for task in ("T2-H3-BG", "T2-H3-SIG", "T2-H3")] == ["T2-H3"] * 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"trials": 0}, "trials: 0 is not possible; give a whole number of at least 1"),
        ({"trials": "2"}, "trials: '2' is not possible"),
        ({"trials": True}, "trials: True is not possible"),
        ({"workers": 0}, "workers: 0 is not possible; give a whole number of at least 1"),
        ({"limit": 0}, "limit: 0 is not possible"),
        ({"seed": "x"}, "seed: 'x' is not possible; give a whole number$"),
        ({"max_cost": -1}, "max_cost: -1 is not possible; give US dollars, 0 or more"),
        ({"max_cost": float("nan")}, "max_cost: nan is not possible"),
        ({"max_cost": "2"}, "max_cost: '2' is not possible"),
    ],
)
def test_a_number_out_of_its_range_is_refused(asked: Asked, wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        asked(**wrong)
