"""Typed comparison, and the rule that it names."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicebench.language.compare import compare_values
from voicebench.language.slots import FactType
from voicebench.language.values import canonical_number
from voicebench.packs import same_id, same_name, same_phone

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("type", "expected", "actual"),
    [
        ("id", "KE-4471860", "KE4471860"),
        ("id", "KE-4471860", "k e four four seven, one eight six oh"),
        ("id", "0225", "02-25"),
        ("phone", "541-555-0146", "+1 (541) 555 0146"),
        ("phone", "541-555-0146", "five four one five five five zero one four six"),
        ("date", "2026-08-03", "August 3, 2026"),
        ("date", "2026-08-03", "August third"),
        ("number", "25", 25.0),
        ("number", "44.99", "$44.99"),
        ("number", "44.99", "forty-four dollars and ninety-nine cents"),
        ("enum", "marketplace_seller", "Marketplace-Seller"),
        ("bool", True, 1),
        ("bool", "true", True),
        ("name", "Tomas Ferreira", "Thomas Ferrera"),
        ("name", "Tomas Ferreira", "Thomas Farrah"),
        ("name", "Tomas Ferreira", "T O M A S, Ferreira"),
        ("name", "Grace Okonkwo", "Ms. Grace Ada Okonquo"),
        (None, "25", 25.0),
        (None, "cancelled", "cancelled"),
        (None, None, None),
        ("id", None, None),
    ],
)
def test_equal(type: FactType | None, expected: Any, actual: Any) -> None:
    assert compare_values(type, expected, actual).equal


@pytest.mark.parametrize(
    ("type", "expected", "actual"),
    [
        ("id", "KE-4471860", "KE4471861"),
        ("id", "0225", "225"),
        ("id", "KE-4471860", ""),
        ("phone", "541-555-0146", "541-555-0147"),
        ("date", "2026-08-03", "2026-08-04"),
        ("date", "2026-08-03", "August third, 2025"),
        ("date", "2026-08-03", "first available"),
        ("number", "25", 25.01),
        ("number", "44.99", True),
        ("enum", "marketplace_seller", "seller"),
        ("bool", False, None),
        ("bool", "false", "maybe"),
        ("name", "Tomas Ferreira", "Tomas Okonkwo"),
        ("name", "Tomas Ferreira", "Grace Ferreira"),
        ("name", "Tomas Ferreira", "Tomas"),
        ("name", "Tomas Ferreira", ""),
        (None, "cancelled", "Cancelled"),
        (None, "0225", "225"),
        ("prose_is_free", "a", None),
    ],
)
def test_different(type: FactType | None, expected: Any, actual: Any) -> None:
    assert not compare_values(None if type == "prose_is_free" else type, expected, actual).equal  # type: ignore[comparison-overlap]


def test_the_rule_says_what_decided() -> None:
    assert compare_values("id", "KE-4471860", "KE4471860").rule == "id: KE4471860 = KE-4471860"
    assert compare_values("number", "25", 26).rule == "number: 26 ≠ 25"
    assert compare_values("bool", True, None).rule == "bool: null ≠ true"
    assert compare_values("prose", "it will not charge", "charging trouble").rule == "prose: not compared"


def test_an_empty_value_equals_nothing_not_even_itself() -> None:
    assert not same_id("", "")
    assert not same_phone("none", "none")
    assert not same_name("", "")


@given(st.decimals(min_value=0, max_value=10**6, places=2), st.booleans())
def test_a_number_equals_itself_however_written(value: Any, money: bool) -> None:
    assert canonical_number(f"${value}" if money else float(value)) == value


@given(st.from_regex(r"[A-Z]{2}[0-9]{7}", fullmatch=True))
def test_an_id_equals_itself_spaced_and_hyphenated(value: str) -> None:
    assert same_id(value, " ".join(value))
    assert same_id(value, "-".join(value.lower()))
