from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicebench.language.slots import FactType
from voicebench.packs.models import Case, ToolSpec
from voicebench.record.json_types import JsonObject
from voicebench.record.verdict import MadeToolCall, ToolRow
from voicebench.verify.tools import ToolsResult, check_tools

pytestmark = pytest.mark.unit


def spec(name: str, *, writes: bool, **types: FactType) -> ToolSpec:
    return ToolSpec(name=name, description="", parameters={}, writes=writes, ends_call=False, arg_types=types)


TOOLS = {
    tool.name: tool
    for tool in (
        spec("find", writes=False, order="id", phone="phone"),
        spec("look", writes=False, order="id"),
        spec("book", writes=True, order="id", fee="number", day="date", issue="prose", kind="enum"),
        spec("cancel", writes=True, booking="id"),
        spec("pay", writes=True, fee="number"),
    )
}


def case_with(solution: list[dict[str, Any]], **expect: Any) -> Case:
    return Case.model_validate(
        {
            **dict.fromkeys(("title", "category", "measures", "why", "succeeds_when"), "x"),
            "id": "T1-E1",
            "difficulty": "easy",
            "caller": {
                **dict.fromkeys(("opening", "brief", "closing", "give_up"), "x"),
                "facts": {"order": {"value": "KE-4471860", "forms": ["k e four", "k e 4", "kilo echo four"]}},
                "answers": [],
                "hangs_up": {"heard": "done"},
            },
            "solution": solution,
            "expect": {"handoffs": [], **expect},
        }
    )


def made(name: str, arguments: JsonObject, result: JsonObject) -> MadeToolCall:
    return MadeToolCall(name=name, arguments=arguments, result=result, agent="desk", start_s=0, after_hangup=False)


def ok(name: str, data: Any = None, **arguments: Any) -> MadeToolCall:
    return made(name, arguments, {"ok": True, "data": data or {}, "error_code": None})


def refused(name: str, code: str, **arguments: Any) -> MadeToolCall:
    return made(name, arguments, {"ok": False, "data": None, "error_code": code})


def check(solution: list[dict[str, Any]], calls: list[MadeToolCall], **expect: Any) -> ToolsResult:
    return check_tools(case_with(solution, **expect), TOOLS, calls)


def arguments_of(row: ToolRow) -> JsonObject | None:
    return row.expected.arguments if row.expected is not None else None


BOOK = {"call": "book", "with": {"order": "$fact.order", "fee": "25"}}
BOOK_AND_CANCEL = [BOOK, {"call": "cancel", "with": {"booking": "$result.book.data.booking"}}]


def test_expected_calls_are_shown_with_the_values_that_are_known() -> None:
    booking, cancellation = check(BOOK_AND_CANCEL, []).rows.values()
    assert arguments_of(booking) == {"order": "KE-4471860", "fee": "25"}
    assert arguments_of(cancellation) == {"booking": "$result.book.data.booking"}
    done = check(BOOK_AND_CANCEL, [ok("book", {"booking": "B-7"}, order="KE-4471860", fee=25)])
    assert arguments_of(done.rows[1]) == {"booking": "B-7"}


@pytest.mark.parametrize("order", ["KE-4471860", "ke4471860", "K E 4471860", "K E four four seven one eight six oh"])
@pytest.mark.parametrize("fee", [25, 25.0, "25.00", "$25"])
def test_another_spelling_of_the_same_values_satisfies_the_step(order: str, fee: Any) -> None:
    result = check([BOOK], [ok("book", order=order, fee=fee)])
    assert (result.gate.passed, result.gate.reward) == (True, 1.0)


def test_the_verdict_says_which_rule_decided() -> None:
    result = check([BOOK], [ok("book", order="KE4471860", fee=25.0)])
    assert result.gate.reasons == ("book: order id: KE4471860 = KE-4471860; fee number: 25.0 = 25",)


def test_the_reason_names_only_the_arguments_that_were_compared() -> None:
    step = {"call": "book", "with": {"fee": "25", "issue": "will not charge"}}
    assert check([step], [ok("book", fee=25, issue="dead", day="tomorrow")]).gate.reasons == (
        "book: fee number: 25 = 25",
    )
    assert check([{"call": "pay"}], [ok("pay")]).gate.reasons == ("pay: called",)


