"""The intents of Kestrel Electronics: what a caller takes an agent to have asked or said, right and wrong examples."""

from __future__ import annotations

import pytest

from voicebench.packs.intents import IntentKind, Intents
from voicebench.packs.loader import Pack, load_pack

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("customer_support")


@pytest.fixture(scope="module")
def intents(pack: Pack) -> Intents:
    return Intents(pack.spec.intents)


@pytest.mark.parametrize("name", ["full_name", "order_number", "phone", "postal_code", "card_last4"])
def test_the_packs_own_question_is_understood_as_that_question(pack: Pack, intents: Intents, name: str) -> None:
    asked = intents.matching("asked", pack.spec.facts[name].question)
    assert asked == [name]


def test_the_question_for_the_delivery_day_is_a_question_for_a_day(pack: Pack, intents: Intents) -> None:
    assert "which_date" in intents.matching("asked", pack.spec.facts["delivery_date"].question)


SENTENCES: list[tuple[IntentKind, str, str, bool]] = [
    # questions for facts
    ("asked", "full_name", "Can I get your full name, please?", True),
    ("asked", "full_name", "Who am I speaking with today?", True),
    ("asked", "full_name", "Could you please spell your last name for me?", True),
    ("asked", "full_name", "I'm sorry to hear that. Could you tell me your order number and your name?", True),
    ("asked", "full_name", "Thank you, Grace. What is the postal code on the account?", False),
    ("asked", "order_number", "Sure, could I please have the order number for the laptop?", True),
    (
        "asked",
        "order_number",
        "I'd be happy to help. May I have your first and last name, and your order number?",
        True,
    ),
    ("asked", "order_number", "I didn't catch that. Please say your order number again, digit by digit.", True),
    ("asked", "order_number", "I have your order number. What are the last four digits of the card?", False),
    ("asked", "order_number", "Let me look up that order number for you.", False),
    ("asked", "phone", "Or you can give me the phone number on the account.", True),
    ("asked", "phone", "Do you want Screen Guard for the Halden Six phone?", False),
    ("asked", "postal_code", "Thanks. For security, what's the ZIP code on the order?", True),
    ("asked", "postal_code", "Please provide the billing zip and the last four of the card.", True),
    ("asked", "card_last4", "Please provide the billing zip and the last four of the card.", True),
    ("asked", "card_last4", "And could you confirm the last 4 digits of the card you used?", True),
    ("asked", "card_last4", "Your card is not charged for this.", False),
    ("asked", "identity", "I wasn't able to find a record. I could not find that order number.", True),
    ("asked", "identity", "I could not find a free slot on that day.", False),
    ("asked", "order_proof", "I'm afraid those details don't match. Could you try again?", True),
    ("asked", "order_proof", "First I need to verify your identity.", True),
    ("asked", "order_proof", "Thank you, you are verified.", False),
    ("asked", "which_date", "Which day works best for you?", True),
    ("asked", "which_date", "I do need a specific date to book that.", True),
    ("asked", "which_date", "Would you prefer morning or afternoon?", True),
    ("asked", "which_date", "You have two plans.", False),
    ("asked", "proceed", "Shall I go ahead and book it?", True),
    ("asked", "proceed", "The first slot is Monday, August third at ten. Does that work for you?", True),
    ("asked", "proceed", "Would you like me to open the return?", True),
    ("asked", "proceed", "Your delivery is moved.", False),
    ("asked", "anything_else", "Is there anything else I can do for you?", True),
    ("asked", "issue", "What seems to be the problem with the laptop?", True),
    ("asked", "issue", "Could you describe what happens when you plug it in?", True),
    ("asked", "return_reason", "May I ask why you'd like to return them?", True),
    ("asked", "return_reason", "What's the reason for the return?", True),
    ("asked", "item_condition", "Have the headphones been opened or used?", True),
    ("asked", "return_method", "Will you drop it off at a store or send it by mail?", True),
    ("asked", "offer_person", "Would you like me to connect you with a person?", True),
    ("asked", "offer_person", "I can transfer you to someone who works with that seller, if you like.", True),
    # a booking that was made
    ("heard", "booked_day_and_time", "You're all set. I've booked you for Monday, August 3rd at 10:00 AM.", True),
    ("heard", "booked_day_and_time", "Your appointment is confirmed for Monday, August third, at ten a.m.", True),
    ("heard", "booked_day_and_time", "Your bench slot on Monday August 3 at 10 in the morning is booked.", True),
    ("heard", "booked_day_and_time", "okay i have you down for monday august 3rd at 10 am at cedar hills", True),
    (
        "heard",
        "booked_day_and_time",
        "The bench is reserved for you on August third at ten o'clock. Anything else?",
        True,
    ),
    ("heard", "booked_day_and_time", "I have Monday, August third, at ten. Shall I book that for you?", False),
    ("heard", "booked_day_and_time", "Can I book you in for Monday, August third, at ten in the morning?", False),
    ("heard", "booked_day_and_time", "Would you like to book Monday at ten in the morning?", False),
    ("heard", "booked_day_and_time", "Saturday, August first at nine is fully booked.", False),
    ("heard", "booked_day_and_time", "Nothing is booked yet. The first slot is Monday at ten.", False),
    ("heard", "booked_day_and_time", "The first available slot is Monday, August third, at ten in the morning.", False),
    ("heard", "booked_day_and_time", "Your appointment is booked.", False),
    ("heard", "booked_without_time", "Your appointment is booked.", True),
    ("heard", "booking_failed", "I'm sorry, I couldn't book that without a date.", True),
    ("heard", "booking_failed", "There are no slots available on that day.", True),
    ("heard", "booking_failed", "I have booked the first bench slot.", False),
    # a booking that was cancelled
    ("heard", "cancel_confirmed", "I've cancelled your appointment.", True),
    ("heard", "cancel_confirmed", "Your bench appointment for Monday has been canceled, Grace.", True),
    ("heard", "cancel_confirmed", "Okay, that appointment is now cancelled. Anything else?", True),
    ("heard", "cancel_confirmed", "I have gone ahead and cancelled that for you.", True),
    ("heard", "cancel_confirmed", "The cancellation is confirmed.", True),
    ("heard", "cancel_confirmed", "your appointment has been successfully cancelled", True),
    ("heard", "cancel_confirmed", "Would you like that cancelled?", False),
    ("heard", "cancel_confirmed", "Should I cancel your appointment now?", False),
    ("heard", "cancel_confirmed", "Do you want me to have it cancelled?", False),
    ("heard", "cancel_confirmed", "Once it is cancelled, the slot goes to somebody else.", False),
    ("heard", "cancel_confirmed", "It has not been cancelled yet.", False),
    ("heard", "cancel_confirmed", "I will now cancel the appointment.", False),
    ("heard", "cancel_confirmed", "The appointment can be cancelled free of charge.", False),
    ("heard", "asks_to_cancel", "Should I cancel your appointment now?", True),
    # coverage and plans
    ("heard", "coverage_told", "The repair is fully covered, so there's nothing to pay.", True),
    ("heard", "coverage_told", "Your Complete Care plan covers it at no cost.", True),
    ("heard", "coverage_told", "Let me check whether it is covered.", False),
    ("heard", "coverage_told", "I'm afraid that is not covered.", False),
    ("heard", "coverage_denied", "I'm afraid that is not covered.", True),
    ("heard", "plans_told", "You have two plans, Complete Care and Screen Guard.", True),
    # a delivery that was moved
    ("heard", "delivery_moved_to_august_6", "Your delivery has been moved to Thursday, August 6th.", True),
    ("heard", "delivery_moved_to_august_6", "Done. The television will now arrive on Thursday, August sixth.", True),
    ("heard", "delivery_moved_to_august_6", "Shall I move it to Thursday, August sixth?", False),
    ("heard", "delivery_moved_to_august_6", "Your delivery has been moved to Friday, August 7th.", False),
    ("heard", "delivery_moved_to_august_6", "We have room on Tuesday, Thursday and Friday.", False),
    ("heard", "day_refused", "I'm sorry, that day is not available.", True),
    # a return and its fee
    ("heard", "restocking_fee_told", "There's a restocking fee of $44.85. Is that all right?", True),
    ("heard", "restocking_fee_told", "a fee of forty four dollars and eighty five cents applies", True),
    ("heard", "restocking_fee_told", "A restocking fee may apply. Let me check.", False),
    ("heard", "restocking_fee_told", "There is no fee for this.", False),
    ("heard", "return_opened", "I've opened the return for you.", True),
    ("heard", "return_opened", "Your return has been set up, and you get $254.15 back.", True),
    ("heard", "return_opened", "Shall I open the return for you?", False),
    ("heard", "return_opened", "Before I open the return, I have to tell you the fee.", False),
    # the marketplace seller
    ("heard", "seller_owns_policy", "Those were sold by Northlight Audio, a third-party seller.", True),
    ("heard", "seller_owns_policy", "The seller handles its own returns.", True),
    ("heard", "seller_owns_policy", "You bought the headphones last week.", False),
    ("heard", "refund_promised", "I will refund the full amount to your card.", True),
    ("heard", "refund_promised", "You'll get your money back within five days.", True),
    ("heard", "refund_promised", "I'm sorry, we can't refund that order.", False),
    ("heard", "person_takes_over", "I'm transferring you now to a person who works with that seller.", True),
    ("heard", "person_takes_over", "I have escalated this to a specialist, who will take it from here.", True),
    ("heard", "person_takes_over", "A member of our team is taking over this call.", True),
    ("heard", "person_takes_over", "okay im connecting you with a human agent please stay on the line", True),
    ("heard", "person_takes_over", "I'll connect you with someone who can help with that seller.", True),
    (
        "heard",
        "person_takes_over",
        "You are being handed over to one of our people, a person who deals with sellers.",
        True,
    ),
    ("heard", "person_takes_over", "I can transfer you to a person if you like.", False),
    ("heard", "person_takes_over", "Would you like me to connect you with a person?", False),
    ("heard", "person_takes_over", "Shall I have a person take over?", False),
    ("heard", "person_takes_over", "Before I transfer you to a person, what is your order number?", False),
    ("heard", "person_takes_over", "The marketplace seller sets the return policy.", False),
    ("heard", "person_takes_over", "Let me connect you with our returns desk.", False),
    # what an agent says while it gathers what it needs, and what must not be taken for more
    ("heard", "plans_told", "I'll check your protection plans first. May I have your name?", False),
    ("heard", "refund_promised", "I can help you with that refund. What is the order number?", False),
    ("heard", "restocking_fee_told", "There is a fifteen percent restocking fee.", False),
    ("heard", "booked_without_time", "You're all set and verified.", False),
    ("heard", "day_refused", "There is no delivery fee.", False),
    ("heard", "booking_failed", "It is at no cost, and free of charge.", False),
    ("heard", "person_takes_over", "I'm transferring you to our verification team now.", False),
    ("heard", "return_denied", "I'm afraid I can't return this item.", True),
    ("heard", "callback_offered", "Someone will call you back within a day.", True),
    ("asked", "other_proof", "What is the email address on the account?", True),
    ("asked", "still_there", "Are you still there?", True),
    # what callers may not say
    ("said", "names_a_date", "Then Monday at ten, please.", True),
    ("said", "names_a_date", "What about the third of August?", True),
    ("said", "names_a_date", "The first available bench slot, please.", False),
    ("said", "ask_cancel", "And then cancel it.", True),
    ("said", "ask_cancel", "Please book the first bench slot.", False),
    ("said", "accept_refund", "Okay, then refund me.", True),
    ("said", "accept_refund", "Yes, a full refund sounds good.", True),
    ("said", "accept_refund", "I do not want a refund from you, I want a person.", False),
    ("said", "accept_fee", "I accept that fee.", True),
    ("said", "accept_fee", "What is the fee?", False),
    ("said", "accept_other_day", "Friday is fine too.", True),
    ("said", "accept_other_day", "Thursday, August sixth.", False),
]


@pytest.mark.parametrize(("kind", "name", "text", "expected"), SENTENCES, ids=lambda value: str(value)[:60])
def test_intents(intents: Intents, kind: IntentKind, name: str, text: str, expected: bool) -> None:
    assert intents.match(kind, name, text) is expected
