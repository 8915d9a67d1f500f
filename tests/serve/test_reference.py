from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from voicebench.serve.chat import Action

pytestmark = pytest.mark.unit

Talk = Any

IDENTIFY = {
    "call": "identify_customer",
    "with": {"order_number": "$fact.order_number"},
    "alternatives": [{"with": {"phone": "$fact.phone"}}],
}
VERIFY = {
    "call": "verify_identity",
    "with": {"postal_code": "$fact.postal_code", "card_last4": "$fact.card_last4"},
}
ASK_ORDER = {"ask": ["order_number"]}
ASK_PROOF = {"ask": ["postal_code", "card_last4"]}


def called(action: Action) -> tuple[str, Mapping[str, Any]]:
    (use,) = action.calls
    return use.name, use.arguments


def test_a_task_is_followed_from_the_opening_to_the_last_step(talk: Talk) -> None:
    chat = talk(
        [
            {"hand_off": "transfer_to_verification"},
            {"ask": ["full_name", "order_number"]},
            IDENTIFY,
            ASK_PROOF,
            VERIFY,
            {"call": "check_return", "with": {"order_number": "$fact.order_number"}, "refused": "MARKETPLACE_SELLER"},
            {"say": "A marketplace seller owns that policy."},
            {"call": "escalate_to_human", "with": {"reason_code": "billing"}},
        ]
    )
    assert called(chat.user("I want to return my headphones.")) == ("transfer_to_verification", {})
    assert chat.good().say == "May I have your full name? What is the order number?"
    assert called(chat.user("Tomas Ferreira. K E, four four seven, nine zero zero two.")) == (
        "identify_customer",
        {"order_number": "KE4479002"},
    )
    assert chat.good().say == "What is the ZIP code? What are the last four digits of the card?"
    assert called(chat.user("My ZIP is 9 4 1 1 0 and the card ends in 2 2 0 8.")) == (
        "verify_identity",
        {"postal_code": "94110", "card_last4": "2208"},
    )
    assert called(chat.good()) == ("check_return", {"order_number": "KE4479002"})
    last = chat.refused("MARKETPLACE_SELLER")
    assert last.say == "A marketplace seller owns that policy."
    assert called(last) == ("escalate_to_human", {"reason_code": "billing"})
    assert chat.good() == Action()


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("K E, four four seven, nine zero zero two", "KE4479002"),
        ("K E, four four seven, nine zero zero three", "KE4479003"),
        ("It's KE-4479012.", "KE4479012"),
    ],
)
def test_a_digit_is_followed_never_corrected(talk: Talk, words: str, number: str) -> None:
    chat = talk([ASK_ORDER, IDENTIFY])
    chat.user("I want to return something.")
    assert called(chat.user(words)) == ("identify_customer", {"order_number": number})


def test_what_the_opening_told_is_not_asked_for(talk: Talk) -> None:
    chat = talk([ASK_ORDER, IDENTIFY])
    assert called(chat.user("I'm calling about order K E 4 4 7 9 0 0 2.")) == (
        "identify_customer",
        {"order_number": "KE4479002"},
    )


def test_only_what_is_missing_is_asked_again(talk: Talk) -> None:
    chat = talk([ASK_PROOF, VERIFY])
    chat.user("Hello, I need help with an order please.")
    again = chat.user("The ZIP is nine four one one zero.")
    assert again.say == "I'm sorry, I did not get all of that. What are the last four digits of the card?"
    assert called(chat.user("two two oh eight"))[1] == {"postal_code": "94110", "card_last4": "2208"}


def test_after_three_questions_without_an_answer_a_person_takes_over(talk: Talk) -> None:
    chat = talk([ASK_ORDER, IDENTIFY])
    questions = [chat.user(words).say for words in ("I want a refund.", "I do not have it.", "No idea.")]
    assert [question.endswith("What is the order number?") for question in questions] == [True, True, True]
    action = chat.user("As I said.")
    assert called(action) == ("escalate_to_human", {"reason_code": "other_request"})
    assert "person" in action.say
    assert chat.good() == Action()


def test_without_a_person_to_turn_to_the_call_ends(talk: Talk) -> None:
    chat = talk([ASK_ORDER, IDENTIFY], tools=["identify_customer", "end_call"])
    for words in ("I want a refund.", "I do not have it.", "No idea."):
        chat.user(words)
    action = chat.user("As I said.")
    assert action.say.startswith("I'm sorry")
    assert called(action)[0] == "end_call"


