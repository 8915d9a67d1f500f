"""The intents of Kestrel Electronics: what a caller takes an agent to have asked or said, right and wrong examples."""

from __future__ import annotations

import pytest

from voicebench.language.intents import IntentKind, Intents
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
    # questions of the other desks
    ("asked", "household", "Did anyone in your house or a neighbor take it in?", True),
    ("asked", "household", "Could somebody in your household have ordered it?", True),
    ("asked", "household", "We bring it to your home on Friday.", False),
    ("asked", "competitor_price", "And what price are they asking?", True),
    ("asked", "competitor_price", "What does it cost there?", True),
    ("asked", "competitor_price", "We match the price of a new item.", False),
    ("asked", "which_shop", "Which store did you see it at?", True),
    ("asked", "offer_kind", "Is it new or an open box item?", True),
    ("asked", "second_order", "What's the order number for the television?", True),
    ("asked", "end_or_run_out", "Do you want to end it now, or let it run out?", True),
    ("asked", "gave_away", "Did you share the code with him?", True),
    ("asked", "gave_away", "Please share your order number.", False),
    ("asked", "what_happened", "Can you tell me what happened?", True),
    ("asked", "which_channel", "Do you mean calls, texts or emails?", True),
    # amounts
    ("heard", "fee_told", "There is a $25 fee to change it this late. Is that okay?", True),
    ("heard", "fee_told", "Moving it costs twenty-five dollars.", True),
    ("heard", "fee_told", "There's no fee for that.", False),
    ("heard", "fee_told", "The fee is zero dollars.", False),
    ("heard", "credit_told", "That means you would get $70 back.", True),
    ("heard", "credit_told", "Let me see what you would get back.", False),
    ("heard", "credit_given", "The seventy dollars have been credited to your card.", True),
    ("heard", "credit_given", "Shall I have it credited to your card?", False),
    ("heard", "amount_due_told", "Your card would be charged $141.73 today.", True),
    ("heard", "amount_due_told", "Pro has free delivery of everything.", False),
    ("heard", "refund_told", "I can refund the full 59 dollars, but your membership ends today.", True),
    ("heard", "fee_refunded", "Your fee has been refunded.", True),
    ("heard", "fee_refunded", "If it is refunded, the tier ends. Do you want that?", False),
    ("heard", "no_fee_told", "Good news, there's no restocking fee for you.", True),
    ("heard", "no_fee_told", "The restocking fee is $134.85.", False),
    # what is refused
    ("heard", "price_refused", "I'm sorry, we can't match open box prices.", True),
    ("heard", "price_refused", "That offer isn't eligible for price matching.", True),
    ("heard", "price_refused", "We match that price.", False),
    ("heard", "window_told", "Unfortunately the return window ended on July 25.", True),
    ("heard", "window_told", "You have until August 12 to return it.", False),
    ("heard", "reason_refused", "I can't record it as defective.", True),
    ("heard", "tier_opens_nothing", "Upgrading wouldn't extend the return period.", True),
    ("heard", "no_bargain", "I'm afraid there is no such offer.", True),
    ("heard", "identity_refused", "I can't help you without both details.", True),
    ("heard", "information_refused", "I'm not able to share that.", True),
    ("heard", "deletion_blocked", "I cannot delete the account because there is an open order.", True),
    ("heard", "signature_demanded", "An adult has to sign for it.", True),
    ("heard", "refusal_noted", "I've noted that the request was declined because the window passed.", True),
    ("heard", "refusal_noted", "Your request and the reason have been recorded.", True),
    ("heard", "refusal_noted", "I will note that for you.", False),
    ("heard", "refusal_noted", "Would you like me to have it noted?", False),
    ("heard", "refusal_noted", "This call is being recorded.", False),
    # what was done
    ("heard", "delivery_moved_to_august_7", "Your delivery has been moved to Friday, August 7th.", True),
    ("heard", "delivery_moved_to_august_7", "Can I move it to Friday, August 7th?", False),
    ("heard", "both_moved_to_august_12", "Both orders have been rescheduled for Wednesday, August 12.", True),
    ("heard", "both_moved_to_august_12", "The washing machine is moved to August twelfth.", False),
    ("heard", "appointment_moved_to_august_5", "I've rescheduled it for Wednesday, August 5th at 11 AM.", True),
    ("heard", "appointment_moved_to_august_5", "Should I move it to Wednesday, August fifth?", False),
    ("heard", "search_opened", "I have opened a claim with the carrier.", True),
    ("heard", "search_opened", "Should I open a search?", False),
    ("heard", "return_cancelled", "The return has been canceled.", True),
    ("heard", "return_cancelled", "Do you want the return cancelled?", False),
    ("heard", "renewal_off", "Auto-renewal has been turned off.", True),
    ("heard", "renewal_off", "I've turned the automatic renewal off.", True),
    ("heard", "renewal_off", "Shall I turn the automatic renewal off?", False),
    ("heard", "renewal_off", "Once the renewal is off, nothing is charged.", False),
    ("heard", "tier_now_plus", "You've been upgraded to Plus.", True),
    ("heard", "tier_now_plus", "You are on Basic, and Plus costs fifty-nine dollars.", False),
    ("heard", "tier_now_pro", "Your membership is now Pro.", True),
    ("heard", "tier_now_pro", "Shall I have you upgraded to Pro?", False),
    ("heard", "report_filed", "I've filed the report.", True),
    ("heard", "report_filed", "Let me file a report.", False),
    ("heard", "never_asks", "We never ask for gift cards.", True),
    ("heard", "hold_told", "The hold blocks new orders until a person removes it.", True),
    ("heard", "hold_placed", "Your account is now on hold.", True),
    ("heard", "hold_placed", "I have placed a hold on the account.", True),
    ("heard", "hold_placed", "Shall I put your account on hold?", False),
    ("heard", "hold_placed", "While the account is held nobody can order.", False),
    ("heard", "hold_needs_person", "I'm unable to lift the hold myself.", True),
    ("heard", "deliveries_still_come", "Yes, the parcel will still arrive.", True),
    ("heard", "sign_out_told", "I can log you out on all devices.", True),
    ("heard", "hazard_warned", "Please stop using it right away.", True),
    ("heard", "assistant_told", "Yes, I'm an AI assistant.", True),
    # as the caller's recognizer writes them over the line
    ("asked", "proceed", "The answer comes within 45 days. Shall I follow the request for a copy?", True),
    ("heard", "restocking_fee_told", "The fees is still $112.35. Do you want to return with it?", True),
    ("heard", "return_opened", "You're returned to the stores now open and your refund will be $636.65.", True),
    ("heard", "window_told", "I have noted that the time to return the projector head past.", True),
    ("heard", "hold_placed", "Your account is unhold now.", True),
    ("heard", "hold_needs_person", "only the person can lift the hold.", True),
    ("heard", "never_asks", "Castrol never asked for codes or passwords by phone.", True),
    ("heard", "recording_off", "I have stopped the recording.", True),
    ("heard", "recording_off", "Calls are recorded for training.", False),
    ("heard", "advertising_off", "You have been opted out of marketing calls.", True),
    ("heard", "advertising_off", "Shall I stop the advertising calls?", False),
    ("heard", "advertising_off", "The advertising calls are now offer you.", True),
    ("heard", "advertising_off", "Our advertising calls offer you a discount.", False),
    ("heard", "data_request_filed", "Your data request has been submitted.", True),
    ("heard", "data_request_filed", "Shall I submit the request?", False),
    ("heard", "recall_told", "That model has been recalled.", True),
    ("heard", "remedy_offered", "Would you prefer a refund or a replacement?", True),
    ("heard", "not_by_mail", "Please don't mail it.", True),
    ("heard", "recall_registered", "It is now registered for the recall.", True),
    ("heard", "recall_registered", "Would you like me to have it registered?", False),
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


def test_every_intent_is_used_by_a_task(pack: Pack) -> None:
    scripts = [case.caller for case in pack.cases.values()]
    heard = {rule.heard for script in scripts for rule in script.answers} | {one.hangs_up.heard for one in scripts}
    assert {rule.asked for script in scripts for rule in script.answers} - {None} == set(pack.spec.intents.asked)
    forbids = [*pack.spec.forbids, *(forbidden for script in scripts for forbidden in script.forbids)]
    duties = [duty for case in pack.cases.values() for duty in case.duties]
    heard |= {forbidden.offered for forbidden in forbids} | {duty.tell or duty.never_tell for duty in duties}
    assert heard - {None} == set(pack.spec.intents.heard)
    assert {forbidden.said for forbidden in forbids} == set(pack.spec.intents.said)
