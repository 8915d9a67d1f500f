from __future__ import annotations

import pytest

from voicebench.language.name_mentions import without_introductions
from voicebench.language.readback import ReadBack, read_backs
from voicebench.language.slots import Fact, FactSpec

pytestmark = pytest.mark.unit

SPECS = {
    "full_name": FactSpec(type="name", question="?"),
    "order_number": FactSpec(type="id", question="?", format=r"KE\d{7}"),
    "phone": FactSpec(type="phone", question="?", format=r"\d{10}"),
    "postal_code": FactSpec(type="id", question="?", format=r"\d{5}"),
    "card_last4": FactSpec(type="id", question="?", format=r"\d{4}"),
    "delivery_date": FactSpec(type="date", question="?"),
    "date_of_birth": FactSpec(type="date", question="?"),
}
VALUES = {
    "full_name": "Marcus Delgado",
    "order_number": "KE-4502316",
    "phone": "503-555-0178",
    "postal_code": "60614",
    "card_last4": "7351",
    "delivery_date": "2026-08-06",
    "date_of_birth": "1979-02-16",
}
FACTS = {name: Fact(value=value, forms=[value] * 3) for name, value in VALUES.items()}


def heard(text: str, *expected: str, given: tuple[str, ...] = ()) -> ReadBack:
    return read_backs(text, FACTS, SPECS, expected, given)


@pytest.mark.parametrize(
    "text",
    [
        "I'm Robin from Kestrel, may I have your name?",
        "Hi, I\u2019m Robin Miller with Kestrel Electronics. What's your full name?",
        "I am Robin Miller, and I need your name, please.",
        "Hello, this is Robin Miller. Who am I speaking with?",
        "This is Robin Miller from the front desk, can I get your first and last name?",
        "My name is Robin Miller, what is your name, please?",
        "My name's Robin Miller and I'll be helping you. Your name?",
        "Thank you for calling Kestrel Electronics, may I have your first and last name?",
        "Welcome to Kestrel Electronics, what's your name?",
        "You're speaking with Robin Miller, may I have your name?",
        "You've reached Kestrel Electronics. Could I get your full name?",
        "Robin Miller here, can I get your name?",
        "Robin speaking, how can I help, and what's your name?",
        "Hi, it's Robin Miller from Kestrel Electronics. Your name, please?",
        "Call me Robin. And what is your name?",
        "That's Kestrel Care, which covers it. Would you like that?",
        "Thanks, Marcus. Is that right?",
    ],
)
def test_a_name_by_which_the_agent_introduces_itself_is_no_read_back(text: str) -> None:
    back = heard(text, "full_name")

    assert (back.right, back.wrong) == (frozenset(), {})


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("So your name is Robin Miller, is that right?", "Robin Miller"),
        ("Is Robin Miller your full name?", "Robin Miller"),
        ("Am I speaking with Robin Miller?", "Robin Miller"),
        ("I have you down as Robin Miller, correct?", "Robin Miller"),
        ("Did you say Robin Miller?", "Robin Miller"),
        ("And this is Robin Miller?", "Robin Miller"),
        ("So that's Robin Miller, right?", "Robin Miller"),
        ("Was that Markus Delgardo?", "Markus Delgardo"),
        ("My name is Robin, and you're Marco Delgano, is that right?", "Marco Delgano"),
        ("You spelled that as R-O-B-I-N, is that correct?", "Robin"),
    ],
)
def test_another_name_in_the_place_of_the_callers_is_wrong(text: str, name: str) -> None:
    back = heard(text, "full_name")

    assert (back.right, back.wrong) == (frozenset(), {"full_name": name})


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Is that Marcus Delgado?", "full_name"),
        ("And this is Marcus Delgado, correct?", "full_name"),
        ("ending in three one six?", "order_number"),
        ("So the last four are two three one six, correct?", "order_number"),
        ("Does it start with four five oh?", "order_number"),
        ("Is that the one that begins with KE four five zero?", "order_number"),
        ("Zero one seven eight?", "phone"),
        ("The phone number with five zero three at the beginning, ending in 0178, is that correct?", "phone"),
        ("And the ZIP is 6 0 6 1 4, right?", "postal_code"),
        ("The card that ends in seven three five one?", "card_last4"),
        ("Thursday the sixth, is that right?", "delivery_date"),
        ("So the sixth?", "delivery_date"),
        ("You said August 6th?", "delivery_date"),
        ("Born February 16, 1979, correct?", "date_of_birth"),
    ],
)
def test_a_value_or_a_part_of_it_is_read_back_right(text: str, name: str) -> None:
    back = heard(text, name)

    assert (name in back.right, back.wrong, back.confirm) == (True, {}, True)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("So that is KE-4502317, is that right?", "order_number", "KE4502317"),
        ("The one ending in four zero two?", "order_number", "402"),
        ("Starting with four six, right?", "order_number", "46"),
        ("Got it, K E four five zero two three one, is that right?", "order_number", "450231"),  # the last one left out
        ("So that's KE 450 316?", "order_number", "450316"),  # a digit in the middle
        ("KE-450-2-3-1-6-6, correct?", "order_number", "45023166"),  # one too many
        ("I have K E 4 5 0 2 3 6 1.", "order_number", "KE4502361"),  # two swapped
        ("So five zero three, five five five, zero one eight seven?", "phone", "503-555-0187"),
        ("Five zero three, zero one seven eight, did I get that right?", "phone", "5030178"),  # a group left out
        ("The card ends in seven three one five?", "card_last4", "7315"),
        ("And the ZIP is 60641, right?", "postal_code", "60641"),
        ("Thursday the seventh, is that right?", "delivery_date", "--08-07"),
        ("You'd like it on August 7th, correct?", "delivery_date", "--08-07"),
        ("February sixteenth nineteen seventy-eight, is that right?", "date_of_birth", "1978-02-16"),
    ],
)
def test_a_slip_is_read_back_wrong(text: str, name: str, value: str) -> None:
    back = heard(text, name)

    assert (name in back.right, back.wrong) == (False, {name: value})


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("I have Marcus Delgado and order KE-4502316, is that right?", {"full_name", "order_number"}, set()),
        ("I have Marcus Delgado and order KE-4502317, is that right?", {"full_name"}, {"order_number"}),
        ("I have Robin Miller and order KE-4502316, is that right?", {"order_number"}, {"full_name"}),
        ("So ZIP 60614 and the card ends in 7315, is that right?", {"postal_code"}, {"card_last4"}),
        ("So ZIP 60641 and the card ends in 7315, is that right?", set(), {"postal_code", "card_last4"}),
    ],
)
def test_of_two_values_each_is_right_or_wrong_by_itself(text: str, right: set[str], wrong: set[str]) -> None:
    back = heard(text, *right, *wrong)

    assert (back.right, set(back.wrong)) == (frozenset(right), wrong)