def test_without_any_tool_to_end_it_says_sorry_once(talk: Talk) -> None:
    chat = talk([ASK_ORDER, IDENTIFY], tools=["identify_customer"])
    for words in ("I want a refund.", "I do not have it.", "No idea."):
        chat.user(words)
    assert chat.user("As I said.").say.startswith("I'm sorry, I cannot help")
    assert chat.user("Really?") == Action()


def test_a_refusal_doubts_the_values_and_takes_only_newer_words(talk: Talk) -> None:
    chat = talk([ASK_PROOF, VERIFY])
    chat.user("Hello, I need help with an order please.")
    chat.user("94110, and the card ends in 2208.")
    assert chat.refused("NO_MATCH").say == (
        "I'm sorry, I could not find that. What is the ZIP code? What are the last four digits of the card?"
    )
    assert "last four" in chat.user("ZIP nine four one one nine.").say
    assert called(chat.user("two two zero eight"))[1] == {"postal_code": "94119", "card_last4": "2208"}


def test_three_refusals_of_a_call_lead_to_a_person(talk: Talk) -> None:
    chat = talk([ASK_ORDER, IDENTIFY])
    chat.user("K E 4 4 7 9 0 0 1")
    for number in ("2", "3"):
        assert chat.refused("NO_RECORD").say.startswith("I'm sorry, I could not find that.")
        assert called(chat.user(f"K E 4 4 7 9 0 0 {number}"))[1] == {"order_number": f"KE447900{number}"}
    assert called(chat.refused("NO_RECORD"))[0] == "escalate_to_human"


def test_a_refusal_that_no_words_can_mend_leads_to_a_person(talk: Talk) -> None:
    chat = talk([{"call": "cancel", "with": {"appointment_id": "apt_1"}}])
    chat.user("Cancel it.")
    assert called(chat.refused("NOT_FOUND"))[0] == "escalate_to_human"


def test_an_alternative_is_taken_when_its_facts_are_known(talk: Talk) -> None:
    chat = talk([IDENTIFY])
    chat.user("I have no order at hand.")
    assert called(chat.user("My phone number is 541 555 0146.")) == ("identify_customer", {"phone": "541-555-0146"})


def test_a_hello_or_a_wish_to_hear_it_again_repeats_the_question_and_costs_no_try(talk: Talk) -> None:
    chat = talk([ASK_ORDER, IDENTIFY])
    question = chat.user("I want a refund.").say
    assert chat.user("Hello?").say == question
    assert chat.user("Sorry, could you say that again?").say == question
    assert chat.user("Mumble.").say.endswith(question)
    assert chat.user("Mumble mumble.").say.endswith(question)
    assert called(chat.user("Mumble, mumble, mumble."))[0] == "escalate_to_human"


BOOKING: list[dict[str, Any]] = [
    {
        "call": "book",
        "with": {
            "issue": {"any": True},
            "date": {"one_of": [None, "2026-08-03"]},
            "fee_quoted": "44.99",
            "disclosed": True,
        },
    },
    {"say": "You are booked for $result.book.data.slots.0.day at $result.book.data.time."},
    {"call": "cancel", "with": {"appointment_id": "$result.book.data.appointment_id"}},
    {"say": "That appointment is cancelled."},
]


def test_constants_words_and_results_fill_the_arguments(talk: Talk) -> None:
    chat = talk(BOOKING)
    action = chat.user("My laptop will not charge.")
    assert called(action) == ("book", {"issue": "My laptop will not charge.", "fee_quoted": 44.99, "disclosed": True})
    spoken = chat.good(slots=[{"day": "Monday"}], time="nine", appointment_id="apt_7")
    assert spoken == Action("You are booked for Monday at nine.")
    assert called(chat.user("I cannot make that one. Please cancel it.")) == ("cancel", {"appointment_id": "apt_7"})
    assert chat.good().say == "That appointment is cancelled."


def test_words_between_steps_wait_for_the_caller_and_can_be_repeated(talk: Talk) -> None:
    chat = talk(BOOKING)
    chat.user("My laptop will not charge.")
    booked = chat.good(slots=[{"day": "Monday"}], time="nine", appointment_id="apt_7")
    assert chat.due() == Action()
    assert chat.user("Sorry, could you say that again?") == booked
    assert called(chat.user("Cancel it, please."))[0] == "cancel"


def test_the_end_is_courteous_once(talk: Talk) -> None:
    chat = talk([{"call": "cancel", "with": {"appointment_id": "apt_1"}}])
    chat.user("Cancel it.")
    assert chat.good().say == "That is done. Is there anything else I can do for you?"
    goodbye = chat.user("No, thank you.")
    assert (goodbye.say, called(goodbye)[0]) == ("You're welcome. Goodbye.", "end_call")
    assert chat.good() == Action()
    assert chat.user("Bye.") == Action()


