from __future__ import annotations

from typing import Any

import pytest

from voicebench.caller.policy import CallerDecision, SpokenFact
from voicebench.caller.script import join_phrases
from voicebench.caller.scripted import ScriptedCaller
from voicebench.packs.models import CallerScript, PackSpec

pytestmark = pytest.mark.unit

SPEC = PackSpec.model_validate(
    {
        "name": "shop",
        "industry": "retail",
        "company": {"name": "Shop"},
        "today": "2026-08-01",
        "greeting": "Hello, this is the shop.",
        "agents": [{"name": "reception", "prompt": "reception.md", "tools": []}],
        "state": {},
        "facts": {
            "full_name": {"type": "name", "question": "What is your full name?"},
            "order_number": {"type": "id", "question": "What is the order number?", "format": r"KE\d{7}"},
            "phone": {"type": "phone", "question": "What is your phone number?"},
            "postal_code": {"type": "id", "question": "What is the ZIP code?", "format": r"\d{5}"},
            "card_last4": {"type": "id", "question": "What are the last four digits?", "format": r"\d{4}"},
            "birthday": {"type": "date", "question": "What is your date of birth?"},
        },
        "intents": {
            "asked": {
                "order_number": r"order number",
                "identity": [r"who (am i|are you)", r"your (full )?name"],
                "order_proof": [r"zip", r"last 4"],
                "birthday": r"date of birth",
                "which_date": [r"(which|what) (day|date)"],
            },
            "heard": {
                "seller_owns_policy": r"(seller|marketplace).*(polic|returns)",
                "refund_promised": r"refund you",
                "person_takes_over": r"(connect|transfer)\w* you (to|with) a (person|specialist)",
                "booking_failed": r"(could not|couldnt|unable to) book",
                "booked_day_and_time": r"booked.*(am|pm)\b",
                "cancel_confirmed": r"(is|has been) cancell?ed",
                "price_list": r"full price list",
            },
        },
    }
)
ORDER_FORMS = ["K E, four four seven", "kilo echo, four four seven", "K, E, four, four, seven"]
FACTS = {
    "full_name": {"value": "Tomas Ferreira", "forms": ["Tomas Ferreira", "Tomas, T O M A S", "F E R R E I R A"]},
    "order_number": {"value": "KE-4479002", "forms": ORDER_FORMS},
    "phone": {"value": "541-555-0146", "forms": ["five four one", "five, four, one", "it starts five four one"]},
    "postal_code": {"value": "94110", "forms": ["nine four one, one zero", "nine, four, one", "ninety four"]},
    "card_last4": {"value": "2208", "forms": ["two two, zero eight", "two, two", "twenty two"]},
    "birthday": {"value": "1985-02-03", "forms": ["February third", "the third of February", "oh two, oh three"]},
}
SELLER = "Which seller is that, and can you get me to a person who deals with them?"
NO_PROMISE = "I do not want a promise from you, I want somebody who can talk to the seller."
FIRST_SLOT = "The first available bench slot, please."
CANCEL = "I cannot make that. Please cancel it."
PRICES = "I do not need the prices."


def caller(**changes: Any) -> ScriptedCaller:
    """The marketplace return of T2-H3, with one rule that interrupts."""
    script = {
        "facts": FACTS,
        "opening": "Hi, I want to return my headphones, order KE-4479002.",
        "brief": "",
        "answers": [
            {"asked": "order_number", "give": ["order_number"]},
            {"asked": "identity", "give": ["full_name", "order_number"]},
            {"asked": "order_proof", "give": ["postal_code", "card_last4"]},
            {"asked": "birthday", "give": ["birthday"]},
            {"heard": "seller_owns_policy", "say": SELLER, "times": 1},
            {"heard": "refund_promised", "say": NO_PROMISE},
            {"heard": "price_list", "say": PRICES, "times": 1, "interrupt_after_words": 6},
        ],
        "closing": "Okay, thank you.",
        "hangs_up": {"heard": "person_takes_over"},
        "give_up": "I will try again later.",
        **changes,
    }
    return ScriptedCaller(CallerScript.model_validate(script), SPEC)


def booking_caller() -> ScriptedCaller:
    """The bench slot of T3-H4: booked, then cancelled."""
    return caller(
        answers=[
            {"asked": "which_date", "say": FIRST_SLOT},
            {"asked": "order_number", "give": "order_number"},
            {"heard": "booking_failed", "say": "Then my request is not complete yet. Please book the first slot."},
            {"heard": "booked_day_and_time", "say": CANCEL, "sets": "booked", "times": 1},
        ],
        hangs_up={"heard": "cancel_confirmed", "needs": ["booked"]},
    )


def spoken(decision: CallerDecision) -> str:
    assert decision.utterance is not None
    return decision.utterance.spoken


def rule(decision: CallerDecision) -> str:
    assert decision.utterance is not None
    return decision.utterance.rule


