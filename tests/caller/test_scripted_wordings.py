"""Turns of agents in many wordings, heard by the callers of shipped tasks: what each does about them."""

from __future__ import annotations

from functools import lru_cache

import pytest

from voicebench.caller.policy import CallerDecision
from voicebench.caller.scripted import ScriptedCaller
from voicebench.packs import Pack, load_pack
from voicebench.packs.models import AnswerRule

pytestmark = pytest.mark.unit

SHOP, CLINIC, FIRM = ("customer_support", "T1-E1"), ("healthcare", "H1-E1"), ("legal", "L3-H1")
ASK = {
    SHOP: "What is the order number?",
    CLINIC: "And what is the phone number?",
    FIRM: "What is the best number to reach you at?",
}


@lru_cache
def pack_of(name: str) -> Pack:
    return load_pack(name)


def caller(task: tuple[str, str], *before: str) -> ScriptedCaller:
    pack = pack_of(task[0])
    scripted = ScriptedCaller(pack.cases[task[1]].caller, pack.spec)
    for turn in before:
        scripted.hear(turn)
    return scripted


def rule(decision: CallerDecision) -> str:
    return "wait" if decision.utterance is None else decision.utterance.rule


def spoken(decision: CallerDecision) -> str:
    return "" if decision.utterance is None else decision.utterance.spoken


def given(decision: CallerDecision) -> list[str]:
    return [] if decision.utterance is None else [fact.name for fact in decision.utterance.facts]


# ---- asked to say that again --------------------------------------------------------------------------------------

AGAIN = [
    "Once more, please?",
    "Could you say that again, a bit slower?",
    "Slowly, please.",
    "Sorry, that was cut off.",
    "You broke up there, what was that?",
    "I'm afraid that number seems short.",
    "I only got six digits.",
    "I couldn't find it, could you check the number?",
    "I missed the last part.",
    "Come again?",
    "Pardon me?",
    "Would you mind repeating that?",
    "The line is bad, can you repeat that for me?",
    "I didn't quite catch all of that.",
    "Can you read that to me one more time?",
    "Let me get that again, please.",
]


@pytest.mark.parametrize("task", [SHOP, CLINIC, FIRM])
@pytest.mark.parametrize("text", AGAIN)
def test_asked_to_repeat_in_any_words_it_gives_the_next_form(task: tuple[str, str], text: str) -> None:
    scripted = caller(task)
    first = scripted.hear(ASK[task])
    again = scripted.hear(text)

    assert len(given(first)) == 1, first
    assert (given(again), rule(again)) == (given(first), f"repeat:{given(first)[0]}")
    assert spoken(again) != spoken(first)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I'm sorry, I could not find that. What is the order number?", ["order_number"]),
        ("Nothing comes up under that number. May I have your full name?", ["full_name"]),
        ("I'm sorry, I could not find you.", ["full_name", "order_number"]),
    ],
)
def test_of_what_was_not_found_it_gives_what_is_asked_for(text: str, facts: list[str]) -> None:
    scripted = caller(SHOP, ASK[SHOP])
    assert sorted(given(scripted.hear(text))) == facts


@pytest.mark.parametrize("task", [SHOP, CLINIC, FIRM])
@pytest.mark.parametrize("text", ["Sorry, I didn't catch that.", "Could you repeat that?", "What was that?"])
def test_before_anything_was_given_its_opening_is_repeated(task: tuple[str, str], text: str) -> None:
    decision = caller(task).hear(text)

    assert rule(decision) == "repeat:opening"
    assert spoken(decision) == pack_of(task[0]).cases[task[1]].caller.opening


# ---- introductions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", [SHOP, CLINIC, FIRM])
@pytest.mark.parametrize(
    "text",
    [
        "I'm Robin from the front desk, may I have your name?",
        "This is Robin Miller. Who am I speaking with?",
        "Hi, my name is Robin Miller and I'll take care of you today. Could I get your first and last name?",
        "You've reached Robin Miller. What's your name, please?",
    ],
)
def test_who_introduces_himself_is_told_the_callers_name_and_not_corrected(task: tuple[str, str], text: str) -> None:
    decision = caller(task).hear(text)

    assert given(decision) == ["full_name"]
    assert not spoken(decision).startswith("No")


# ---- statements, and turns that need patience ---------------------------------------------------------------------