def test_a_caller_who_never_says_more_than_hello_does_not_hold_up_the_task(talk: Talk) -> None:
    chat = talk(BOOKING)
    chat.user("My laptop will not charge.")
    booked = chat.good(slots=[{"day": "Monday"}], time="nine", appointment_id="apt_7")
    assert [chat.user("Hello?"), chat.user("Hello? Are you there?")] == [booked, booked]
    assert called(chat.user("Hello?"))[0] == "cancel"


def test_a_result_without_the_value_that_is_needed_leads_to_a_person(talk: Talk) -> None:
    chat = talk(BOOKING)
    chat.user("My laptop will not charge.")
    assert called(chat.good(time="nine"))[0] == "escalate_to_human"


def test_words_after_a_transfer_to_a_person_are_still_said(talk: Talk) -> None:
    chat = talk(
        [
            {"say": "The seller owns that."},
            {"call": "escalate_to_human", "with": {"reason_code": "billing"}},
            {"say": "$result.escalate_to_human.data.handover"},
        ]
    )
    assert chat.user("I want a refund.").say == "The seller owns that."
    assert chat.good(handover="A person takes over.") == Action("A person takes over.")
    assert chat.user("Thank you.") == Action("You're welcome. Goodbye.")
    assert chat.user("Bye.") == Action()


def test_a_transfer_to_a_person_is_announced_when_the_task_does_not(talk: Talk) -> None:
    chat = talk([{"call": "escalate_to_human", "with": {"reason_code": "billing"}}])
    assert chat.user("A person, please.").say == "I am putting you through to a person now."


def test_a_date_without_a_year_is_placed_by_the_day_of_the_pack(talk: Talk) -> None:
    chat = talk(
        [{"ask": ["day"]}, {"call": "book", "with": {"date": "$fact.day"}}],
        facts={"day": {"type": "date", "question": "Which day?"}},
    )
    assert chat.user("The one on July 2nd is bad for me.").say == "Which day?"
    assert called(chat.user("Thursday, August sixth.")) == ("book", {"date": "2026-08-06"})


def test_nothing_is_said_while_a_tool_works(talk: Talk) -> None:
    chat = talk([IDENTIFY, {"say": "I have your order."}])
    chat.user("Order K E 4 4 7 9 0 0 2.")
    chat.messages.append({"role": "user", "content": "Are you there?"})
    assert chat.due() == Action()
    assert chat.good().say == "I have your order."


def test_words_that_nobody_heard_are_said_again(talk: Talk) -> None:
    chat = talk([{"call": "cancel", "with": {"appointment_id": "apt_1"}}, {"say": "It is cancelled."}])
    chat.user("Cancel it.")
    chat.good()
    chat.messages.pop()  # the caller spoke before the first word was out
    assert chat.user("And quickly.").say == "It is cancelled."


def test_words_after_a_call_in_the_chat_do_not_count_twice(talk: Talk) -> None:
    chat = talk([{"say": "I will get someone."}, {"call": "escalate_to_human", "with": {"reason_code": "billing"}}])
    chat.user("A person, please.")
    spoken = chat.messages.pop(3)
    assert spoken["content"] == "I will get someone."
    chat.messages[-1]["content"] = json.dumps({"ok": True})
    chat.messages.append(spoken)
    assert chat.due() == Action()
    assert chat.user("Thank you.") == Action("You're welcome. Goodbye.")


def test_a_digit_group_of_a_longer_number_is_no_value_of_its_own(talk: Talk) -> None:
    chat = talk(
        [{"ask": ["phone", "card_last4"]}, {"call": "verify_identity", "with": {"card_last4": "$fact.card_last4"}}]
    )
    chat.user("I have a question.")
    assert chat.user("It's 541, 555, 0146.").say.endswith("What are the last four digits of the card?")


def test_two_facts_of_one_kind_are_taken_in_the_order_they_were_asked_in(talk: Talk) -> None:
    order = {"type": "id", "question": "Which order?", "format": r"KE\d{7}"}
    steps = [
        {"ask": ["first_order", "second_order"]},
        {"call": "identify_customer", "with": {"order_number": "$fact.second_order"}},
    ]
    chat = talk(steps, facts={"first_order": order, "second_order": order})
    assert chat.user("It is about order KE-4479001.").say == "Which order? Which order?"
    assert called(chat.user("KE-4479002 and KE-4479003"))[1] == {"order_number": "KE4479003"}
