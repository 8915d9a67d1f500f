"""The difference of a state from its seed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicebench.errors import StoreError
from voicebench.packs import Pack, load_pack
from voicebench.packs.database import State, diff_state, dump_state
from voicebench.record.json_types import JsonObject
from voicebench.record.state import StateDifference

pytestmark = pytest.mark.unit

PACK = load_pack(Path(__file__).parent / "minimal_pack")
SEED = dump_state(PACK.open_database(), PACK.spec)


def after(*statements: str, pack: Pack = PACK) -> StateDifference:
    db = pack.open_database()
    for statement in statements:
        db.execute(statement)
    return diff_state(SEED, dump_state(db, pack.spec), pack.spec)


REQUEST = "INSERT INTO requests VALUES ('{0}', 'LN-4471', 'wants it longer', '{1}')"


def test_only_state_tables_are_dumped() -> None:
    assert list(SEED) == ["loans", "requests"]
    assert SEED["loans"][0] == {"loan_id": "LN-4471", "borrower": "Ida Brandt", "due": "2026-08-03", "fee": 0.0}


def test_an_untouched_state_does_not_differ() -> None:
    assert after("INSERT INTO branches VALUES ('South')") == StateDifference(tables={})


def test_added_removed_and_changed_rows_are_told_apart() -> None:
    difference = after(
        REQUEST.format("REQ-0001", "now"),
        "UPDATE loans SET due = '2026-08-06', borrower = 'Ida B.' WHERE loan_id = 'LN-4471'",
        "DELETE FROM loans WHERE loan_id = 'LN-4472'",
    )
    assert [row["reason"] for row in difference.tables["requests"].added] == ["wants it longer"]
    [changed] = difference.tables["loans"].changed
    assert changed.columns == ("borrower", "due")
    assert (changed.before["due"], changed.after["due"]) == ("2026-08-03", "2026-08-06")
    assert [row["loan_id"] for row in difference.tables["loans"].removed] == ["LN-4472"]
    assert difference.tables["loans"].count == 2
    assert StateDifference.model_validate_json(difference.model_dump_json()) == difference


def test_another_writing_of_a_value_is_no_change() -> None:
    assert not after("UPDATE loans SET due = 'August 3, 2026', fee = '0.00' WHERE loan_id = 'LN-4471'").tables


def test_a_value_of_an_untyped_column_is_compared_exactly() -> None:
    assert list(after("UPDATE loans SET borrower = 'ida brandt' WHERE loan_id = 'LN-4471'").tables) == ["loans"]


def test_generated_ids_and_times_are_ignored() -> None:
    seed: State = {"loans": [], "requests": [{"request_id": "A", "loan_id": "LN-1", "reason": "x", "made_at": "1"}]}
    final: State = {"loans": [], "requests": [{"request_id": "B", "loan_id": "LN1", "reason": "y", "made_at": "2"}]}
    assert not diff_state(seed, final, PACK.spec).tables


def test_two_equal_rows_are_two_rows() -> None:
    difference = after(REQUEST.format("REQ-0001", "now"), REQUEST.format("REQ-0002", "now"))
    assert len(difference.tables["requests"].added) == 2


def test_a_missing_table_is_missing_evidence() -> None:
    with pytest.raises(StoreError, match="'requests' is missing from the final state"):
        diff_state(SEED, {"loans": SEED["loans"]}, PACK.spec)


@given(st.permutations(range(4)), st.permutations(range(4)))
def test_the_order_of_rows_does_not_matter(left: list[int], right: list[int]) -> None:
    rows: list[JsonObject] = [{"loan_id": f"LN-{n}", "borrower": "B", "due": "2026-08-03", "fee": n} for n in range(4)]
    seed: State = {"loans": [rows[n] for n in left], "requests": []}
    final: State = {"loans": [rows[n] for n in right], "requests": []}
    assert not diff_state(seed, final, PACK.spec).tables
