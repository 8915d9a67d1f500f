"""Values read back to the scripted callers of three packs: confirmed, put right each by itself, or given again."""

from __future__ import annotations

import pytest

from voicebench.caller.policy import CallerDecision
from voicebench.caller.scripted import ScriptedCaller
from voicebench.packs import load_pack

pytestmark = pytest.mark.unit

PACKS = {"T1-E1": "customer_support", "H1-E1": "healthcare", "L1-E1": "legal", "L4-E1": "legal"}
GIVEN = {
    "T1-E1": ("full_name", "order_number", "postal_code", "card_last4", "delivery_date"),
    "H1-E1": ("full_name", "date_of_birth", "phone"),
    "L1-E1": ("full_name", "other_party"),
    "L4-E1": ("matter_number", "date_of_birth", "phone_code"),
}
YES = "Yes, that's right."


def answered(task: str, text: str) -> CallerDecision:
    """Return what a caller that has given its details answers to a turn."""
    pack = load_pack(PACKS[task])
    caller = ScriptedCaller(pack.tasks[task].caller, pack.spec)
    for name in GIVEN[task]:
        caller.hear(pack.spec.facts[name].question)
    return caller.hear(text)


def said(decision: CallerDecision) -> tuple[str, set[str]]:
    """Return the words and the facts of a decision, "" for a wait."""
    if decision.utterance is None:
        return "", set()
    return decision.utterance.intended, {one.name for one in decision.utterance.facts}


@pytest.mark.parametrize(
    ("task", "text", "facts"),
    [
        ("T1-E1", "So I've got Deanna Whitfield and zip 60614, is that correct?", {"full_name"}),
        ("T1-E1", "Dora Whitfield?", {"full_name"}),
        ("T1-E1", "And your last name is Winters, right?", {"full_name"}),
        ("T1-E1", "Last name Winston?", {"full_name"}),
        ("T1-E1", "Zip 60614, and the card is seven three five four?", {"card_last4"}),
        ("T1-E1", "I have zip 60641 and card 7351.", {"postal_code"}),
        ("T1-E1", "Zip 60615 and card 7315, did I get that right?", {"postal_code", "card_last4"}),
        ("T1-E1", "I see a card that ends in 7531, is that yours?", {"card_last4"}),
        ("T1-E1", "KE 4502 361?", {"order_number"}),
        ("T1-E1", "K E four five zero, two three one?", {"order_number"}),
        ("T1-E1", "Four five zero three one six, correct?", {"order_number"}),
        ("T1-E1", "Dana Whitfield, order KE-4502326, right?", {"order_number"}),
        ("T1-E1", "Saturday, August eighth, right?", {"delivery_date"}),
        ("T1-E1", "You wanted Wednesday the fifth, correct?", {"delivery_date"}),
        ("T1-E1", "so wednesday august 12 then", {"delivery_date"}),
        ("T1-E1", "You said the seventh of August, is that it?", {"delivery_date"}),
        ("T1-E1", "The one ending in 2361?", {"order_number"}),
        ("H1-E1", "Daniel Marsh, born February 16, 1997, right?", {"date_of_birth"}),
        ("H1-E1", "Daniel Marsh, February sixteenth, 1978?", {"date_of_birth"}),
        ("H1-E1", "So your phone is 406-555-0164 and you were born in 1976?", {"date_of_birth"}),
        ("H1-E1", "So Danielle Marsh, February sixteenth, 1979?", {"full_name"}),
        ("H1-E1", "Donald Marsh, phone 406-555-0164?", {"full_name"}),
        ("H1-E1", "Daniel Marsh, and the number is 406-555-0146?", {"phone"}),
        ("H1-E1", "You were born on the sixth of February, correct?", {"date_of_birth"}),
        ("L1-E1", "Michelle Stone, is that right?", {"full_name"}),
        ("L1-E1", "Michael Stone and Summit Shipping, is that right?", {"other_party"}),
        ("L4-E1", "So that's matter 246823, born November 23, 1975?", {"matter_number"}),
        ("L4-E1", "Matter 246382, born November 23, 1957?", {"date_of_birth"}),
        ("L4-E1", "I have matter 246382 and the code four zero nine six seven, correct?", set()),
    ],
)
def test_what_is_read_back_wrong_is_put_right_and_nothing_else(task: str, text: str, facts: set[str]) -> None:
    words, given = said(answered(task, text))

    assert given == facts
    assert words.startswith("No, it is ") if facts else words == YES


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("T1-E1", "Dana Whitfield, correct?"),
        ("T1-E1", "And the first name was Dana, correct?"),
        ("T1-E1", "Last name Whitfield?"),
        ("T1-E1", "Thursday, August sixth, right?"),
        ("T1-E1", "Thursday, August sixth then?"),
        ("T1-E1", "You said the sixth, correct?"),
        ("T1-E1", "Order KE-4502316, zip 60614 and card 7351, all correct?"),
        ("T1-E1", "The zip is 60614 and the card ends in 7351?"),
        ("H1-E1", "Daniel Marsh, February 16, 1979?"),
        ("H1-E1", "406-555-0164, and born in 1979?"),
        ("H1-E1", "You were born on the sixteenth of February, correct?"),
        ("L1-E1", "Michael Stone against Summit Trucking, is that right?"),
        ("L4-E1", "Matter two four six three eight two, born November 23, 1975, right?"),
    ],
)
def test_what_is_read_back_right_is_confirmed(task: str, text: str) -> None:
    assert said(answered(task, text)) == (YES, set())


@pytest.mark.parametrize(
    ("task", "text", "fact"),
    [
        ("T1-E1", "K E four five zero, and then?", "order_number"),
        ("T1-E1", "Okay, four five zero two, what comes next?", "order_number"),
        ("H1-E1", "Four zero six, five five five, and then?", "phone"),
        ("L4-E1", "Two four six, and what was the rest?", "matter_number"),
    ],
)
def test_a_number_is_given_again_where_the_rest_is_asked_for(task: str, text: str, fact: str) -> None:
    words, given = said(answered(task, text))

    assert given == {fact}
    assert not words.startswith(("No", "Yes"))


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("T1-E1", "My name is Dina Whitman, and I'll be helping you today."),
        ("T1-E1", "Our store's zip is 60641."),
        ("T1-E1", "Your case number is 4502317."),
        ("T1-E1", "My extension is 7352, in case we get cut off."),
        ("T1-E1", "The new total comes to 73 dollars and 52 cents."),
        ("T1-E1", "How about Friday, August seventh instead?"),
        ("T1-E1", "Would Friday, August seventh work for you?"),
        ("T1-E1", "Friday, August seventh is all that I have left."),
        ("T1-E1", "The delivery is currently set for August fourth, is that right?"),
        ("H1-E1", "The next opening is February sixth."),
        ("H1-E1", "You can reach us at 406-555-0146."),
        ("L4-E1", "The hearing is on November 13."),
        ("L1-E1", "This is Michelle Stone at the front desk."),
    ],
)
def test_what_is_no_read_back_is_not_put_right(task: str, text: str) -> None:
    assert not said(answered(task, text))[0].startswith("No, it is")
