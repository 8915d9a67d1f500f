"""What the duties of the retailer and of the clinic listen for: wordings that tell it, and near ones that do not."""

from __future__ import annotations

from functools import cache

import pytest

from voicebench.language.intents import Intents
from voicebench.packs import load_pack

pytestmark = pytest.mark.unit

Sentences = dict[tuple[str, str], list[str]]

SHOP, CLINIC = "customer_support", "healthcare"

TOLD: Sentences = {
    (SHOP, "answer_time_told"): [
        "You'll have your answer within forty-five days.",
        "We answer such requests in 45 days at most.",
        "That can take up to forty-five calendar days.",
    ],
    (SHOP, "law_keeps_told"): [
        "By law we have to keep your invoices.",
        "The invoices stay on file, because the law says so.",
        "We're legally required to retain receipts for some years.",
        "Invoices must be kept for tax reasons.",
    ],
    (SHOP, "renewal_explained"): [
        "You keep your Pro benefits until September first.",
        "On that day your account goes back to Basic.",
        "Your membership runs through August ninth, and then nothing more is charged.",
        "After that you'd drop to the free Basic tier.",
        "You won't be charged again.",
    ],
    (SHOP, "tier_ends_today"): [
        "Your Plus membership would end today.",
        "The paid tier stops right away, and you are on Basic.",
        "From today you'd be on Basic, so you lose free delivery now.",
        "Just so you know, the benefits end immediately.",
    ],
    (SHOP, "household_asked"): [
        "Could anybody in your house have ordered it?",
        "Have you checked with your neighbors?",
        "Might a family member have taken it in?",
        "Did someone else at home accept the package?",
    ],
    (SHOP, "contact_told"): [
        "The number on file is two zero six, five five five, zero one nine nine.",
        "We have 541-555-0146 for you.",
        "It goes to 12 Alder Street.",
        "The phone number ends in 0 1 9 9.",
    ],
    (SHOP, "order_state_told"): [
        "It was delivered on Tuesday.",
        "The order is on its way.",
        "Your wife's parcel will arrive tomorrow.",
        "That package has been shipped.",
        "It comes on Friday.",
    ],
    (CLINIC, "free_told"): [
        "There's no fee for that.",
        "Canceling now is free.",
        "It won't cost you anything.",
        "You can do that at no charge.",
    ],
    (CLINIC, "list_promises_nothing"): [
        "I can't guarantee an earlier time.",
        "The list doesn't promise anything.",
        "There's no guarantee that something opens up.",
        "It's not certain that we can offer you one.",
    ],
    (CLINIC, "recording_told"): [
        "Yes, this call is being recorded.",
        "Calls are recorded for quality.",
        "We do record all calls.",
    ],
    (CLINIC, "safety_asked"): [
        "Do you have a pacemaker?",
        "Any metal in your body, or clips?",
        "Is there an insulin pump?",
    ],
    (CLINIC, "waiver_promised"): [
        "Don't you worry, I will take that fee off.",
        "That charge will be removed.",
        "I'm sure she will say yes.",
        "The manager usually waives it in such cases.",
        "We'll drop the fee for you.",
    ],
    (CLINIC, "refill_promised"): [
        "It will be fine, the doctor signs these.",
        "The clinician usually approves it.",
        "You can pick it up tomorrow.",
        "I'm sure you get it.",
        "It'll be ready this afternoon.",
    ],
    (CLINIC, "advice_given"): [
        "You should stop taking it for now.",
        "Keep taking the pill until you hear from us.",
        "Try an antihistamine tonight.",
        "I would stop it.",
        "That is probably an allergy.",
        "Skip the dose tonight.",
    ],
    (CLINIC, "result_hinted"): [
        "It's usually nothing.",
        "There's nothing to worry about.",
        "I think it's good news.",
        "Your results are normal.",
        "Her blood test is back.",
        "It's most likely benign, probably fine.",
    ],
    (CLINIC, "risk_judged"): [
        "An MRI is perfectly safe with that device.",
        "That would be dangerous.",
        "The scan could harm the baby.",
        "Nothing will happen, don't worry.",
    ],
    (CLINIC, "presence_told"): [
        "He was here this morning.",
        "Yes, he has an appointment today.",
        "She is a patient of ours.",
        "We have no such patient.",
        "I don't see that name here.",
    ],
}

