"""Values in recognised speech: any shape of writing, and never another digit than was heard."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicebench.language.extract import extract, extract_all, spoken_ids
from voicebench.language.number_words import tag_numbers
from voicebench.language.slots import FactSpec, FactType

pytestmark = pytest.mark.unit

ORDER = FactSpec(type="id", question="?", format=r"KE-?\d{7}")
POSTAL = FactSpec(type="id", question="?", format=r"\d{5}")
CARD = FactSpec(type="id", question="?", format=r"\d{4}")
PHONE = FactSpec(type="phone", question="?")
NAME = FactSpec(type="name", question="?")

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@pytest.mark.parametrize(
    "heard",
    [
        "K-E-447-1860",
        "K E, 4 4 7 1 8 6 0",
        "KE4471860",
        "KE-4471860.",
        "KE 4,471,860",
        "K.E. four four seven one eight six zero",
        "It's K E, double four seven, one eight six oh.",
        "K. E. 4-4-7. 1-8-6-0",
        "kilo echo 4471860",
        "K as in kilo, E as in echo, 447, uh, 1860",
        "the number is K E forty four seventy one eight six zero, thanks",
        "Kay E 447 1860",
        "Kaye 447-1860",
        "Key, four four seven one eight six zero",
        "Keeie 447 1860",
        "My order number is 4471860 please",
        "The letters K and E, then four, four, seven, then one, eight, six, zero",
    ],
)
def test_an_order_number_is_found_in_any_shape(heard: str) -> None:
    assert extract(ORDER, heard) == ["KE4471860"]


@pytest.mark.parametrize(
    "heard",
    [
        "K E 447186",
        "K E 44718600",
        "PE4471860",
        "P E, 447 1860",
        "KE 447 and 1860",
        "541-447-1860",
        "nothing at all",
        "",
    ],
)
def test_a_number_that_does_not_fit_the_format_is_not_made_to_fit(heard: str) -> None:
    assert extract(ORDER, heard) == []


@pytest.mark.parametrize(
    ("spec", "heard", "value"),
    [
        (POSTAL, "9-7-0-0-5", "97005"),
        (POSTAL, "941-10", "94110"),
        (POSTAL, "nine four one, one zero", "94110"),
        (POSTAL, "97 double oh five", "97005"),
        (POSTAL, "It's this one: 94110.", "94110"),
        (POSTAL, "are you sure? a 94110", "94110"),
        (POSTAL, "nine four, then one, then one again, and then zero", "94110"),
        (CARD, "2-2-0-8", "2208"),
        (CARD, "twenty two oh eight", "2208"),
        (CARD, "ending in two two, zero eight", "2208"),
        (PHONE, "541-555-0146", "541-555-0146"),
        (PHONE, "541-5550-146", "541-555-0146"),
        (PHONE, "(541) 555 0146", "541-555-0146"),
        (PHONE, "+1 541 555 0146", "541-555-0146"),
        (PHONE, "five four one, five five five, zero one four six", "541-555-0146"),
        (PHONE, "five four one, triple five, oh one four six", "541-555-0146"),
    ],
)
def test_digits_are_found_however_they_were_grouped(spec: FactSpec, heard: str, value: str) -> None:
    assert extract(spec, heard) == [value]


@pytest.mark.parametrize(
    ("spec", "heard"),
    [
        (POSTAL, "9 4 1 1 0 0"),
        (POSTAL, "9 4 1 1"),
        (POSTAL, "KE4471860"),
        (POSTAL, "K E 4 4 7 1 8"),
        (CARD, "541-555-0146"),
        (CARD, "it costs $44.99"),
        (CARD, "on July 24, 2026"),
        (PHONE, "541-555-014"),
    ],
)
def test_digits_of_something_else_are_no_value(spec: FactSpec, heard: str) -> None:
    assert extract(spec, heard) == []


def test_formats_decide_when_a_text_holds_several_numbers() -> None:
    heard = "K E, four four seven, nine zero zero two. nine four one, one zero. two two, zero eight."
    assert extract(ORDER, heard) == ["KE4479002"]
    assert extract(POSTAL, heard)[0] == "94110"
    assert extract(CARD, heard)[0] == "2208"


@pytest.mark.parametrize(
    "heard",
    [
        "9 4 1 1 0 2 2 0 8",
        "941102208",
        "94110 2208",
        "941-10-2208",
        "nine four one, one zero, two two, zero eight",
        "nine four one, one zero two two, zero eight",
        "nine, four, one, one, zero, two, two, zero, eight",
        "nine four, then one, then one, then zero, two, then two again, then zero, then eight",
        "The zip is 94110 and the card ends in 2208",
        "2208. And 94110 is the zip",
    ],
)
def test_two_facts_share_the_digits_of_one_utterance(heard: str) -> None:
    assert extract_all({"postal": POSTAL, "card": CARD}, heard) == {"postal": ["94110"], "card": ["2208"]}


def test_the_order_asked_decides_only_where_the_text_does_not() -> None:
    asked = {"card": CARD, "postal": POSTAL}
    assert extract_all(asked, "9 4 1 1 0 2 2 0 8") == {"card": ["9411"], "postal": ["02208"]}
    assert extract_all(asked, "941-10-2208") == {"card": ["2208"], "postal": ["94110"]}


def test_no_digit_serves_two_facts() -> None:
    heard = "K E four four seven, nine zero zero two, and the zip is 94110"
    found = extract_all({"order": ORDER, "postal": POSTAL, "card": CARD, "phone": PHONE}, heard)
    assert found == {"order": ["KE4479002"], "postal": ["94110"], "card": [], "phone": []}


def test_digits_read_on_after_letters_are_shared_out_too() -> None:
    heard = "K E four, four, seven, nine, zero, zero, two, nine, four, one, one, zero"
    found = extract_all({"order": ORDER, "postal": POSTAL}, heard)
    assert found == {"order": ["KE4479002"], "postal": ["94110"]}


def test_four_facts_read_in_one_breath() -> None:
    heard = (
        "Kilo, Echo, four four, seven nine, zero zero, two, five four one, five five five, zero one, four six, "
        "nine four, one one zero, two, two zero, eight"
    )
    asked = {"order": ORDER, "phone": PHONE, "postal": POSTAL, "card": CARD}
    assert {name: values[0] for name, values in extract_all(asked, heard).items()} == {
        "order": "KE4479002",
        "phone": "541-555-0146",
        "postal": "94110",
        "card": "2208",
    }


def test_a_spelled_name_does_not_swallow_the_order_number() -> None:
    heard = "Tomas, and then Ferreira, spelled F E R R E I R A, K, E, four, four, seven, nine, zero, zero, two"
    assert extract_all({"name": NAME, "order": ORDER}, heard) == {"name": ["Tomas Ferreira"], "order": ["KE4479002"]}
    phone = extract_all(
        {"name": NAME, "phone": PHONE}, "Tomas, T O M A S, five four one, five five five, zero one four six"
    )
    assert phone == {"name": ["Tomas"], "phone": ["541-555-0146"]}


def test_when_one_of_two_was_lost_the_place_tells_which_was_heard() -> None:
    heard = "nine four one zero, two two zero eight"
    assert extract_all({"postal": POSTAL, "card": CARD}, heard)["card"][0] == "2208"


def test_an_id_without_a_format_is_letters_before_digits() -> None:
    assert spoken_ids("my member id is A B 1 2 3, thanks", None) == ["AB123"]


groupings = st.lists(st.tuples(st.integers(1, 7), st.sampled_from([" ", "-", ", "])), min_size=7, max_size=7)


def grouped(digits: str, cuts: list[tuple[int, str]]) -> str:
    """Return digits in groups of the given lengths."""
    text, at = "", 0
    for length, mark in cuts:
        text += digits[at : at + length] + mark
        at += length
        if at >= len(digits):
            break
    return text.strip(" ,-")


@settings(max_examples=150)
@given(
    st.from_regex(r"[0-9]{7}", fullmatch=True), groupings, st.sampled_from(["KE", "K E", "K-E", "K, E,", "kilo echo"])
)
def test_written_digits_survive_any_grouping(digits: str, cuts: list[tuple[int, str]], letters: str) -> None:
    assert extract(ORDER, f"Sure, it is {letters} {grouped(digits, cuts)}.")[:1] == [f"KE{digits}"]


@settings(max_examples=150)
@given(st.from_regex(r"[0-9]{5}", fullmatch=True), st.lists(st.sampled_from([" ", ", "]), min_size=5, max_size=5))
def test_spoken_digits_survive_any_pauses(digits: str, gaps: list[str]) -> None:
    spoken = "".join(WORDS[int(digit)] + gap for digit, gap in zip(digits, gaps, strict=True))
    assert extract(POSTAL, f"My code is {spoken}okay?") == [digits]


@settings(max_examples=100)
@given(st.from_regex(r"[0-9]{5}", fullmatch=True), st.integers(0, 4), st.integers(1, 9))
def test_another_digit_is_followed_not_corrected(digits: str, at: int, by: int) -> None:
    other = digits[:at] + str((int(digits[at]) + by) % 10) + digits[at + 1 :]
    assert extract(POSTAL, " ".join(other)) == [other]


@pytest.mark.parametrize(
    ("heard", "name"),
    [
        ("my name is Tomas Ferreira", "Tomas Ferreira"),
        ("Tomas, T O M A S, Ferreira, F E R R E I R A", "Tomas Ferreira"),
        ("Tomas, and the last name is Ferreira, F E R R E I R A", "Tomas Ferreira"),
        ("Tomas T-O-M-A-S Ferreira F-E-R-R-E-I-R-A.", "Tomas Ferreira"),
        ("Sure, Thomas Farrah, F-E-R-R-E-I-R-A.", "Thomas Ferreira"),
        ("My name is Tomas, that's T-O-M-A-S, last name Ferreira.", "Tomas Ferreira"),
        ("Tomas, and then Ferreira, spelled Foxtrot, Echo, Romeo, Romeo, Echo, India, Romeo, Alpha", "Tomas Ferreira"),
        ("T as in tango O M A S Ferreira", "Tomas Ferreira"),
        ("It's Tomas Ferreira, order K E 447 1860", "Tomas Ferreira"),
        ("This is Grace Okonkwo and my order is KE 4471860", "Grace Okonkwo"),
        ("grace okonkwo", "Grace Okonkwo"),
        ("Grace O'Connor", "Grace O'Connor"),
        ("Grace Kelly, Kilo Echo Lima Lima Yankee", "Grace Kelly"),
        ("Yes, Tomas Ferreira, and the phone is five four one", "Tomas Ferreira"),
    ],
)
def test_a_name_is_taken_as_spelled_or_as_heard(heard: str, name: str) -> None:
    assert extract(NAME, heard)[0] == name


def test_a_sentence_without_a_name_holds_none() -> None:
    assert extract(NAME, "I'm calling about an order that never came") == []


@pytest.mark.parametrize(
    ("type", "heard", "values"),
    [
        ("date", "August third", ["--08-03"]),
        ("date", "2026-08-03 or August 4th, 2026", ["2026-08-03", "2026-08-04"]),
        ("date", "February thirtieth", []),
        ("number", "forty four ninety nine", ["44.99", "4499"]),
        ("number", "two of them for $44.99", ["44.99", "2"]),
        ("number", "one hundred fifty dollars", ["150"]),
        ("number", "just one", ["1"]),
        ("bool", "No, I don't think so", ["false"]),
        ("bool", "That's right", ["true"]),
        ("bool", "that's not right", ["false"]),
        ("bool", "Yes, no problem", ["true"]),
        ("bool", "Maybe", []),
        ("prose", " it will not charge ", ["it will not charge"]),
    ],
)
def test_other_types(type: FactType, heard: str, values: list[str]) -> None:
    assert extract(FactSpec(type=type, question="?"), heard) == values


def test_a_date_without_a_year_is_placed_near_today() -> None:
    spec = FactSpec(type="date", question="?")
    assert extract(spec, "December 30th", today=dt.date(2026, 1, 5)) == ["2025-12-30"]


def test_choices_are_found_in_the_order_spoken() -> None:
    spec = FactSpec(type="enum", question="?", choices=["bench", "mail_in", "home"])
    assert extract(spec, "Mail in, or a bench slot") == ["mail_in", "bench"]


@settings(max_examples=100)
@given(st.text(alphabet="KEke 0123456789,.-abotwen'$\n", max_size=60))
def test_whatever_was_heard_a_value_holds_only_digits_that_were_heard(heard: str) -> None:
    for spec, values in zip((ORDER, CARD), extract_all({"order": ORDER, "card": CARD}, heard).values(), strict=True):
        for value in values:
            assert re.fullmatch(spec.format or "", value)
            assert "".join(re.findall(r"\d", value)) in digits_of(heard)


def digits_of(heard: str) -> str:
    """Return every digit of a text in order, number words included."""
    return "".join(re.sub(r"\D", "", token.text) for token in tag_numbers(heard) if token.number)