def test_a_task_that_requires_no_tool_says_so() -> None:
    result = check([{"call": "look"}], [])
    assert (result.gate.passed, result.gate.reward, result.gate.reasons) == (True, 1.0, ("no tool is required",))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"order": "KE-4471861", "fee": 25}, "book: order id: KE-4471861 ≠ KE-4471860"),
        ({"order": "KE-4471860", "fee": 52}, "book: fee number: 52 ≠ 25"),
        ({"order": "KE-4471860"}, "book: fee number: not given"),
        ({"order": "KE-4471860", "fee": None}, "book: fee number: not given"),
    ],
)
def test_another_or_a_missing_gating_argument_is_no_match(arguments: dict[str, Any], reason: str) -> None:
    result = check([BOOK], [ok("book", **arguments)])
    assert (result.gate.passed, result.gate.reward, result.gate.reasons) == (False, 0.0, (reason,))


def test_a_refused_call_does_not_satisfy_an_expected_success() -> None:
    result = check([BOOK], [refused("book", "NO_SLOT", order="KE-4471860", fee=25)])
    assert (result.gate.passed, result.gate.reasons) == (False, ("book: was refused: NO_SLOT",))


def test_a_refusal_that_is_the_point_must_be_that_refusal() -> None:
    step = {**BOOK, "refused": "WINDOW_PASSED", "because": "Try it all the same."}
    call = {"order": "KE-4471860", "fee": 25}
    assert check([step], [refused("book", "WINDOW_PASSED", **call)]).gate.passed
    assert not check([step], [refused("book", "NO_SLOT", **call)]).gate.passed
    assert not check([step], [ok("book", **call)]).gate.passed


def test_a_call_that_went_through_is_no_refusal_whatever_code_it_names() -> None:
    step = {"call": "pay", "refused": "NO_CARD", "because": "Try it all the same."}
    assert not check([step], [made("pay", {}, {"ok": True, "error_code": "NO_CARD"})]).gate.passed


def test_a_refusal_that_no_sentence_demands_is_shown_and_does_not_gate() -> None:
    vain = check([{**BOOK, "refused": "WINDOW_PASSED"}], [])
    assert (vain.gate.passed, vain.gate.reward, vain.rows[0].gating, vain.rows[0].satisfied) == (
        True,
        1.0,
        False,
        False,
    )


def test_reads_gate_only_where_they_are_required() -> None:
    solution = [{"call": "look", "with": {"order": "$fact.order"}}]
    assert check(solution, []).gate.passed
    required = {"reads_required": {"look": "the prompt demands it"}}
    assert not check(solution, [], **required).gate.passed
    assert check(solution, [ok("look", order="KE 4471860")], **required).gate.passed


def test_steps_that_do_not_gate_are_shown_with_their_calls_where_no_other_is_there() -> None:
    shown: dict[str, Any] = {"call": "look", "with": {"order": "$fact.order"}}
    result = check([shown, {"call": "find"}], [ok("look", order="KE-4471860"), ok("find")])
    assert [(row.gating, row.satisfied) for row in result.rows.values()] == [(False, True), (False, True)]
    assert (result.calls, result.extra) == ({0: 0, 1: 1}, [])


def test_a_tool_that_the_pack_does_not_describe_gates_nothing_and_is_compared_exactly() -> None:
    step = {"call": "fax", "with": {"to": "desk"}}
    assert check([step], [ok("fax", to="desk")]).rows[0].satisfied
    assert not check([step], [ok("fax", to="Desk")]).rows[0].satisfied
    assert check([step], []).gate.passed


def test_extra_calls_never_fail_a_call_unless_forbidden() -> None:
    calls = [ok("look", order="KE-1"), ok("book", order="KE-4471860", fee=25), ok("pay", fee=1), ok("pay", fee=1)]
    result = check([BOOK], calls)
    assert (result.gate.passed, result.extra) == (True, [0, 2, 3])
    forbidden = check([BOOK], calls, forbidden_tools=["pay"])
    assert not forbidden.gate.passed
    assert forbidden.gate.reward == pytest.approx(1 / 3)
    assert forbidden.gate.reasons[1:] == ("pay: forbidden, and called",) * 2


def test_a_forbidden_call_counts_even_if_it_was_refused() -> None:
    assert not check([], [refused("pay", "NO_CARD", fee=1)], forbidden_tools=["pay"]).gate.passed


def test_each_step_needs_a_call_of_its_own() -> None:
    call = ok("book", order="KE-4471860", fee=25)
    assert check([BOOK, BOOK], [call]).gate.reward == 0.5
    assert check([BOOK, BOOK], [call, call]).gate.passed


def test_an_alternative_satisfies_by_other_arguments_or_another_tool() -> None:
    step = {**BOOK, "alternatives": [{"with": {"day": "2026-08-03"}}, {"call": "pay", "with": {"fee": "25"}}]}
    assert check([step], [ok("book", day="August third")]).gate.passed
    assert check([step], [ok("pay", fee=25)]).gate.passed
    assert not check([step], [ok("book", day="2026-08-04"), ok("pay", fee=26)]).gate.passed


