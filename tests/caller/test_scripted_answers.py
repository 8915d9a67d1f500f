"""What no rule of the script matches: each turn is given its labels, so that only the reaction is tested."""

from __future__ import annotations

from typing import Any

import pytest

from tests.caller.test_scripted import ORDER_FORMS, SPEC, booking_caller, caller, facts, rule, spoken
from voicebench.caller.policy import CallerDecision
from voicebench.caller.scripted import ScriptedCaller
from voicebench.language.intents import Intents
from voicebench.language.labels import Act, Detail
from voicebench.language.requests import Requests
from voicebench.language.sentences import split_sentences
from voicebench.language.slots import IntentsSpec
from voicebench.language.turn_meaning import TurnMeaning
from voicebench.packs.models import CallerScript

pytestmark = pytest.mark.unit

OPENING = "Hi, I want to return my headphones, order KE-4479002."
WANT = "I want to return my headphones."
SORRY = "Sorry, could you say that again?"
ISSUE = "They hurt my ears."

ACTS: dict[str, tuple[Act, ...]] = {
    "Pardon?": ("repeat_unnamed",),
    "That number seems short.": ("repeat_unnamed",),
    "I couldn't find it, could you check?": ("repeat_unnamed", "not_found"),
    "I couldn't find it.": ("not_found",),
    "What is wrong with it, what did you say?": ("repeat_unnamed",),
    "Retrieving details.": ("working",),
    "Would you mind holding?": ("hold",),
    "Handing you over.": ("transfers_now",),
    "Much obliged.": ("thanks",),
    "So sorry about it.": ("apology",),
    "It is done.": ("done",),
    "We do not do this.": ("cannot",),
    "It costs nine dollars.": ("fee",),
    "Lovely day.": ("small_talk",),
    "All the best.": ("goodbye",),
    "You could have a voucher.": ("offers_remedy",),
    "We ring you tomorrow.": ("offers_callback",),
    "A colleague could take it?": ("offers_person", "proceed"),
    "Only a colleague could take it?": ("offers_person",),
    "Is it a deal?": ("proceed",),
    "It is done, and now the other.": ("done", "working"),
}
DETAILS: dict[str, tuple[Detail, ...]] = {
    "Your PIN?": ("other",),
    "Your member ID?": ("account_or_member_number",),
    "Which evening?": ("day_or_time",),
    "What is broken?": ("what_happened",),
    "Some details about who you are?": ("other",),
    "The order number or anything else?": ("order_number", "other"),
    "The order number and your PIN?": ("order_number", "other"),
}