@pytest.mark.parametrize("task", [SHOP, CLINIC, FIRM])
@pytest.mark.parametrize(
    "text",
    [
        "Retrieving your details now...",
        "Just a second while the system loads.",
        "Give me a moment to pull that up.",
        "I'm going to check on that for you.",
        "Let me see what we have.",
        "Thanks so much.",
        "Thank you for your patience.",
        "I'm sorry to hear that.",
        "Bear with me.",
        "Okay, checking.",
    ],
)
def test_what_needs_only_patience_is_waited_for(task: tuple[str, str], text: str) -> None:
    assert rule(caller(task).hear(text)) == "wait"


@pytest.mark.parametrize("task", [SHOP, CLINIC, FIRM])
@pytest.mark.parametrize(
    "text",
    [
        "That has been taken care of.",
        "I've updated the record.",
        "Unfortunately that isn't possible.",
        "We don't offer that here.",
        "The total comes to forty dollars.",
        "There is a small charge of nine dollars for that.",
        "The office is closed on Sundays.",
        "It usually takes three to five business days.",
        "I understand how frustrating this is.",
    ],
)
def test_a_statement_is_never_met_with_sorry(task: tuple[str, str], text: str) -> None:
    assert rule(caller(task).hear(text)) in ("acknowledge", "wait", "heard:late_fee_told", "heard:fee_told")


@pytest.mark.parametrize("task", [SHOP, CLINIC, FIRM])
@pytest.mark.parametrize("text", ["Thank you for calling, goodbye.", "Have a great day!", "Take care, bye now."])
def test_a_goodbye_too_soon_is_met_with_what_it_still_wants(task: tuple[str, str], text: str) -> None:
    assert rule(caller(task).hear(text)) == "wish"


# ---- details asked together, with a condition, and of other trades ------------------------------------------------


@pytest.mark.parametrize(
    ("task", "text", "facts"),
    [
        (SHOP, "Can I get your name and the order number?", ["full_name", "order_number"]),
        (SHOP, "I'll need your full name, your phone number and your zip code.", ["full_name", "phone", "postal_code"]),
        (SHOP, "What's the phone number, or the order number if you have it?", ["order_number", "phone"]),
        (SHOP, "Please tell me the ZIP and the last four of your card.", ["postal_code", "card_last4"]),
        (SHOP, "Could you give me your booking reference?", ["order_number"]),
        (SHOP, "What's your reservation number?", ["order_number"]),
        (SHOP, "Do you have a customer number?", ["order_number"]),
        (SHOP, "I have the 4th, the 5th and the 6th, which one?", ["delivery_date"]),
        (SHOP, "We could come on August 5th, August 6th or August 7th, which would you prefer?", ["delivery_date"]),
        (CLINIC, "Your full name and date of birth, please.", ["full_name", "date_of_birth"]),
        (CLINIC, "What's the patient's full name?", ["full_name"]),
        (CLINIC, "And the name of the patient?", ["full_name"]),
        (CLINIC, "May I have your phone number, or your chart number?", ["phone"]),
        (CLINIC, "When were you born, and what's your phone number?", ["date_of_birth", "phone"]),
        (FIRM, "Can I have your name and a phone number?", ["full_name", "phone"]),
        (FIRM, "Your full name, please, and which day would suit you.", ["full_name", "consult_date"]),
    ],
)
def test_details_asked_together_are_all_given(task: tuple[str, str], text: str, facts: list[str]) -> None:
    decision = caller(task).hear(text)

    assert sorted(given(decision)) == sorted(facts)


@pytest.mark.parametrize("task", [SHOP, CLINIC, FIRM])
@pytest.mark.parametrize(
    "text",
    [
        "What's the PIN on your account?",
        "What is your mother's maiden name?",
        "And the answer to your security question?",
        "Could you give me your membership level?",
        "What's your user name?",
    ],
)
def test_details_of_other_trades_are_answered_and_never_with_sorry(task: tuple[str, str], text: str) -> None:
    assert rule(caller(task).hear(text)) not in ("sorry", "wish", "wait", "acknowledge")