def test_calls_are_shared_out_so_that_the_most_steps_are_satisfied() -> None:
    loose = {"call": "book", "with": {"order": "$fact.order"}}
    calls = [ok("book", order="KE-4471860", fee=25), ok("book", order="KE-4471860", fee=30)]
    assert check([loose, BOOK], calls).gate.passed
    assert check([loose, BOOK], calls[::-1]).gate.passed


def test_a_gating_step_comes_before_one_that_is_only_shown() -> None:
    shown = {"call": "look", "with": {"order": "$fact.order"}}
    gating = {"call": "pay", "with": {"fee": "1"}, "alternatives": [{"call": "look"}]}
    result = check([shown, gating], [ok("look", order="KE-4471860")])
    assert [(row.gating, row.satisfied) for row in result.rows.values()] == [(False, False), (True, True)]


@pytest.mark.parametrize(
    ("day", "passed"), [("2026-08-03", True), (None, True), ("August 3", True), ("2026-08-04", False), ("soon", False)]
)
def test_one_of_may_hold_null_for_an_argument_left_out(day: str | None, passed: bool) -> None:
    step = {"call": "book", "with": {"day": {"one_of": [None, "2026-08-03"]}}}
    assert check([step], [ok("book", **({} if day is None else {"day": day}))]).gate.passed is passed


@pytest.mark.parametrize("blank", ["", "  "])
def test_an_empty_text_is_an_argument_left_out(blank: str) -> None:
    step = {"call": "book", "with": {"day": None, "order": "$fact.order"}}
    assert check([step], [ok("book", day=blank, order="KE-4471860")]).gate.passed
    assert check([step], [ok("book", order=blank)]).gate.reasons == ("book: order id: not given",)
    assert not check([step], [ok("book", day="2026-08-03", order="KE-4471860")]).gate.passed


def test_one_of_may_hold_references() -> None:
    step = {"call": "book", "with": {"order": {"one_of": ["KE-1", "$fact.order"]}}}
    assert check([step], [ok("book", order="ke 4471860")]).gate.passed
    assert not check([step], [ok("book", order="KE-2")]).gate.passed


def test_any_value_must_still_be_given() -> None:
    step = {"call": "book", "with": {"kind": {"any": True}}}
    assert check([step], [ok("book", kind="whatever")]).gate.passed
    assert check([step], [ok("book")]).gate.reasons == ("book: kind enum: not given",)


def test_prose_is_a_parameter_miss_and_never_gates() -> None:
    step = {"call": "book", "with": {"issue": "will not charge"}}
    for arguments in ({"issue": "battery dead"}, {}):
        result = check([step], [ok("book", **arguments)])
        (row,) = result.rows[0].arguments
        assert (result.gate.passed, row.missed, row.gates, row.rule) == (True, True, False, "prose: not compared")
    same = check([step], [ok("book", issue="Will not  charge")]).rows[0].arguments[0]
    assert same.missed is False


def test_lists_agree_in_any_order() -> None:
    step = {"call": "book", "with": {"order": ["$fact.order", "KE-2"]}}
    assert check([step], [ok("book", order=["ke2", "KE 4471860"])]).gate.passed
    assert not check([step], [ok("book", order=["ke2", "ke2"])]).gate.passed
    assert not check([step], [ok("book", order=["ke2", "KE 4471860", "KE3"])]).gate.passed


def test_an_argument_the_step_does_not_name_is_shown_and_not_compared() -> None:
    result = check([BOOK], [ok("book", order="KE-4471860", fee=25, day="tomorrow")])
    row = next(row for row in result.rows[0].arguments if row.name == "day")
    assert (result.gate.passed, row.actual, row.expected, row.gates, row.missed) == (
        True,
        "tomorrow",
        None,
        False,
        False,
    )


def test_a_result_is_that_of_the_call_matched_to_its_step() -> None:
    booked = {"order": "KE-4471860", "fee": 25}
    calls = [
        refused("book", "INVALID_DATE", day="first available", **booked),
        ok("book", {"booking": "B-2"}, **booked),
        ok("cancel", booking="b 2"),
    ]
    result = check(BOOK_AND_CANCEL, calls)
    assert (result.gate.passed, result.extra) == (True, [0])
    assert result.calls == {0: 1, 1: 2}


def test_the_cancelled_one_of_two_bookings_is_the_one_that_counts() -> None:
    booked = {"order": "KE-4471860", "fee": 25}
    calls = [
        ok("book", {"booking": "B-1"}, **booked),
        ok("book", {"booking": "B-2"}, **booked),
        ok("cancel", booking="B-2"),
    ]
    result = check(BOOK_AND_CANCEL, calls)
    assert (result.gate.passed, result.extra) == (True, [0])


