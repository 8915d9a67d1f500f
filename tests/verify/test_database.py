from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicebench.language.slots import IntentsSpec
from voicebench.packs.database import State, diff_state
from voicebench.packs.models import AgentSpec, Case, Company, PackSpec, StateTable
from voicebench.record.state import StateDifference
from voicebench.verify.database import DatabaseResult, check_database

pytestmark = pytest.mark.unit

SPEC = PackSpec(
    name="shop",
    industry="retail",
    company=Company(name="Shop"),
    today="2026-08-01",
    greeting="Hello.",
    agents=[AgentSpec(name="desk", prompt="desk.md", tools=[])],
    state={
        "bookings": StateTable(
            key=["booking_id"],
            ignore=["booking_id", "made_at"],
            types={"order_number": "id", "fee": "number", "note": "prose", "day": "date"},
        ),
        "orders": StateTable(key=["order_number"], types={"order_number": "id", "fee": "number"}),
    },
    facts={},
    intents=IntentsSpec(),
)

SEED: State = {
    "bookings": [],
    "orders": [
        {"order_number": "KE-1", "status": "open", "fee": 10.0},
        {"order_number": "KE-2", "status": "open", "fee": 20.0},
    ],
}


def booking(number: int, **columns: Any) -> dict[str, Any]:
    row = {"booking_id": f"B-{number}", "made_at": f"10:0{number}", "order_number": "KE-1", "fee": 25.0, "note": "x"}
    return {**row, "day": "2026-08-03", "status": "booked", **columns}


def case_with(rows: dict[str, list[dict[str, Any]]]) -> Case:
    forms = ["k e one", "k e 1", "kilo echo one"]
    return Case.model_validate(
        {
            **dict.fromkeys(("title", "category", "measures", "why", "succeeds_when"), "x"),
            "id": "T1-E1",
            "difficulty": "easy",
            "caller": {
                **dict.fromkeys(("opening", "brief", "closing", "give_up"), "x"),
                "facts": {"order_number": {"value": "KE-1", "forms": forms}},
                "answers": [],
                "hangs_up": {"heard": "done"},
            },
            "solution": [],
            "expect": {"handoffs": [], "rows": rows},
        }
    )


def check(rows: dict[str, list[dict[str, Any]]], final: State) -> DatabaseResult:
    difference = diff_state(SEED, {**SEED, **final}, SPEC)
    return check_database(case_with(rows), SPEC, difference)


BOOKED = {"bookings": [{"added": {"order_number": "$fact.order_number", "fee": "25", "status": "booked"}}]}


def test_an_expected_row_is_found_by_its_written_columns_alone() -> None:
    result = check(BOOKED, {"bookings": [booking(7, note="anything")]})
    assert (result.gate.passed, result.gate.reward, result.differences) == (True, 1.0, ())
    rules = "order_number id: KE-1 = KE-1; fee number: 25.0 = 25; status exact: booked = booked"
    assert result.gate.reasons == (f"bookings: added: {rules}",)


@pytest.mark.parametrize("columns", [{"order_number": "ke 1"}, {"fee": 25}, {"fee": "25.00"}])
def test_another_spelling_is_the_same_value(columns: dict[str, Any]) -> None:
    assert check(BOOKED, {"bookings": [booking(1, **columns)]}).gate.passed


@pytest.mark.parametrize("columns", [{"order_number": "KE-2"}, {"fee": 25.01}, {"status": "Booked"}, {"fee": None}])
def test_another_value_is_a_missing_and_an_extra_row(columns: dict[str, Any]) -> None:
    result = check(BOOKED, {"bookings": [booking(1, **columns)]})
    assert (result.gate.passed, result.gate.reward) == (False, 0.0)
    assert result.gate.reasons == ("missing · bookings · 1", "extra · bookings · 1")


def test_a_second_equal_row_is_one_extra() -> None:
    result = check(BOOKED, {"bookings": [booking(1), booking(2)]})
    assert (result.gate.passed, result.gate.reward) == (False, 0.5)
    (extra,) = result.differences
    assert (extra.kind, extra.table, extra.expected) == ("extra", "bookings", None)
    assert extra.actual is not None
    assert extra.actual["order_number"] == "KE-1"


def test_a_row_nobody_expected_in_another_table_fails() -> None:
    final = {"bookings": [booking(1)], "orders": [{**SEED["orders"][0], "fee": 99.0}, SEED["orders"][1]]}
    result = check(BOOKED, final)
    assert (result.gate.passed, result.gate.reward) == (False, 0.5)
    assert result.differences[0].to_json() == {
        "kind": "changed",
        "table": "orders",
        "expected": {"order_number": "KE-1", "status": "open", "fee": 10.0},
        "actual": {"order_number": "KE-1", "status": "open", "fee": 99.0},
        "count": 1,
    }


