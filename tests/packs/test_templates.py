from __future__ import annotations

from typing import Any

import pytest

from voicebench.packs.templates import (
    Unresolved,
    as_written,
    choose_arguments,
    expand,
    fact_of,
    facts_in,
    fill,
    in_words,
    tools_in,
)
from voicebench.record.json_types import JsonObject
from voicebench.verify.arguments import agree, compare_arguments

pytestmark = pytest.mark.unit

FACTS = {"order": "KE-1", "city": "Columbus"}
BOOKED: JsonObject = {"fee": 25, "slots": [{"day": "2026-08-06"}], "spoken_fee": "25 dollars"}
RESULTS: dict[str, JsonObject] = {"book": {"ok": True, "data": BOOKED}}


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("$fact.order", "KE-1"),
        ("$result.book.data.fee", 25),
        ("$result.book.data.slots.0.day", "2026-08-06"),
        ("$result.book.data.slots", [{"day": "2026-08-06"}]),
        ("re $fact.order, $fact.city.", "re KE-1, Columbus."),
        ("$fact.order.", "KE-1."),
        ("The fee is $result.book.data.spoken_fee. Is $25 all right?", "The fee is 25 dollars. Is $25 all right?"),
        (["$fact.order", {"deep": "$result.book.data.fee"}], ["KE-1", {"deep": 25}]),
        ({"one_of": [None, "$fact.city"]}, {"one_of": [None, "Columbus"]}),
        ({"any": True}, {"any": True}),
        (25, 25),
        (None, None),
    ],
)
def test_a_reference_is_replaced_also_within_a_longer_text(template: Any, value: Any) -> None:
    assert expand(template, FACTS, RESULTS) == value


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("$fact.phone", "the fact 'phone' is not known"),
        ("re $fact.phone", "the fact 'phone' is not known"),
        ("$result.cancel.data.fee", "cancel has not been called"),
        ("$result.book.data.price", "$result.book.data.price is nowhere in an earlier answer"),
        ("$result.book.data.slots.7.day", "$result.book.data.slots.7.day is nowhere in an earlier answer"),
        ("$result.book.data.fee.cents", "$result.book.data.fee.cents is nowhere in an earlier answer"),
        ("$result.book", "$result.book is nowhere in an earlier answer"),
    ],
)
def test_a_reference_that_leads_nowhere_is_not_guessed(template: str, why: str) -> None:
    found = expand([template], FACTS, RESULTS)[0]
    assert isinstance(found, Unresolved)
    assert (str(found), as_written(found)) == (why, template)
    assert not agree(None, found, template).equal
    with pytest.raises(Unresolved, match=why.replace("$", r"\$")):
        choose_arguments({"order": template}, {}, FACTS, RESULTS)


def test_a_value_is_never_read_as_a_reference() -> None:
    assert fill("$fact.a $fact.b", {"a": "$fact.b", "b": "$result.book.data.fee"}, RESULTS) == (
        "$fact.b $result.book.data.fee"
    )


def test_results_that_were_guessed_serve_where_the_calls_own_have_nothing() -> None:
    refused: dict[str, JsonObject] = {"book": {"ok": False, "data": None}}
    assert expand("$result.book.data.fee", FACTS, refused, RESULTS) == 25
    assert expand("$result.book.ok", FACTS, refused, RESULTS) is False


def test_the_verifier_wants_the_text_that_the_reference_agent_gives() -> None:
    template: JsonObject = {
        "note": "order $fact.order costs $result.book.data.fee",
        "id": {"one_of": ["$fact.order", "x"]},
    }
    given = choose_arguments(template, {}, FACTS, RESULTS)
    assert given == {"note": "order KE-1 costs 25", "id": "KE-1"}
    rows = compare_arguments(template, given, {}, FACTS, RESULTS)
    assert [(row.name, row.equal, row.gates) for row in rows] == [("note", True, True), ("id", True, True)]


@pytest.mark.parametrize(
    ("template", "schema", "value"),
    [
        ("25", {"type": "number"}, 25),
        ("1,200", {"type": "integer"}, 1200),
        ("25.50", {"type": "number"}, 25.5),
        ("25", {"anyOf": [{"type": "null"}, {"type": "number"}]}, 25),
        ("a few", {"type": "integer"}, "a few"),
        ("yes", {"type": "boolean"}, True),
        ("false", {"type": ["boolean", "null"]}, False),
        ("25", {"type": "string"}, "25"),
        ({"any": True}, {}, "I have moved."),
        ({"one_of": ["$fact.city", "$fact.phone"]}, {}, "Columbus"),
    ],
)
def test_a_call_gets_one_value_with_the_type_that_its_schema_asks_for(template: Any, schema: Any, value: Any) -> None:
    made = choose_arguments({"it": template}, {"it": schema}, FACTS, RESULTS, words="I have moved.")
    assert made == {"it": value}


def test_null_leaves_an_argument_out() -> None:
    assert choose_arguments({"a": None, "b": {"one_of": [None, "x"]}, "c": "y"}, {}, {}) == {"c": "y"}


def test_what_a_template_needs() -> None:
    template = {"a": {"one_of": ["$fact.x", "$fact.y $result.look.data.a"]}, "b": ["$result.find.data.b", "$fact.x"]}
    assert facts_in(template) == ["x"]
    assert tools_in(template) == ["look", "find"]
    assert [fact_of(value) for value in ("$fact.x", "re $fact.x", "$result.find.data.b", 3)] == ["x", None, None, None]


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ("KE-1", '"KE-1"'),
        (25, "25"),
        (None, "null"),
        ({"any": True}, "any value"),
        ({"one_of": [None, "2026-08-03"]}, 'null or "2026-08-03"'),
        ("$result.book.data.booking", "the booking of book"),
        ("$result.book", "the result of book"),
        ("$fact.order", "the caller's order"),
        ("re $fact.order", '"re $fact.order"'),
        (["a", "b"], '["a", "b"]'),
    ],
)
def test_an_expected_value_in_words(expected: Any, words: str) -> None:
    assert in_words(expected) == words
