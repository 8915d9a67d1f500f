"""Which call stands for which step, where the results of some steps are the arguments of others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.verify.test_tools import BOOK, BOOK_AND_CANCEL, check, ok

pytestmark = pytest.mark.unit

BOOKED = {"order": "KE-4471860", "fee": 25}


def test_a_call_whose_result_is_used_stands_for_no_other_step() -> None:
    calls = [ok("book", {"booking": "B-1"}, **BOOKED), ok("cancel", booking="B-1")]
    result = check([*BOOK_AND_CANCEL, BOOK], calls)
    assert result.gate.reward == pytest.approx(2 / 3)
    assert [row.satisfied for row in result.rows.values()] == [True, True, False]


def test_two_steps_whose_results_are_used_need_a_call_each() -> None:
    calls = [ok("book", {"booking": "B-1"}, **BOOKED), *[ok("cancel", booking="B-1")] * 2]
    assert check(BOOK_AND_CANCEL * 2, calls).gate.reward == 0.5


def test_of_calls_that_serve_alike_the_first_counts() -> None:
    calls = [ok("book", {"booking": f"B-{number}"}, **BOOKED) for number in (1, 2, 3)]
    assert check(BOOK_AND_CANCEL, calls).calls == {0: 0}


def test_steps_count_although_one_whose_result_others_use_was_left_out() -> None:
    result = check([*BOOK_AND_CANCEL, {"call": "pay", "with": {"fee": "1"}}], [ok("pay", fee=1)])
    assert [row.satisfied for row in result.rows.values()] == [False, False, True]


def test_a_step_that_gates_comes_before_one_whose_result_is_used_and_that_is_only_shown() -> None:
    solution: list[dict[str, Any]] = [
        {"call": "look"},
        {"call": "find", "with": {"order": "$result.look.data.order"}},
        {"call": "pay", "with": {"fee": "1"}, "alternatives": [{"call": "look"}]},
    ]
    result = check(solution, [ok("look", {"order": "KE-1"}), ok("find", order="KE-1")])
    assert (result.gate.passed, result.calls[2]) == (True, 0)


def test_the_same_booking_made_thousands_of_times_does_not_hide_the_one_that_counts() -> None:
    calls = [
        *[ok("book", {"booking": "B-1"}, **BOOKED)] * 2_100,
        ok("book", {"booking": "B-2"}, **BOOKED),
        ok("cancel", booking="B-2"),
    ]
    assert check(BOOK_AND_CANCEL, calls).gate.passed
