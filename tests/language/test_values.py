"""Values are read whole or not at all: never as another number, never as another name."""

from __future__ import annotations

from decimal import Decimal

import pytest

from voicebench.language.itn import normalise
from voicebench.language.names import names_in
from voicebench.language.values import (
    canonical_date,
    canonical_enum,
    canonical_id,
    canonical_number,
    canonical_phone,
    same_name,
)

pytestmark = pytest.mark.unit

MARIYA, OTHER_MARIYA = (
    "\u041c\u0430\u0440\u0438\u044f \u041f\u0435\u0442\u0440\u043e\u0432\u0430",
    ("\u041c\u0430\u0440\u0438\u044f \u0418\u0432\u0430\u043d\u043e\u0432\u0430"),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2\u00bd", "2.5"),
        ("\u00bd", "0.5"),
        ("two and a half", "2.5"),
        ("one and a half", "1.5"),
        ("two and three quarters", "2.75"),
        ("half a dollar", "0.5"),
        ("a quarter", "0.25"),
        ("minus five", "-5"),
        ("negative 12.50", "-12.5"),
        ("\u22125", "-5"),
        ("-$5", "-5"),
        ("$-5", "-5"),
        ("minus two and a half", "-2.5"),
        ("thirty-five dollars", "35"),
        ("$1,234.56", "1234.56"),
        ("44.99 USD", "44.99"),
        ("five point five", "5.5"),
        ("five hundred thousand", "500000"),
    ],
)
def test_numbers_are_read_with_their_sign_and_their_fraction(text: str, value: str) -> None:
    assert canonical_number(text) == Decimal(value)


@pytest.mark.parametrize(
    "text",
    [
        *("one third", "3/4", "8/3", "1.000,50", "10 000", "5k", "2x", "two dozen", "five or six", "5-6", "5\u20136"),
        *(
            "1.5 million",
            "(5)",
            "\u00b2",
            "2\u00b2",
            "0x10",
            "point five",
            "10:30",
            "two thirds",
            "\u4e94",
            "a half dozen",
        ),
    ],
)
def test_what_cannot_be_read_is_no_number(text: str) -> None:
    assert canonical_number(text) is None


def test_fractions_do_not_join_the_digits_before_them() -> None:
    assert normalise("2\u00bd hours, 1\u00bc, 30 m\u00b2") == "2 and a half hours 1 and a quarter 30 m squared"


@pytest.mark.parametrize(
    "text", ["9" * 5_000, "nine " * 3_000, "9" * 5_000 + " dollars", "9" * 5_000 + "th", "August " + "9" * 5_000]
)
def test_endless_digits_are_a_value_like_any_other(text: str) -> None:
    number = canonical_number(text)
    assert number is None or len(number.as_tuple().digits) >= 3_000
    assert len(canonical_id(text)) >= 3_000
    assert len(canonical_enum(text)) >= 3_000
    assert len(canonical_phone(text)) in (0, 3_000, 5_000)
    assert canonical_date(text) is None
    assert same_name(text, text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\u0141ukasz Nowak", "Lukasz Nowak"),
        ("S\u00f8ren Strau\u00df", "Soren Strauss"),
        ("\u0110\u1eb7ng Th\u1ecb H\u00e0", "Dang Thi Ha"),
        ("Maria De la Cruz", "Maria Delacruz"),
        ("Maria de la Cruz", "Maria Cruz"),
        ("Anna van der Berg", "Anna Vanderberg"),
        ("Sean O Brien", "Sean O'Brien"),
        ("Sammy Davis Jr.", "Sammy Davis"),
        ("Henry Ford III", "Dr. Henry Ford"),
        (
            MARIYA,
            MARIYA.lower(),
        ),
        ("\u738b \u5c0f\u660e", "\u738b \u5c0f\u660e"),
    ],
)
def test_names_of_all_kinds_equal_themselves_however_they_are_written(one: str, other: str) -> None:
    assert same_name(one, other)
    assert same_name(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dana Whitfield", "Dana Whitford"),
        ("Dana", "Dana Whitfield"),
        ("Maria de la Cruz", "Maria de la Torre"),
        (
            MARIYA,
            OTHER_MARIYA,
        ),
        ("\u738b \u5c0f\u660e", "\u674e \u5c0f\u660e"),
        ("Henry Ford Jr.", "Henry Jr."),
    ],
)
def test_other_names_stay_other_names(one: str, other: str) -> None:
    assert not same_name(one, other)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My name is Maria de la Cruz.", "Maria De La Cruz"),
        ("It's Anna van der Berg, and the number is five.", "Anna Van Der Berg"),
        ("my name is \u0141ukasz Nowak", "Lukasz Nowak"),
        ("My name is Dana Whitfield and I call about my order", "Dana Whitfield"),
    ],
)
def test_names_with_small_words_are_taken_whole(text: str, name: str) -> None:
    assert names_in(text)[0] == name
