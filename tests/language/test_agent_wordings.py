"""Kinds of wordings of real agents, in sentences made for them: what each asks or does, and what only sounds alike."""

from __future__ import annotations

import pytest

from voicebench.language.turn_meaning import turn_meaning

pytestmark = pytest.mark.unit

DOES = {
    "anything_else": [
        "Can I assist you any further?",
        "Let me know how I can assist you further.",
        "If you have any other questions, let me know.",
        "Do you have any other requests today?",
        "Was there something more you wanted?",
        "Any further questions?",
    ],
    "proceed": [
        "There is a seat by the aisle which costs ten dollars should I book that for you?",
        "I found a cheaper one can I book it for you",
        "Can I try somewhere else?",
        "Please confirm your cancellation.",
        "Could you confirm the booking?",
        "Please confirm if acceptable.",
        "Kindly confirm the refund to your card.",
        "Please let me know if that is okay.",
        "Can you confirm that everything is correct before I book it?",
        "I need your explicit confirmation to proceed.",
        "Please confirm with a yes.",
        "Would you like to go on with it, or do you have any other requests?",
    ],
    "transfers_now": [
        "I'm routing your call to a specialist.",
        "I will try to connect you now.",
        "I have to transfer you to my supervisor.",
        "I'm going to have to put you through to billing.",
        "I can put you through to a manager. I'll go ahead with the transfer now.",
        "I suggest speaking with a specialist. I'm starting the transfer now.",
        "I can connect you with a person. Please stay on the line while I transfer your case.",
        "I need to hand you over to a colleague.",
    ],
    "what_help": [
        "Please tell us what you need.",
        "Could you clarify what you are looking for?",
        "Please state your request.",
        "Let us know what you need help with.",
        "What are you after?",
        "You're connected to Kestrel support. What can I do for you?",
    ],
    "repeat_unnamed": [
        "I'm not sure what you mean.",
        "I'm a little confused.",
        "I don't quite follow.",
        "I'm not entirely clear what you want.",
        "You've lost me there.",
        "It's unclear what you are asking.",
        "Not sure I got that.",
    ],
    "not_found": [
        "I couldn't find a user with that address.",
        "These two don't belong together in our files.",
        "I see no subscriber by that name.",
        "I can't locate any caller under this number.",
        "Your answers do not add up.",
    ],
}
DOES_NOT = {
    "anything_else": [
        "If you have some other identifying information, I can try with that.",
        "Do you have any other details that might help?",
        "Send me the code so that I can assist you further.",
        "Once I have that, I'll be able to assist you further.",
        "Please tell me which one it is, and I will help you further.",
        "If you need more help, a colleague can do that. Would you like to speak with a colleague?",
        "Shall I cancel it, or do you have any other requests?",
    ],
    "proceed": [
        "Please confirm your order number.",
        "Can you confirm the date of your appointment?",
        "Could you confirm your booking reference?",
        "Which change should I make?",
        "Please tell me which refund you mean.",
        "I don't need your consent for that.",
    ],
    "transfers_now": [
        "Hi, you have been connected with Nora. How can I help?",
        "I'll proceed with the transfer now.",
        "I'll proceed with the transfer of the money now.",
        "I'm routing the package to your new address.",
        "Please hold while I transfer your request to the new account.",
        "I can transfer you. I'll do that once I have your number.",
        "I can transfer you to a person. I'll proceed with the transfer if you say so.",
        "I would have to transfer you, is that okay?",
        "I don't have to transfer you.",
        "I can't transfer you. I'll proceed with the transfer of the funds.",
    ],
    "what_help": [
        "Tell me if you need a bag.",
        "Please state your request number.",
        "I know what you need.",
    ],
    "repeat_unnamed": [
        "I'm not sure if the store is open.",
        "I'm not sure what the price is.",
        "It's unclear when it will arrive.",
        "If you've lost me, call again.",
    ],
    "not_found": [
        "The two sums add up.",
        "I found a user with that address.",
        "We have no caller waiting.",
    ],
    "hold": [
        "Please give me a full description of the damage.",
        "Could you give me a short account of the incident?",
        "Give me a few dates, please.",
    ],
}
ASKS = {
    "account_or_member_number": [
        "Is there any way for you to find your member number?",
        "Is there a chance you could look up the account number?",
        "Any way you can find your account number?",
        "Either the account number or the name, please.",
        "waht is your account number?",
    ],
    "which_item": [
        "Could you give me the item number?",
        "What's the product ID of the one you want?",
        "I need the SKU, please.",
        "Which part of the order do you want to return?",
        "Does either of these suit you?",
    ],
    "what_happened": [
        "Which part of the service are you unhappy with?",
        "What exactly are you having trouble with?",
        "Please give me a full description of the damage.",
        "What are you dissatisfied with?",
        "What is it you don't like about it?",
    ],
    "other": [
        "If you have some other identifying information, I can try with that.",
        "Do you have any other details that might help?",
        "Could you give me additional information?",
        "Is there any further information you can share?",
        "Please give me some additional details.",
    ],
}
ASKS_NOTHING = [
    "I need to look up your account using your phone number.",
    "I need to check with my manager about your order number.",
    "I want to find your order number first, one moment.",
    "I can help you find the order number.",
    "We can look for your reservation ID.",
    "Good day! I am Nora.",
    "Good morning, Kestrel here.",
    "How was your day?",
    "Can you please confirm that these details are right? I have your flight number as 12.",
]


@pytest.mark.parametrize(("act", "text"), [(act, text) for act, texts in DOES.items() for text in texts])
def test_it_is_done_in_these_words_too(act: str, text: str) -> None:
    assert act in turn_meaning(text, {}).acts


@pytest.mark.parametrize(("act", "text"), [(act, text) for act, texts in DOES_NOT.items() for text in texts])
def test_it_is_not_done_in_words_alike(act: str, text: str) -> None:
    assert act not in turn_meaning(text, {}).acts


@pytest.mark.parametrize(("detail", "text"), [(detail, text) for detail, texts in ASKS.items() for text in texts])
def test_a_detail_is_asked_for_in_these_words_too(detail: str, text: str) -> None:
    assert detail in turn_meaning(text, {}).requests.details


@pytest.mark.parametrize("text", ASKS_NOTHING)
def test_who_says_what_he_does_or_greets_asks_for_nothing(text: str) -> None:
    assert turn_meaning(text, {}).requests.details == ()


def test_of_what_is_missing_only_that_is_asked_for_again() -> None:
    text = "The order number is missing from your message. Could you send it again?"
    asked = turn_meaning(text, {"x": ["your message"]})

    assert (asked.requests.details, asked.requests.own) == (("order_number",), ())


@pytest.mark.parametrize(
    ("text", "demands"),
    [
        ("Please state which of the two.", True),
        ("Please confirm whether the box is open.", True),
        ("Kindly tell me what it shows.", True),
        ("Please hold on.", False),
        ("Please let me know if you need more.", False),
        ("I will tell you what it shows.", False),
    ],
)
def test_a_demand_wants_an_answer(text: str, demands: bool) -> None:
    assert turn_meaning(text, {}).demands is demands
