"""Values in the words in which they are spoken."""

from __future__ import annotations

import datetime as dt

import pytest

from voicebench.language.itn import normalise
from voicebench.packs import spoken_date, spoken_day, spoken_list, spoken_money, spoken_number, spoken_when

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "zero"),
        (13, "thirteen"),
        (20, "twenty"),
        (81, "eighty-one"),
        (300, "three hundred"),
        (1015, "one thousand fifteen"),
        (250_090, "two hundred fifty thousand ninety"),
    ],
)
def test_numbers(value: int, words: str) -> None:
    assert spoken_number(value) == words


@pytest.mark.parametrize("value", [-1, 1_000_000])
def test_numbers_that_have_no_words_are_refused(value: int) -> None:
    with pytest.raises(ValueError, match=str(value)):
        spoken_number(value)


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (0, "zero dollars"),
        (1.01, "one dollar and one cent"),
        (44.85, "forty-four dollars and eighty-five cents"),
        (44.999, "forty-five dollars"),
        (1199.5, "one thousand one hundred ninety-nine dollars and fifty cents"),
    ],
)
def test_money(amount: float, words: str) -> None:
    assert spoken_money(amount) == words


@pytest.mark.parametrize("amount", [0.07, 7.27, 89.1, 112.35, 141.73, 636.65, 1849.0])
def test_what_is_spoken_is_understood_as_the_same_amount(amount: float) -> None:
    assert normalise(spoken_money(amount)) == f"{amount:.2f} dollars".replace(".00", "")


def test_days() -> None:
    assert spoken_day(dt.date(2026, 8, 6)) == "Thursday, August sixth"
    assert spoken_day(dt.date(2026, 8, 31)) == "Monday, August thirty-first"
    assert spoken_date(dt.date(2027, 4, 22)) == "April twenty-second, twenty twenty-seven"
    assert spoken_date(dt.date(2005, 1, 1)) == "January first, two thousand five"
    assert spoken_date(dt.date(1907, 1, 1)) == "January first, nineteen oh seven"
    assert normalise(spoken_date(dt.date(2027, 4, 22))) == "april 22 2027"


def test_hours() -> None:
    hours = {0: "twelve in the morning", 10: "ten in the morning", 12: "twelve in the afternoon"}
    hours |= {17: "five in the afternoon", 18: "six in the evening"}
    for hour, words in hours.items():
        assert spoken_when(dt.datetime(2026, 8, 3, hour, tzinfo=dt.UTC)) == f"Monday, August third, at {words}"


def test_lists() -> None:
    assert [spoken_list(parts) for parts in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a, and b",
        "a, b, and c",
    ]