@pytest.fixture(autouse=True)
def labelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the turns of this file their labels, and no turn any other."""

    def meaning(self: Intents, text: str) -> TurnMeaning:
        requests = Requests(DETAILS.get(text, ()))
        return TurnMeaning(tuple(split_sentences(text)), requests, frozenset(ACTS.get(text, ())))

    monkeypatch.setattr(Intents, "meaning", meaning)


def shopper(**changes: Any) -> ScriptedCaller:
    """The caller of these tests: it wants something, and knows what is wrong with it."""
    labels = {
        "order_number": "order_number",
        "other": "other_proof",
        "not_found": "identity",
        "proceed": "proceed",
        "offers_person": "offer_person",
        "what_help": "what_help",
    }
    asked = {
        **SPEC.intents.asked,
        "other_proof": ["password"],
        "what_help": ["how can i help"],
        "issue": ["what is wrong"],
        "proceed": ["go ahead|take it"],
        "offer_person": ["speak to a person"],
    }
    intents = IntentsSpec.model_validate(SPEC.intents.model_dump() | {"labels": labels, "asked": asked})
    answers = [
        {"asked": "order_number", "give": ["order_number"]},
        {"asked": "identity", "give": ["full_name", "order_number"]},
        {"asked": "issue", "say": ISSUE},
        {"asked": "what_help", "say": WANT},
        {"heard": "refund_promised", "say": "No refund.", "times": 1},
    ]
    built = caller(**{"answers": answers, **changes})
    script: CallerScript = built._script
    return ScriptedCaller(script, SPEC.model_copy(update={"intents": intents}))


def heard(scripted: ScriptedCaller, *turns: str) -> list[CallerDecision]:
    return [scripted.hear(turn) for turn in turns]


def says(scripted: ScriptedCaller, *turns: str) -> list[str | None]:
    return [one.utterance.spoken if one.utterance else None for one in heard(scripted, *turns)]


# ---- asked to say that again --------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", ["Pardon?", "That number seems short.", "I couldn't find it, could you check?"])
def test_asked_to_repeat_it_gives_what_it_gave_last_in_its_next_form(again: str) -> None:
    scripted = shopper()
    scripted.hear("What is the order number?")

    decision = scripted.hear(again)

    assert (spoken(decision), rule(decision)) == (f"{ORDER_FORMS[1]}.", "repeat:order_number")
    assert facts(decision) == [("order_number", 1)]


def test_words_of_a_request_to_repeat_ask_nothing_else() -> None:
    scripted = shopper()
    scripted.hear("What is the order number?")

    assert rule(scripted.hear("What is wrong with it, what did you say?")) == "repeat:order_number"


def test_all_that_was_given_last_is_given_again() -> None:
    scripted = shopper()
    scripted.hear("Who am I speaking with?")

    decision = scripted.hear("Pardon?")

    assert facts(decision) == [("full_name", 1), ("order_number", 1)]
    assert rule(decision) == "repeat:full_name+repeat:order_number"


def test_a_sentence_that_it_said_last_is_said_again_and_not_the_number_before_it() -> None:
    scripted = shopper()

    said = says(scripted, "What is the order number?", "And what is wrong with it?", "Pardon?")

    assert said[1:] == [ISSUE, ISSUE]


def test_before_it_has_said_anything_it_says_its_opening_again_and_then_what_it_wants() -> None:
    decisions = heard(shopper(), "Pardon?", "Pardon?")

    assert [spoken(one) for one in decisions] == [OPENING, WANT]
    assert [rule(one) for one in decisions] == ["repeat:opening"] * 2


def test_to_repeat_counts_toward_giving_up_only_once_every_form_was_used() -> None:
    decisions = heard(shopper(), "What is the order number?", *["Pardon?"] * 5)

    assert [one.action for one in decisions] == ["speak"] * 5 + ["hang_up"]
    assert [spoken(one) for one in decisions[1:5]] == [f"{ORDER_FORMS[n]}." for n in (1, 2, 0, 1)]
    assert decisions[-1].reason == "give_up"


def test_what_was_not_found_is_asked_for_anew_where_nothing_was_given() -> None:
    assert rule(shopper().hear("I couldn't find it.")) == "asked:identity"
    assert rule(shopper().hear("I couldn't find it, could you check?")) == "asked:identity"


# ---- what it does not have ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", ["Your PIN?", "Your member ID?"])
def test_a_detail_of_another_trade_is_answered_with_what_it_has(turn: str) -> None:
    decision = shopper().hear(turn)

    assert (spoken(decision), rule(decision)) == ("I don't have that, I have an order number.", "have_not")


def test_what_it_has_is_something_that_it_has_not_given() -> None:
    said = says(shopper(), "What is the order number?", "Your PIN?")

    assert said[1] == "I don't have that, I have a postal code."


def test_one_who_has_no_number_says_so() -> None:
    scripted = shopper(facts={}, answers=[{"asked": "issue", "say": ISSUE}])

    assert says(scripted, "Your PIN?") == ["I don't have that."]


@pytest.mark.parametrize("turn", ["Which evening?", "What is broken?"])
def test_a_story_or_a_choice_that_it_was_not_given_is_met_with_what_it_wants(turn: str) -> None:
    assert says(shopper(), turn) == [WANT]


def test_asked_for_details_in_general_it_gives_what_looks_it_up_and_has_not_been_given() -> None:
    answers = [
        {"asked": "identity", "give": ["full_name", "order_number"]},
        {"asked": "other_proof", "say": "I would rather not give that."},
    ]
    decisions = heard(shopper(answers=answers), *["Some details about who you are?"] * 2, "Your PIN?")

    assert [rule(one) for one in decisions] == ["asked:identity", "asked:other_proof", "asked:other_proof"]


def test_of_a_detail_or_some_other_it_gives_the_one_and_of_two_both() -> None:
    answers = [
        {"asked": "order_number", "give": ["order_number"]},
        {"asked": "other_proof", "say": "I would rather not give that."},
    ]

    assert rule(shopper(answers=answers).hear("The order number or anything else?")) == "asked:order_number"
    assert rule(shopper(answers=answers).hear("The order number and your PIN?")) == (
        "asked:order_number+asked:other_proof"
    )


# ---- waiting, okay, and what it wants -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "turn",
    [
        "Retrieving details.",
        "Would you mind holding?",
        "Handing you over.",
        "Much obliged.",
        "So sorry about it.",
        "It is done, and now the other.",
    ],
)
def test_it_waits_where_the_agent_goes_on_or_is_polite(turn: str) -> None:
    assert shopper().hear(turn) == CallerDecision("wait")


@pytest.mark.parametrize("turn", ["It is done.", "We do not do this.", "It costs nine dollars.", "Lovely day."])
def test_a_statement_is_met_with_okay(turn: str) -> None:
    decision = shopper().hear(turn)

    assert (spoken(decision), rule(decision)) == ("Okay.", "acknowledge")


@pytest.mark.parametrize(
    "turn", ["All the best.", "You could have a voucher.", "We ring you tomorrow.", "Is it a deal?"]
)
def test_an_offer_or_a_goodbye_is_met_with_what_it_wants_and_never_with_okay(turn: str) -> None:
    decision = shopper().hear(turn)

    assert (spoken(decision), rule(decision)) == (WANT, "wish")


def test_one_without_an_answer_to_what_it_wants_says_its_opening_again() -> None:
    assert says(shopper(answers=[]), "All the best.") == [OPENING]


def test_after_two_okays_without_progress_it_says_again_what_it_wants_and_at_last_gives_up() -> None:
    decisions = heard(shopper(), *["It is done."] * 7)

    assert [spoken(one) for one in decisions[:-1]] == ["Okay.", "Okay.", WANT, "Okay.", WANT, "Okay."]
    assert decisions[-1].reason == "give_up"


def test_an_answer_begins_the_count_anew() -> None:
    turns = ["It is done.", "It is done.", "What is the order number?"]

    assert says(shopper(), *turns, *turns)[3:5] == ["Okay.", "Okay."]


def test_waiting_counts_for_nothing() -> None:
    assert says(shopper(), "It is done.", "Retrieving details.", "It is done.", "It is done.") == [
        "Okay.",
        None,
        "Okay.",
        WANT,
    ]


def test_to_an_offer_of_a_person_no_consent_to_anything_else_is_given() -> None:
    answers = [{"asked": "proceed", "say": "Yes, please."}, {"asked": "offer_person", "say": "No, with you."}]

    assert says(shopper(answers=answers), "A colleague could take it?") == ["Yes, please, No, with you."]
    assert says(shopper(answers=answers), "Only a colleague could take it?") == ["No, with you."]


# ---- not understood -----------------------------------------------------------------------------------------------


def test_the_first_question_that_it_does_not_understand_is_met_with_what_it_wants_and_others_with_sorry() -> None:
    assert says(shopper(), "Blah?", "Blah?") == [WANT, SORRY]
    assert says(shopper(), "What is wrong with it?", "Blah?") == [ISSUE, SORRY]


def test_silence_is_never_met_with_what_it_wants() -> None:
    assert says(shopper(), "") == [SORRY]


@pytest.mark.parametrize(
    "turns",
    [
        ["Blah?", "Your PIN?", "All the best."],
        ["", "", ""],
        ["Your PIN?", "Your PIN?", "Your PIN?"],
        ["Blah?", "It is done.", "Blah?", "Retrieving details.", "Blah?"],
    ],
)
def test_three_turns_in_a_row_without_an_answer_and_it_gives_up(turns: list[str]) -> None:
    decisions = heard(shopper(), *turns)

    assert [one.reason for one in decisions] == [None] * (len(turns) - 1) + ["give_up"]


@pytest.mark.parametrize("turn", ["Pardon?", "Your PIN?", "It is done.", "All the best.", "Blah?", ""])
def test_each_of_these_is_taken_back_without_a_trace(turn: str) -> None:
    one, other = shopper(), shopper()
    turns = ["What is the order number?", "Pardon?", "It is done."]
    heard(one, *turns)
    heard(other, *turns)

    one.hear(turn)
    one.retract()

    assert heard(one, *turns, turn) == heard(other, *turns, turn)


def test_a_script_with_marks_wants_what_it_wants_now() -> None:
    scripted = booking_caller()
    scripted.hear("You are booked for Monday at 10 AM.")

    assert rule(scripted.hear("All the best.")) == "wish"
