"""Arguments side by side: which values agree, which row of a step is a miss, and the rule that each one names."""

from __future__ import annotations

from typing import Any

import pytest

from voicebench.language.slots import FactType
from voicebench.record.json_types import JsonValue
from voicebench.record.verdict import ArgumentRow
from voicebench.verify.arguments import agree, compare_arguments

pytestmark = pytest.mark.unit

TYPES: dict[str, FactType] = {"order": "id", "fee": "number", "issue": "prose"}


def compared(expected: dict[str, Any], actual: dict[str, Any]) -> dict[str, ArgumentRow]:
    return {row.name: row for row in compare_arguments(expected, actual, TYPES, {"order": "KE-1"}, {})}


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (["KE-1", "KE-2"], ["KE-1"]),
        (["KE-1"], ["KE-1", "KE-2"]),
        (["KE-1", "KE-1"], ["KE-1"]),
        ([], ["KE-1"]),
        (["KE-1"], []),
    ],
)
def test_a_list_with_more_or_fewer_items_is_another_list(expected: JsonValue, actual: JsonValue) -> None:
    assert not agree("id", expected, actual).equal


@pytest.mark.parametrize(("expected", "actual"), [("ab", ["a", "b"]), (["a", "b"], "ab"), ("a", ["a"]), (["a"], "a")])
def test_a_list_and_a_single_value_do_not_agree(expected: JsonValue, actual: JsonValue) -> None:
    assert not agree(None, expected, actual).equal


def test_the_rule_of_a_list_shows_both_and_by_what_type_its_items_were_compared() -> None:
    assert agree("id", ["KE-1", "KE-2"], ["ke2", "ke1"]).rule == (
        "list of id, in any order: ['ke2', 'ke1'] = ['KE-1', 'KE-2']"
    )
    assert agree(None, ["a"], ["b"]).rule == "list of exact, in any order: ['b'] ≠ ['a']"


def test_where_no_option_agrees_the_first_one_is_named() -> None:
    outcome = agree("id", {"one_of": ["KE-1", "KE-2"]}, "KE-3")
    assert (outcome.equal, outcome.rule) == (False, "id: KE-3 ≠ KE-1")


def test_one_of_nothing_agrees_with_nothing() -> None:
    assert not agree("id", {"one_of": []}, "KE-1").equal
    assert not agree(None, {"one_of": []}, None).equal


def test_each_argument_that_is_another_or_left_out_is_missed() -> None:
    rows = compared({"order": "$fact.order", "fee": "25", "colour": "red"}, {"order": "ke1", "fee": 26})
    assert {name: (row.equal, row.gates, row.missed) for name, row in rows.items()} == {
        "order": (True, True, False),
        "fee": (False, True, True),
        "colour": (False, True, True),
    }
    assert rows["colour"].rule == "exact: not given"


def test_an_argument_that_is_not_compared_is_no_disagreement() -> None:
    rows = compared({"issue": "will not charge"}, {"issue": "battery dead", "fee": 3})
    assert {name: (row.equal, row.gates, row.missed) for name, row in rows.items()} == {
        "issue": (True, False, True),
        "fee": (True, False, False),
    }


def test_any_free_words_do_and_so_does_one_of_several() -> None:
    assert not compared({"issue": {"any": True}}, {"issue": "battery dead"})["issue"].missed
    several = {"issue": {"one_of": ["will not charge", "battery dead"]}}
    assert not compared(several, {"issue": "Battery  dead"})["issue"].missed
    assert compared(several, {"issue": "broken"})["issue"].missed
