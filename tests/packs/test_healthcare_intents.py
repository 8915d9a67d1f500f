"""What the clinic's callers take an agent to have asked or said, by examples and counter-examples."""

from __future__ import annotations

import pytest

from voicebench.language.intents import IntentKind, Intents
from voicebench.packs.loader import Pack, load_pack

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("healthcare")


@pytest.fixture(scope="module")
def intents(pack: Pack) -> Intents:
    return Intents(pack.spec.intents)


SENTENCES: list[tuple[IntentKind, str, str, bool]] = [
    ("asked", "full_name", "Sure, I can help with that. Could I get your full name and date of birth, please?", True),
    ("asked", "full_name", "To get started, what's your first and last name?", True),
    ("asked", "full_name", "Can you tell me the patient's full name?", False),
    ("asked", "full_name", "And what is your own name?", False),
    ("asked", "full_name", "Thank you. Could you tell me the name of the medicine?", False),
    ("asked", "patient_name", "Can you tell me the patient's full name?", True),
    ("asked", "patient_name", "What is your mother's first and last name and her date of birth?", True),
    ("asked", "patient_name", "May I have your first and last name?", False),
    ("asked", "caller_name", "And may I have your own name, and how you are related to her?", True),
    ("asked", "caller_name", "Who am I speaking with?", True),
    ("asked", "date_of_birth", "Could I get your full name and date of birth, please?", True),
    ("asked", "date_of_birth", "When were you born?", True),
    ("asked", "date_of_birth", "Your visit is on Monday, October nineteenth.", False),
    ("asked", "phone", "And the phone number we have on file for you?", True),
    ("asked", "phone", "Could you give me the phone number in the file or your chart number?", True),
    ("asked", "phone", "I'll text the link to the phone number on file.", False),
    ("asked", "chart_number", "If you have a letter from us, you can also give me the chart number.", True),
    ("asked", "one_more", "I need one more detail to open the chart.", True),
    ("asked", "one_more", "Those details don't go together in our files.", True),
    ("asked", "who_calls", "Are you calling for yourself or for somebody else?", True),
    ("asked", "who_calls", "Are you the patient?", True),
    ("asked", "relation", "What is your relationship to the patient?", True),
    ("asked", "member_id", "What's the member ID on the new card?", True),
    ("asked", "member_id", "Could you read me the member number, please?", True),
    ("asked", "which_day", "What day would work best for you?", True),
    ("asked", "which_day", "Do you prefer mornings or afternoons?", True),
    ("asked", "which_slot", "Which of those would you prefer?", True),
    ("asked", "which_slot", "Does either of these work for you?", True),
    ("asked", "proceed", "Shall I book that for you?", True),
    ("asked", "proceed", "Would you like me to go ahead and cancel it?", True),
    ("asked", "proceed", "Do you still want me to cancel it?", True),
    ("asked", "proceed", "Is that okay?", True),
    ("asked", "proceed", "Should I put in the request for you?", True),
    ("asked", "anything_else", "Is there anything else I can help you with today?", True),
    ("asked", "channel", "Would you like it by text or by email?", True),
    ("asked", "pay_now", "How much would you like to pay today?", True),
    ("asked", "pay_now", "Would you like to pay the full amount or just part of it?", True),
    ("asked", "how_many_months", "Over how many months would you like to spread it?", True),
    ("asked", "why_late", "May I ask why the visit was cancelled so late?", True),
    ("asked", "what_is_wrong", "Which charge looks wrong to you?", True),
    ("asked", "metal", "Do you have a pacemaker or any other metal in your body?", True),
    ("asked", "pregnant", "Is there any chance that you're pregnant?", True),
    ("asked", "dye", "Have you ever had a reaction to contrast dye?", True),
    ("asked", "which_medicine", "Which medicine do you need refilled?", True),
    ("asked", "visit_reason", "What is the reason for the visit?", True),
    ("asked", "visit_reason", "What symptoms are you having?", True),
    ("asked", "getting_worse", "Is it getting worse?", True),
    ("asked", "offer_person", "Would you like me to connect you with somebody at the clinic?", True),
    ("asked", "been_before", "Have you been to our clinic before?", True),
    ("heard", "person_takes_over", "I'm connecting you with a nurse right now.", True),
    ("heard", "person_takes_over", "I'm going to put you through to a person now.", True),
    ("heard", "person_takes_over", "A nurse will take over this call now and stay with you.", True),
    ("heard", "person_takes_over", "Shall I put you through to a nurse?", False),
    ("heard", "person_takes_over", "Would you like to talk to a person?", False),
    ("heard", "person_takes_over", "A radiology nurse has to look at this first.", False),
    ("heard", "information_refused", "I'm sorry, but I can't say whether anybody is a patient here.", True),
    ("heard", "information_refused", "Unfortunately I'm not able to share any information about that.", True),
    ("heard", "information_refused", "Let me look that up.", False),
    ("heard", "declined_noted", "I still can't discuss that. I've noted your request.", True),
    ("heard", "visit_booked", "You're booked for Tuesday, October twenty-seventh at ten.", True),
    ("heard", "visit_booked", "It is not booked yet.", False),
    ("heard", "person_takes_over", "The nurse has to look at it first. I'm putting you through to her now.", True),
    ("asked", "proceed", "May I ask why the visit was cancelled late?", False),
    ("asked", "which_day", "What is the date of birth?", False),
    ("heard", "preparation_told", "Is there any metal in your body?", False),
    ("heard", "information_refused", "I don't have anything on file that allows me to speak with you.", True),
    ("heard", "visit_booked", "You're all set for Friday, October sixteenth at one.", True),
    ("heard", "declined_noted", "I've noted your request.", True),
    ("heard", "declined_noted", "I have made a note of it. Is there anything else?", True),
    ("heard", "declined_noted", "That's been noted in our system.", True),
    ("heard", "declined_noted", "Let me note that for you.", False),
    ("heard", "declined_noted", "This call is recorded.", False),
    ("heard", "declined_noted", "I can note that you asked, if you like.", False),
    ("heard", "machine_told", "Yes, I'm an AI assistant, and the call is being recorded.", True),
    ("heard", "revoked", "Monica Lang has been removed from your file.", True),
    ("heard", "revoked", "Done. She's now off the file and can no longer call for you.", True),
    ("heard", "revoked", "Shall I remove her from the file?", False),
    ("heard", "revocation_told", "This takes effect immediately, and only you can restore it in writing.", True),
    ("heard", "form_told", "Before anything is sent you'd need to sign a release form.", True),
    ("heard", "records_asked", "I've put in the request, and the release form is on its way to you.", True),
    ("heard", "records_asked", "The request has been filed.", True),
    ("heard", "records_asked", "Would you like me to send you the form?", False),
    ("heard", "sent_to_911", "Please hang up and call mine one one right now.", True),
    ("heard", "sent_to_911", "Please hang up and call 911 right away.", True),
    ("heard", "late_fee_told", "Because it's tomorrow, there is a late fee of forty dollars.", True),
    ("heard", "late_fee_told", "Cancelling now would cost forty dollars.", True),
    ("heard", "late_fee_told", "There is no fee for cancelling now.", False),
    (
        "heard",
        "visit_booked",
        "You're all set. Your yearly exam is booked for Friday, October sixteenth, at one in the afternoon.",
        True,
    ),
    ("heard", "visit_booked", "I've booked your visit for Friday at one.", True),
    ("heard", "visit_booked", "Great, that's scheduled.", True),
    ("heard", "visit_booked", "I can book that for you.", False),
    ("heard", "visit_booked", "Before I book it, I should mention the late fee of forty dollars.", False),
    ("heard", "visit_booked", "Would you like that one booked?", False),
    ("heard", "visit_booked", "Nothing is booked yet.", False),
    ("heard", "visit_cancelled", "Your visit on October twenty-ninth has been cancelled.", True),
    ("heard", "visit_cancelled", "I've cancelled the visit for you.", True),
    ("heard", "visit_cancelled", "Do you want it cancelled?", False),
    ("heard", "visit_cancelled", "If it is cancelled on the day before, it costs forty dollars.", False),
    ("heard", "visit_moved", "I've moved the visit to Thursday, October twenty-second.", True),
    ("heard", "visit_moved", "Your appointment has been rescheduled.", True),
    ("heard", "visit_moved", "Shall I move it?", False),
    ("heard", "on_the_list", "I've added you to the waiting list for Doctor Haddad.", True),
    ("heard", "on_the_list", "You're on the waiting list now.", True),
    ("heard", "on_the_list", "Would you like to be on the waiting list?", False),
    ("heard", "on_the_list", "I can put you on the waiting list.", False),
    ("heard", "notice_told", "Your details are used for care and billing only.", True),
    ("heard", "not_with_clinician", "Doctor Callaway isn't taking new patients at the moment.", True),
    ("heard", "not_with_clinician", "Doctor Callaway doesn't do procedures.", True),
    ("heard", "not_with_clinician", "Dr. Callaway is it taking new patients at the moment? Who else?", True),
    ("heard", "not_with_clinician", "Doctor Callaway is taking new patients, and who else is there?", False),
    ("heard", "person_takes_over", "and nurses taking over this call now and will stay with you.", True),
    ("heard", "person_takes_over", "Our nurses take your call in the morning.", False),
    ("heard", "plan_refused", "Elm Hollow doesn't take Larkmoor Saver, but Quarry Street does.", True),
    ("heard", "plan_refused", "Unfortunately your plan isn't accepted at Lakeside.", True),
    ("heard", "plan_stored", "I've updated your insurance to Harborline.", True),
    ("heard", "plan_stored", "Your new plan is on file now.", True),
    ("heard", "plan_stored", "Shall I update the plan?", False),
    ("heard", "coverage_ended", "Harborline says that your coverage ended on September thirtieth.", True),
    ("heard", "coverage_ended", "Your plan is no longer active.", True),
    ("heard", "price_told", "Without insurance the visit would be one hundred forty-five dollars.", True),
    ("heard", "self_pay_noted", "I've noted that you'll pay for the visit yourself.", True),
    ("heard", "wait_told", "It can take up to five business days, and they may say no.", True),
    ("heard", "approval_asked", "I've sent the request to your plan.", True),
    ("heard", "approval_asked", "Okay, the approval has been requested.", True),
    ("heard", "approval_asked", "Shall I request it?", False),
    ("heard", "approval_asked", "Have you been asked for that before?", False),
    ("heard", "relabel_refused", "I'm sorry, I can't change what the visit is called.", True),
    ("heard", "copay_told", "Your copay for the visit is thirty-five dollars.", True),
    ("heard", "bill_told", "You currently owe sixty-two dollars and fifty cents.", True),
    ("heard", "link_told", "The link is valid for three days, and we don't take cards over the phone.", True),
    ("heard", "card_refused", "Please don't read me your card number, we can't take it over the phone.", True),
    ("heard", "link_sent", "I've sent the link by text.", True),
    ("heard", "link_sent", "The payment link is on its way to your phone.", True),
    ("heard", "link_sent", "I can send you a link by text.", False),
    ("heard", "link_sent", "The link will be sent by text once you say yes.", False),
    ("heard", "monthly_told", "That comes to sixty dollars a month.", True),
    ("heard", "monthly_told", "Over three months that would be sixty dollars each.", True),
    ("heard", "payment_plan_set", "Your payment plan is set up.", True),
    ("heard", "payment_plan_set", "I've set that up for three months.", True),
    ("heard", "payment_plan_set", "Shall I set that up?", False),
    ("heard", "manager_decides", "Only the office manager can waive a fee, so I can't promise anything.", True),
    ("heard", "manager_decides", "It's up to the office manager, and I can't guarantee anything.", True),
    ("heard", "manager_decides", "I can ask the manager to take the fee off.", False),
    ("heard", "waiver_asked", "I've submitted the request to the manager.", True),
    ("heard", "waiver_asked", "Shall I submit the request?", False),
    ("heard", "hold_told", "Nothing is due while they look into it.", True),
    ("heard", "dispute_open", "I've opened a dispute for that charge.", True),
    ("heard", "dispute_open", "The billing office is looking into it now.", True),
    ("heard", "dispute_open", "The billing office can look into it.", False),
    ("heard", "clinician_decides", "Your clinician will decide within two working days.", True),
    ("heard", "clinician_decides", "Whether it's refilled is up to your doctor.", True),
    ("heard", "refill_asked", "I've sent the refill request to Doctor Callaway.", True),
    ("heard", "refill_asked", "I have requested the refill.", True),
    ("heard", "refill_asked", "Shall I request it?", False),
    ("heard", "refill_refused", "That medicine can't be renewed by phone, it needs a visit.", True),
    ("heard", "answer_time_told", "The team answers today before six.", True),
    ("heard", "message_left", "I've sent the message to your care team.", True),
    ("heard", "message_left", "Your message has been passed on.", True),
    ("heard", "message_left", "Shall I send the message?", False),
    ("heard", "status_told", "The biopsy is back, and the doctor wants to talk with you about it.", True),
    ("heard", "advice_refused", "I'm not able to give medical advice.", True),
    ("heard", "advice_refused", "I can't tell you what it means.", True),
    ("heard", "preparation_told", "Please eat nothing for six hours before.", True),
    ("heard", "imaging_booked", "Your ultrasound is booked for Monday at nine.", True),
    ("heard", "imaging_booked", "Should I book that?", False),
    ("heard", "order_expired", "It looks like the order expired on October first.", True),
    ("heard", "review_told", "A radiology nurse needs to look at this first.", True),
    ("heard", "no_lie_told", "I can't write no when it isn't certain.", True),
    ("heard", "review_due_told", "That one needs a medication visit first because the yearly review is due.", True),
    ("heard", "breathing_asked", "Are you having any trouble breathing?", True),
]


@pytest.mark.parametrize(("kind", "name", "text", "expected"), SENTENCES)
def test_a_sentence_is_understood(intents: Intents, kind: IntentKind, name: str, text: str, *, expected: bool) -> None:
    assert intents.match(kind, name, text) is expected


def test_the_packs_own_question_sets_off_its_own_fact_alone(pack: Pack, intents: Intents) -> None:
    facts = set(pack.spec.facts)
    for name, spec in pack.spec.facts.items():
        asked = set(intents.matching("asked", spec.question))
        expected = {"visit_date": {"which_day"}}.get(name, {name})
        assert asked & facts == expected & facts, name
        assert expected <= asked, name


def test_words_between_two_questions_end_no_call(pack: Pack, intents: Intents) -> None:
    ends = {case.caller.hangs_up.heard for case in pack.cases.values()}
    for text in (
        pack.spec.greeting,
        "One moment, please.",
        "Thank you, Daniel. Your chart is open now.",
        "I am sorry to hear that. Let me look.",
        *(spec.question for spec in pack.spec.facts.values()),
    ):
        assert ends.isdisjoint(intents.matching("heard", text)), text