def test_what_was_given_before_is_expected_where_the_agent_asks_whether_all_is_right() -> None:
    recap = "Let me confirm: order KE-4502317, delivery on August 6."

    assert heard(recap, "delivery_date", given=("order_number", "delivery_date")).wrong == {"order_number": "KE4502317"}
    assert heard(recap, "delivery_date").wrong == {}
    assert heard("I found KE-4502317 as well.", "delivery_date", given=("order_number",)).wrong == {}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Your appointment is on August 9th, is that right?", "date_of_birth"),
        ("I see three orders from 2024, is that right?", "order_number"),
        ("It costs 4502 dollars, is that right?", "order_number"),
        ("Your phone is 503-555-0178, is that right?", "card_last4"),
        ("It takes 5 days, is that okay?", "postal_code"),
        ("We open at 9 30, is that right?", "phone"),
    ],
)
def test_other_numbers_are_no_slips(text: str, name: str) -> None:
    assert heard(text, name).wrong == {}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Is it KE-4502316 or KE-4502399?", "order_number"),
        ("We have August 5, August 6 and August 7, which one?", "delivery_date"),
    ],
)
def test_a_value_offered_beside_others_is_no_read_back(text: str, name: str) -> None:
    assert heard(text, name).offered == {name}
    assert heard("You said August 6th?", "delivery_date").offered == frozenset()


def test_an_introduction_is_cut_out_and_nothing_else() -> None:
    text = "Hi, this is Robin Miller from Kestrel. Am I speaking with Marcus Delgado? Is this his order?"

    assert without_introductions(text) == "Hi,  ,. Am I speaking with Marcus Delgado? Is this his order?"