def test_changed_rows_are_found_by_where_and_judged_by_set() -> None:
    rows = {"orders": [{"changed": {"where": {"order_number": "KE1"}, "set": {"status": "closed"}}}]}
    closed = {**SEED["orders"][0], "status": "closed"}
    assert check(rows, {"orders": [closed, SEED["orders"][1]]}).gate.passed
    wrong_row = check(rows, {"orders": [SEED["orders"][0], {**SEED["orders"][1], "status": "closed"}]})
    assert [d.kind for d in wrong_row.differences] == ["changed", "changed"]
    wrong_value = check(rows, {"orders": [{**closed, "status": "lost"}, SEED["orders"][1]]})
    assert [(d.expected, d.actual) for d in wrong_value.differences] == [
        ({"order_number": "KE1", "status": "closed"}, {"order_number": "KE-1", "status": "lost", "fee": 10.0})
    ]


def test_removed_rows_are_told_by_what_the_final_databases_hold() -> None:
    rows = {"orders": [{"removed": {"order_number": "KE-2"}}]}
    assert check(rows, {"orders": SEED["orders"][:1]}).gate.passed
    assert [d.kind for d in check(rows, {}).differences] == ["extra"]
    assert [d.kind for d in check({}, {"orders": SEED["orders"][:1]}).differences] == ["missing"]


def test_a_removed_row_does_not_stand_for_an_added_one() -> None:
    result = check({"orders": [{"added": {"order_number": "KE-2"}}]}, {"orders": SEED["orders"][:1]})
    assert (result.gate.passed, result.gate.reward) == (False, 0.0)
    assert result.gate.reasons == ("missing · orders · 1", "missing · orders · 1")


def test_any_and_one_of_in_rows() -> None:
    rows = {"bookings": [{"added": {"note": {"any": True}, "day": {"one_of": ["August 3rd", "2026-08-04"]}}}]}
    assert check(rows, {"bookings": [booking(1)]}).gate.passed
    assert not check(rows, {"bookings": [booking(1, day="2026-08-05")]}).gate.passed


def test_ignored_columns_are_not_compared_even_where_they_are_written() -> None:
    assert check({"bookings": [{"added": {"booking_id": "B-9", "fee": "25"}}]}, {"bookings": [booking(1)]}).gate.passed


def test_a_column_that_the_row_does_not_have_is_no_agreement() -> None:
    assert not check({"bookings": [{"added": {"colour": None}}]}, {"bookings": [booking(1)]}).gate.passed


def test_expected_rows_of_a_table_that_is_no_state_are_missing() -> None:
    result = check({"letters": [{"added": {"to": "x"}}]}, {})
    assert result.gate.reasons == ("missing · letters · 1",)


def test_what_changed_in_a_table_that_is_no_state_counts_nothing() -> None:
    difference = StateDifference.model_validate({"tables": {"letters": {"added": [{"to": "x"}]}}})
    assert check_database(case_with({}), SPEC, difference).gate.passed
    expected = check_database(case_with({"letters": [{"added": {"to": "x"}}]}), SPEC, difference)
    assert expected.gate.reasons == ("missing · letters · 1",)


def test_missing_evidence_never_passes() -> None:
    result = check_database(case_with({}), SPEC, None)
    assert (result.gate.passed, result.gate.reward) == (False, 0.0)
    assert result.gate.reasons == ("missing evidence: the final database was not stored",)


def test_nothing_expected_and_nothing_done_passes() -> None:
    result = check({}, {})
    assert (result.gate.passed, result.gate.reward) == (True, 1.0)
    assert result.gate.reasons == ("nothing was to change, and nothing did",)


def test_two_overlapping_expectations_find_a_row_each() -> None:
    rows = {"bookings": [{"added": {"fee": "25"}}, {"added": {"fee": "25", "status": "booked"}}]}
    final = [booking(1, status="booked"), booking(2, status="cancelled")]
    assert check(rows, {"bookings": final}).gate.passed
    assert check(rows, {"bookings": final[::-1]}).gate.passed


small_rows = st.lists(
    st.builds(booking, st.integers(1, 9), fee=st.sampled_from([25, 25.0, 30.0]), status=st.sampled_from(["a", "b"])),
    max_size=4,
    unique_by=lambda row: str(row["booking_id"]),
)
expectations = st.lists(
    st.fixed_dictionaries({"fee": st.sampled_from(["25", "30"])}, optional={"status": st.sampled_from(["a", "b"])}),
    max_size=4,
)


@given(expectations, small_rows, st.booleans(), st.data())
def test_reward_is_one_exactly_when_the_gate_passes_whatever_the_order(
    expected: list[dict[str, Any]], actual: list[dict[str, Any]], touched: bool, data: st.DataObject
) -> None:
    orders = [{**SEED["orders"][0], "status": "closed"}, SEED["orders"][1]] if touched else SEED["orders"]
    result = check({"bookings": [{"added": row} for row in expected]}, {"bookings": actual, "orders": orders})
    assert (result.gate.reward == 1.0) == result.gate.passed == (not result.differences)
    assert 0.0 <= result.gate.reward <= 1.0
    expected, actual, orders = (data.draw(st.permutations(rows)) for rows in (expected, actual, orders))
    again = check({"bookings": [{"added": row} for row in expected]}, {"bookings": actual, "orders": orders})
    assert (again.gate.passed, again.gate.reward) == (result.gate.passed, result.gate.reward)