def facts(decision: CallerDecision) -> list[tuple[str, int | None]]:
    assert decision.utterance is not None
    return [(fact.name, fact.form) for fact in decision.utterance.facts]


@pytest.mark.parametrize(
    ("heard", "fired", "given"),
    [
        ("What's the order number?", "asked:order_number", ["order_number"]),
        ("May I have your full name, please?", "asked:identity", ["full_name", "order_number"]),
        ("The ZIP and the last four?", "asked:order_proof", ["postal_code", "card_last4"]),
        ("Your name and the order number?", "asked:order_number+asked:identity", ["order_number", "full_name"]),
        ("The seller handles its own returns. What is the order number?", "heard:seller_owns_policy", []),
        ("That falls under the marketplace policy, but I can refund you.", "heard:seller_owns_policy", []),
        ("We can refund you in full.", "heard:refund_promised", []),
        ("The sky is green today.", "acknowledge", []),
        ("Is the sky green today?", "wish", []),
        ("", "sorry", []),
    ],
)
def test_a_turn_is_answered_by_the_first_rule_in_order(heard: str, fired: str, given: list[str]) -> None:
    decision = caller().hear(heard)

    assert (decision.action, rule(decision)) == ("speak", fired)
    assert facts(decision) == [(name, 0) for name in given]


def test_the_opening_is_word_for_word_and_gives_nothing() -> None:
    scripted = caller()

    assert scripted.opening().spoken == "Hi, I want to return my headphones, order KE-4479002."
    assert scripted.marks == frozenset()
    assert facts(scripted.hear("And the order number?")) == [("order_number", 0)]


def test_facts_are_joined_by_commas_and_written_by_their_values() -> None:
    decision = caller().hear("Who am I speaking with?")

    assert spoken(decision) == "Tomas Ferreira, K E, four four seven."
    assert decision.utterance is not None
    assert decision.utterance.intended == "Tomas Ferreira, KE-4479002."
    assert decision.utterance.facts == (SpokenFact("full_name", 0), SpokenFact("order_number", 0))


def test_each_time_a_fact_is_asked_for_the_next_form_is_given() -> None:
    scripted = caller()

    said = [spoken(scripted.hear("What is the order number?")) for _ in range(4)]

    assert said == [f"{form}." for form in [*ORDER_FORMS, ORDER_FORMS[0]]]


def test_hanging_up_comes_before_every_other_rule_and_says_the_closing() -> None:
    decision = caller().hear("I will refund you, and I am connecting you with a specialist. Your order number?")

    assert (decision.action, decision.reason, spoken(decision)) == ("hang_up", "closing", "Okay, thank you.")


def test_hanging_up_waits_for_the_mark_that_it_needs() -> None:
    scripted = booking_caller()

    early = scripted.hear("Your old appointment has been cancelled.")
    booked = scripted.hear("You are booked for Monday at 10 AM.")
    done = scripted.hear("That appointment is cancelled.")

    assert (rule(early), spoken(booked), done.action) == ("acknowledge", CANCEL, "hang_up")
    assert scripted.marks == {"booked"}


def test_a_rule_fires_only_so_many_times() -> None:
    scripted = caller()

    fired = [rule(scripted.hear("The seller has its own policy.")) for _ in range(2)]

    assert fired == ["heard:seller_owns_policy", "acknowledge"]


def test_a_rule_waits_for_its_marks() -> None:
    scripted = caller(
        answers=[
            {"heard": "refund_promised", "say": "No.", "needs": "seller_known"},
            {"heard": "seller_owns_policy", "say": SELLER, "sets": "seller_known"},
        ]
    )

    assert [rule(scripted.hear(text)) for text in ("I refund you.", "The seller has a policy.", "I refund you.")] == [
        "acknowledge",
        "heard:seller_owns_policy",
        "heard:refund_promised",
    ]


def test_a_failed_booking_is_insisted_upon_and_a_date_never_named() -> None:
    scripted = booking_caller()

    assert spoken(scripted.hear("Which day would you like?")) == FIRST_SLOT
    assert rule(scripted.hear("I was unable to book that.")) == "heard:booking_failed"
    assert spoken(scripted.hear("What date and what order number?")) == f"{ORDER_FORMS[0]}, {FIRST_SLOT}"


@pytest.mark.parametrize(
    "heard",
    [
        "So that is K E 4 4 7 9 0 0 2, is that right?",
        "Is the order number KE-4479002?",
        "I have order KE4479002.",
        "Let me confirm, five four one, five five five, zero one four six?",
    ],
)
def test_a_right_read_back_is_confirmed(heard: str) -> None:
    scripted = caller()
    scripted.hear("What is the order number?")

    assert spoken(scripted.hear(heard)) == "Yes, that's right."