# ---- read-backs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "before", "text"),
    [
        (SHOP, ASK[SHOP], "K E four five zero two three one six, is that right?"),
        (SHOP, ASK[SHOP], "So the one ending in three one six?"),
        (SHOP, ASK[SHOP], "KE-4502316, did I get that right?"),
        (SHOP, "Who am I speaking with?", "Is that Dana Whitfield?"),
        (SHOP, "Which day would you like?", "Thursday the sixth, correct?"),
        (CLINIC, ASK[CLINIC], "Four zero six, five five five, zero one six four, correct?"),
        (CLINIC, "And what is the date of birth?", "So that's February sixteenth, nineteen seventy-nine?"),
    ],
)
def test_a_right_read_back_is_confirmed(task: tuple[str, str], before: str, text: str) -> None:
    decision = caller(task, before).hear(text)

    assert spoken(decision) == "Yes, that's right."


@pytest.mark.parametrize(
    ("task", "before", "text", "facts"),
    [
        (SHOP, ASK[SHOP], "K E four five zero two three six one, is that right?", ["order_number"]),
        (SHOP, ASK[SHOP], "The one ending in four zero two?", ["order_number"]),
        (SHOP, ASK[SHOP], "I've got KE-450231, is that correct?", ["order_number"]),
        (SHOP, "Who am I speaking with?", "Is that Joanna Whitman, correct?", ["full_name"]),
        (SHOP, "Your name and order number?", "Dana Whitfield, KE-4502317, is that right?", ["order_number"]),
        (SHOP, "The postal code and the last four of the card?", "60614 and 7315, correct?", ["card_last4"]),
        (SHOP, "Which day would you like?", "So Thursday the seventh, is that right?", ["delivery_date"]),
        (CLINIC, ASK[CLINIC], "Four zero six, five five five, zero one four six, correct?", ["phone"]),
        (CLINIC, "And what is the date of birth?", "February sixth, nineteen seventy-nine, right?", ["date_of_birth"]),
    ],
)
def test_a_wrong_read_back_is_corrected(task: tuple[str, str], before: str, text: str, facts: list[str]) -> None:
    decision = caller(task, before).hear(text)

    assert spoken(decision).startswith("No, it is ")
    assert given(decision) == facts


# ---- a transfer and a call back -----------------------------------------------------------------------------------


@pytest.mark.parametrize("task", [SHOP, CLINIC, FIRM])
@pytest.mark.parametrize(
    "text",
    [
        "I can transfer you once I have your name.",
        "We will not call you back.",
        "We are transferring the refund to your card.",
        "I would transfer you, but nobody is there.",
    ],
)
def test_nothing_conditional_or_denied_makes_it_hang_up(task: tuple[str, str], text: str) -> None:
    assert caller(task).hear(text).action != "hang_up"


NOT_SETTLED = [
    "We will not call you back.",
    "I'll transfer you once I have your number.",
    "We are transferring the refund to your card.",
    "I'm not going to transfer you.",
    "Nobody will call you tomorrow.",
    "I'll proceed with the transfer now.",
    "Before I transfer you, I need to see what it is about.",
    "You have been connected to our front line. How can I help?",
]


@pytest.mark.parametrize("task", [SHOP, CLINIC, FIRM])
@pytest.mark.parametrize("text", NOT_SETTLED)
def test_what_is_denied_conditional_or_about_something_else_neither_ends_nor_settles(
    task: tuple[str, str], text: str
) -> None:
    case = pack_of(task[0]).cases[task[1]].caller
    ending = case.hangs_up.model_copy(update={"heard": "person_takes_over", "needs": []})
    refusal = AnswerRule(heard="callback_offered", say="No, not a call.")
    consent = AnswerRule(asked="proceed", say="Yes, please.")
    script = case.model_copy(update={"hangs_up": ending, "answers": [refusal, consent, *case.answers]})

    decision = ScriptedCaller(script, pack_of(task[0]).spec).hear(text)

    assert decision.action != "hang_up"
    assert decision.utterance is None or decision.utterance.rule not in {"heard:callback_offered", "asked:proceed"}


@pytest.mark.parametrize("task", [SHOP, CLINIC, FIRM])
@pytest.mark.parametrize(
    "text",
    [
        "So you want two seats for tonight, right?",
        "You'd like a table by the window on Sunday. Is that correct?",
        "Just to double check, that is three bags, correct?",
        "You said it was the blue one, is that right?",
        "To confirm, you wish to leave at noon. Right?",
        "How much did you pay for it?",
    ],
)
def test_a_read_back_of_what_it_has_no_fact_for_is_met_with_what_it_wants(task: tuple[str, str], text: str) -> None:
    decision = caller(task, "Your call is recorded.").hear(text)

    assert decision.utterance is not None
    assert decision.utterance.rule != "sorry"
