from __future__ import annotations

import pytest

from voicebench.caller.policy import CallerDecision
from voicebench.caller.scripted import ScriptedCaller
from voicebench.packs import load_pack

pytestmark = pytest.mark.unit

PACKS = {"T": "customer_support", "R": "customer_support", "H": "healthcare", "L": "legal"}
NOT_ITS_OWN = {
    "T1-E1": [
        "I could cancel the order and send you a gift card, would that be okay?",
        "Shall we bring it on Monday, August tenth?",
        "Do you want me to delete your profile?",
        "May I put you down for a newsletter?",
        "Would you accept a voucher for the trouble?",
        "Can I take a deposit first, is that all right?",
        "Is Tuesday the eleventh okay with you?",
    ],
    "T2-E1": [
        "Would store credit be okay?",
        "We would swap it for a replacement. Shall I go ahead?",
        "Should I end your membership?",
        "I would take off a restocking fee. Is that all right?",
    ],
    "T3-E1": ["Shall I postpone it by a week?", "Would you like to leave it as it is and take a discount?"],
    "T4-E1": ["Shall I upgrade you to the next level?", "Would you like to keep it for half the price?"],
    "R-E1": ["Do you want me to erase your profile?", "Would it be all right to call you twice a year?"],
    "H1-E1": [
        "Would Doctor Haddad be okay?",
        "Doctor Callaway is away, so I would book you with Doctor Haddad. Is that all right?",
        "Shall I put you down with our physician assistant?",
        "Do you agree to this call being recorded?",
        "Should I book a video visit?",
        "Shall I put you on our standby list?",
        "Would you mind if we forward your records to the hospital, shall I do that?",
        "Shall I book you with a different doctor?",
        "Do you want me to cancel it?",
    ],
    "H1-M1": ["Shall I reschedule it?", "Should I cancel all of your visits?", "Would a video visit be okay?"],
    "L1-E1": [
        "Should I book a consultation anyway, for sixty dollars up front?",
        "Do you agree that I record this call?",
    ],
    "L3-E1": ["Would a meeting in person be okay?", "Is it okay if a law clerk rings you?"],
    "L4-E1": [
        "Should I close your matter?",
        "Shall I write to the other party's side too?",
        "May I go ahead and delete it?",
    ],
}
ITS_OWN = {
    "T1-E1": [
        "It costs nine dollars to move it. Is that all right?",
        "Moving it to Thursday, August sixth is free, shall I go ahead?",
        "Should I put it on the sixth of August?",
    ],
    "T2-E1": ["Shall I open the return for you?", "You will get the refund on your card. Is that okay?"],
    "T3-E1": ["Do you want me to cancel it?", "Should I call it off for you?"],
    "T4-E1": ["Shall I turn it off?", "It will then not renew, is that okay?"],
    "R-E1": ["Shall I stop those calls for you?"],
    "H1-E1": [
        "Is it okay if I book that with Doctor Callaway?",
        "If you cancel late it costs forty dollars, shall I go ahead?",
        "Shall I go ahead and reserve it?",
    ],
    "H1-M1": ["Should I cancel the visit anyway?"],
    "L3-E1": ["Would you like me to hold it for you?"],
    "L4-E1": ["Shall I send that message?"],
}


def caller_of(task: str) -> ScriptedCaller:
    pack = load_pack(PACKS[task[0]])
    return ScriptedCaller(pack.tasks[task].caller, pack.spec)


def rule_of(decision: CallerDecision) -> str:
    return decision.utterance.rule if decision.utterance else ""


@pytest.mark.parametrize(("task", "text"), [(task, text) for task, texts in NOT_ITS_OWN.items() for text in texts])
def test_what_is_not_its_own_is_never_accepted(task: str, text: str) -> None:
    rule = rule_of(caller_of(task).hear(text))
    assert rule in {"wish", "have_not", "asked:which_date", "asked:which_day", "asked:which_clinician"}


@pytest.mark.parametrize(("task", "text"), [(task, text) for task, texts in ITS_OWN.items() for text in texts])
def test_its_own_wish_in_other_words_is_accepted(task: str, text: str) -> None:
    rule = rule_of(caller_of(task).hear(text))
    assert "asked:proceed" in rule or rule.startswith("heard:")


@pytest.mark.parametrize(
    "text",
    [
        "We've got the fourth, the sixth, and the twelfth, any of those?",
        "Would Wednesday suit you?",
        "Could you do Friday the seventh instead, or would Saturday be better?",
        "Is Monday all right?",
    ],
)
def test_days_offered_are_answered_with_its_own(text: str) -> None:
    decision = caller_of("T1-E1").hear(text)
    assert rule_of(decision) == "asked:which_date"
    assert decision.utterance
    assert [fact.name for fact in decision.utterance.facts] == ["delivery_date"]


def test_a_caller_kept_on_the_line_without_end_gives_up() -> None:
    caller = caller_of("T1-E1")
    decisions = [caller.hear("Please hold the line.") for _ in range(9)]
    assert [one.action for one in decisions] == [*(["wait"] * 6), "speak", "speak", "hang_up"]
    assert [rule_of(one) for one in decisions[6:]] == ["still_waiting", "still_waiting", "give_up"]


def test_a_caller_that_was_answered_in_between_waits_anew() -> None:
    caller = caller_of("T1-E1")
    for _ in range(3):
        held = [caller.hear("One moment, please.") for _ in range(5)]
        assert {one.action for one in held} == {"wait"}
        assert caller.hear("What is your order number?").action == "speak"