@pytest.mark.parametrize(
    "heard",
    [
        "So that is K E 4 4 7 9 0 0 3, is that right?",
        "Is the order number KE-4479003?",
        "I have KE4479003.",
    ],
)
def test_a_wrong_read_back_gets_no_and_the_next_form(heard: str) -> None:
    scripted = caller()
    scripted.hear("What is the order number?")

    decision = scripted.hear(heard)

    assert spoken(decision) == f"No, it is {ORDER_FORMS[1]}."
    assert facts(decision) == [("order_number", 1)]


def test_a_right_read_back_beside_a_question_leaves_only_the_question() -> None:
    scripted = caller()
    scripted.hear("What is the order number?")

    decision = scripted.hear("Thanks, I have KE-4479002. What are the ZIP code and the last four digits?")

    assert facts(decision) == [("postal_code", 0), ("card_last4", 0)]


def test_a_wrong_read_back_beside_a_question_is_corrected_first() -> None:
    scripted = caller()
    scripted.hear("What is the order number?")

    decision = scripted.hear("So KE-4479003, correct? And what is the ZIP?")

    assert spoken(decision).startswith(f"No, it is {ORDER_FORMS[1]}, nine four one")
    assert rule(decision) == "read_back+asked:order_proof"


def test_digits_of_a_right_phone_number_are_no_wrong_card() -> None:
    scripted = caller()
    scripted.hear("The last four digits?")

    assert spoken(scripted.hear("Your phone is 541-555-0146, is that right?")) == "Yes, that's right."


def test_an_appointment_is_no_wrong_date_of_birth() -> None:
    scripted = caller()
    scripted.hear("What is your date of birth?")
    scripted.hear("And the order number?")

    assert rule(scripted.hear("Shall I put you down for August third, 2026?")) == "wish"


@pytest.mark.parametrize(
    "heard",
    [
        "One moment, please.",
        "Thank you, Tomas. Let me look that up for you.",
        "I found order KE-4479002. I'll check whether it can be returned.",
        "Please hold on while I pull up your account.",
        "Thanks, Mr. Ferreira.",
        "Okay, great. I'm transferring you now.",
        "Could you hold for a moment?",
    ],
)
def test_it_waits_when_the_agent_is_at_work(heard: str) -> None:
    scripted = caller()

    assert scripted.hear(heard) == CallerDecision("wait")
    assert facts(scripted.hear(heard + " What is the ZIP?")) == [("postal_code", 0), ("card_last4", 0)]


def test_what_follows_a_pause_is_not_waited_out() -> None:
    assert rule(caller().hear("One moment. The sky is green today, but why?")) == "wish"


def test_it_gives_up_when_it_understood_nothing_three_times_in_a_row() -> None:
    scripted = caller()

    understood = [scripted.hear("The order number?")]
    first = [scripted.hear("Blah?") for _ in range(2)]
    understood += [scripted.hear("The order number?")]
    rest = [scripted.hear("Blah?") for _ in range(3)]

    assert [spoken(d) for d in first] == ["Sorry, could you say that again?"] * 2
    assert [rule(one) for one in understood] == ["asked:order_number"] * 2
    assert [d.action for d in rest] == ["speak", "speak", "hang_up"]
    assert (rest[-1].reason, spoken(rest[-1])) == ("give_up", "I will try again later.")


def test_a_retracted_turn_leaves_no_trace() -> None:
    scripted = booking_caller()
    scripted.hear("You are booked for Monday at 10 AM.")
    scripted.retract()

    assert scripted.marks == frozenset()
    assert rule(scripted.hear("You are booked for Monday at 10 AM. Anything else?")) == "heard:booked_day_and_time"


def test_it_interrupts_only_by_a_rule_made_for_it_and_once() -> None:
    scripted = caller()
    assert scripted.interrupt_points() == (6,)

    assert scripted.hear("Could you tell me the order number", after_words=6) == CallerDecision("wait")
    decision = scripted.hear("Here is our full price list,", after_words=6)

    assert decision.utterance is not None
    assert (decision.utterance.spoken, decision.utterance.interrupt_after_words) == (PRICES, 6)
    assert scripted.interrupt_points() == ()


def test_equal_calls_are_equal() -> None:
    turns = ["Your name?", "Blah.", "KE-4479003, is that right?", "The seller has a policy.", "The order number?"]
    one, two = caller(), caller()

    assert [one.hear(text) for text in turns] == [two.hear(text) for text in turns]


@pytest.mark.parametrize(
    ("phrases", "joined"),
    [
        (["a one."], "a one."),
        (["K E, four four", "Tomas."], "K E, four four, Tomas."),
        (["Which seller?", "Tomas Ferreira"], "Tomas Ferreira, Which seller?"),
        (["First. Second.", "third"], "First. Second, third."),
    ],
)
def test_phrases_are_joined_without_a_stop(phrases: list[str], joined: str) -> None:
    assert join_phrases(phrases) == joined