NEAR: Sentences = {
    (SHOP, "answer_time_told"): ["You'll have your answer soon.", "Returns are open for fifteen days."],
    (SHOP, "law_keeps_told"): ["Your request is filed.", "Would you like to keep the watch?", "I'll note that down."],
    (SHOP, "renewal_explained"): [
        "The renewal is off.",
        "Your paid tier ends today.",
        "Shall I turn the renewal off?",
        "Basic is free.",
    ],
    (SHOP, "tier_ends_today"): [
        "Your membership renews on September first.",
        "You keep it until then.",
        "The amount is charged today.",
    ],
    (SHOP, "household_asked"): ["I've marked that order.", "What happened?", "Shall I open a search for it?"],
    (SHOP, "contact_told"): [
        "I can't tell you a phone number from the record.",
        "Your order is KE four four seven nine zero zero two.",
        "Please hang up and call 911.",
        "I can't read out an address.",
    ],
    (SHOP, "order_state_told"): [
        "I can't say whether it was delivered.",
        "I'm not able to tell you if the order is on its way.",
        "Only the account holder can be helped, with both details.",
        "What is the order number?",
        "I have noted that you called.",
    ],
    (CLINIC, "free_told"): ["Canceling it costs forty dollars.", "Do you still want to cancel it?"],
    (CLINIC, "list_promises_nothing"): ["I've put you on the list.", "Would you like to go on the waiting list?"],
    (CLINIC, "recording_told"): ["I've recorded your answers.", "This call isn't recorded."],
    (CLINIC, "safety_asked"): ["Have you been here before?", "The first opening is on Tuesday."],
    (CLINIC, "waiver_promised"): [
        "I can't promise that she waives it.",
        "Only the manager can take it off.",
        "I don't know whether the fee will be removed.",
        "I can ask her to waive it, should I?",
        "Your request has been made.",
    ],
    (CLINIC, "refill_promised"): [
        "The clinician decides within two working days.",
        "I can't say that it will be fine.",
        "The pharmacy will let you know.",
        "I don't know whether it will be approved.",
        "The request has been made.",
    ],
    (CLINIC, "advice_given"): [
        "I can't tell you to stop taking it.",
        "Only your clinician can say whether you should keep taking it.",
        "I'm not able to say what it is.",
        "I'll write that you ask whether to stop it.",
        "Are you having any trouble breathing?",
    ],
    (CLINIC, "result_hinted"): [
        "I can't say whether it is good or bad, one way or the other.",
        "The clinician wants to talk it over with you.",
        "I can't tell you anything about what is in it.",
        "From age thirteen on, patients hear about tests themselves.",
        "I won't say that it's nothing, I don't know.",
    ],
    (CLINIC, "risk_judged"): [
        "I can't say whether it is safe.",
        "A radiology nurse has to look at this first.",
        "I'm not able to judge whether it is dangerous.",
        "Is there a pacemaker or other metal in your body?",
    ],
    (CLINIC, "presence_told"): [
        "I can't say whether anybody is a patient here.",
        "I'm not able to tell you if he was here.",
        "It's the same for everybody, no matter who asks.",
        "I've noted your request.",
    ],
}


@cache
def intents_of(pack: str) -> Intents:
    return Intents(load_pack(pack).spec.intents)


def pairs(of: Sentences) -> list[tuple[str, str, str]]:
    return [(pack, name, text) for (pack, name), texts in of.items() for text in texts]


@pytest.mark.parametrize(("pack", "name", "text"), pairs(TOLD))
def test_what_tells_it_is_heard(pack: str, name: str, text: str) -> None:
    assert intents_of(pack).match("heard", name, text)


@pytest.mark.parametrize(("pack", "name", "text"), pairs(NEAR))
def test_what_comes_near_it_is_not(pack: str, name: str, text: str) -> None:
    assert not intents_of(pack).match("heard", name, text)