def test_a_cancellation_of_something_else_is_no_match() -> None:
    result = check(
        BOOK_AND_CANCEL, [ok("book", {"booking": "B-1"}, order="KE-4471860", fee=25), ok("cancel", booking="B-9")]
    )
    assert (result.gate.passed, result.gate.reward) == (False, 0.5)


def test_without_the_call_that_a_result_comes_from_there_is_no_match() -> None:
    result = check(BOOK_AND_CANCEL, [ok("cancel", booking="B-1")])
    assert result.gate.reward == 0.0
    assert result.gate.reasons == (
        "book: never called",
        "cancel: booking $result.book.data.booking: nothing to compare with",
    )


def test_a_result_means_the_last_step_of_its_tool_before() -> None:
    later = {"call": "book", "with": {"order": "KE-9"}}
    calls = [
        ok("book", {"booking": "B-1"}, order="KE-4471860", fee=25),
        ok("cancel", booking="B-1"),
        ok("book", {"booking": "B-2"}, order="KE-9"),
    ]
    assert check([*BOOK_AND_CANCEL, later], calls).gate.passed
    assert not check([*BOOK_AND_CANCEL, later], [calls[0], ok("cancel", booking="B-2"), calls[2]]).gate.passed


def test_a_step_may_use_the_result_of_an_earlier_step_of_its_own_tool() -> None:
    again = {"call": "book", "with": {"order": "$result.book.data.next", "day": "2026-08-04"}}
    first = ok("book", {"next": "KE-9"}, order="KE-4471860", fee=25)
    assert check([BOOK, again], [first, ok("book", {"next": "KE-1"}, order="KE-9", day="2026-08-04")]).gate.passed
    assert not check([BOOK, again], [first, ok("book", {"next": "KE-1"}, order="KE-1", day="2026-08-04")]).gate.passed


def test_a_step_that_is_not_satisfied_is_shown_beside_the_nearest_call_of_its_tool() -> None:
    calls = [refused("book", "NO_SLOT", order="KE-1"), ok("book", order="KE-4471860", fee=26)]
    result = check([BOOK], calls)
    assert (result.calls, result.rows[0].satisfied) == ({0: 1}, False)


def test_hundreds_of_repeated_calls_are_judged() -> None:
    booked = {"order": "KE-4471860", "fee": 25}
    calls = [ok("book", {"booking": f"B-{n}"}, **booked) for n in range(100)] + [ok("look", order="KE-1")] * 200
    result = check([*BOOK_AND_CANCEL, {"call": "pay", "with": {"fee": "1"}}], calls)
    assert not result.gate.passed
    assert result.gate.reward == pytest.approx(1 / 3)


bookings = st.builds(
    lambda good, number, order, fee: (ok if good else lambda n, d, **a: refused(n, "NO", **a))(
        "book", {"booking": f"B-{number}"}, order=order, fee=fee
    ),
    st.booleans(),
    st.integers(1, 2),
    st.sampled_from(["KE-4471860", "KE-1"]),
    st.sampled_from([25, 30]),
)
cancellations = st.builds(lambda number: ok("cancel", booking=f"B-{number}"), st.integers(1, 2))
payments = st.builds(lambda fee: ok("pay", fee=fee), st.sampled_from([1, 2]))
steps = st.sampled_from([*BOOK_AND_CANCEL, {"call": "pay", "with": {"fee": "1"}}, {"call": "look"}])


@given(
    st.lists(steps, max_size=4),
    st.lists(st.one_of(bookings, cancellations, payments), max_size=6),
    st.sampled_from([[], ["pay"]]),
    st.data(),
)
def test_reward_is_one_exactly_when_the_gate_passes_and_order_flips_nothing(
    solution: list[dict[str, Any]], calls: list[MadeToolCall], forbidden: list[str], data: st.DataObject
) -> None:
    result = check(solution, calls, forbidden_tools=forbidden)
    gating = [row for row in result.rows.values() if row.gating]
    assert (result.gate.reward == 1.0) == result.gate.passed
    assert result.gate.passed == (all(row.satisfied for row in gating) and not {c.name for c in calls} & set(forbidden))
    assert sorted([*result.extra, *result.calls.values()]) == list(range(len(calls)))
    again = check(solution, data.draw(st.permutations(calls)), forbidden_tools=forbidden)
    assert (again.gate.passed, again.gate.reward) == (result.gate.passed, result.gate.reward)
    more = check(solution, [*calls, ok("look", order="KE-1")], forbidden_tools=forbidden)
    assert (more.gate.passed, more.gate.reward) == (result.gate.passed, result.gate.reward)
