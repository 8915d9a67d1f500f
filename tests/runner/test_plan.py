"""Plans: which trials a request has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from voicebench.errors import ConfigError
from voicebench.packs import load_pack
from voicebench.runner import RunRequest
from voicebench.runner.plan import plan_trials

pytestmark = pytest.mark.unit

Asked = Callable[..., RunRequest]


def test_without_tasks_all_of_a_pack_are_called(asked: Asked) -> None:
    pack = load_pack("customer_support")
    planned = [trial.case.id for trial in plan_trials(asked(tasks=[], packs=["customer_support"]))]
    assert planned == sorted(pack.cases)


def test_a_limit_counts_tasks_before_trials(asked: Asked) -> None:
    first, second = sorted(load_pack("customer_support").cases)[:2]
    planned = plan_trials(asked(tasks=[], packs=["customer_support"], limit=2, trials=2))
    assert [(trial.case.id, trial.number) for trial in planned] == [(first, 1), (second, 1), (first, 2), (second, 2)]


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


def test_a_variant_without_its_line_is_told(asked: Asked) -> None:
    with pytest.raises(ConfigError, match="T2-H3-BG: its line preset 'background_noise' does not exist"):
        plan_trials(asked(tasks=["T2-H3-BG"]))
