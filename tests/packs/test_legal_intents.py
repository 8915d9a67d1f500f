"""The intents of the law firm: what a caller takes an agent to have asked or said, right and wrong examples."""

from __future__ import annotations

import pytest

from voicebench.language.intents import IntentKind, Intents
from voicebench.packs.loader import Pack, load_pack

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("legal")


@pytest.fixture(scope="module")
def intents(pack: Pack) -> Intents:
    return Intents(pack.spec.intents)


def test_each_question_of_the_pack_is_understood_as_that_question_alone(pack: Pack, intents: Intents) -> None:
    for name, fact in pack.spec.facts.items():
        assert intents.matching("asked", fact.question) == [name]


SENTENCES: list[tuple[IntentKind, str, str, bool]] = [
    # questions for facts
    ("asked", "full_name", "Could I have your first and last name, please?", True),
    ("asked", "full_name", "Who am I speaking with?", True),
    ("asked", "full_name", "What is the full name of the company on the other side?", False),
    ("asked", "full_name", "Thank you. I have your name. What happened?", False),
    ("asked", "other_party", "Who is on the other side of this?", True),
    ("asked", "other_party", "And what is the name of the person or company on the other side?", True),
    ("asked", "other_party", "What's the name of your employer?", True),
    ("asked", "other_party", "May I have your first and last name?", False),
    ("asked", "other_town", "In what town does the other side live?", True),
    ("asked", "other_town", "Where are they located?", True),
    ("asked", "other_town", "In which town do you live?", False),
    ("asked", "home_town", "And where do you live?", True),
    ("asked", "second_party", "What is that driver's full name?", True),
    ("asked", "phone", "What's a good number to reach you?", True),
    ("asked", "phone", "Which phone number did you leave with us?", True),
    ("asked", "phone", "What is your matter number?", False),
    ("asked", "phone", "Would you prefer to talk by phone or in the office?", False),
    ("asked", "matter_number", "Could you give me your matter number, please?", True),
    ("asked", "matter_number", "Do you have a matter with us already?", False),
    ("asked", "date_of_birth", "And your date of birth?", True),
    ("asked", "phone_code", "Please tell me the five-digit phone code from your welcome letter.", True),
    ("asked", "incident_date", "When exactly did the accident happen?", True),
    ("asked", "incident_date", "On what date were you told that you were dismissed?", True),
    ("asked", "incident_date", "Which day would suit you for the talk?", False),
    ("asked", "consult_date", "What day works best for you?", True),
    ("asked", "consult_date", "What they work's best for you.", True),
    ("asked", "which_mode", "Would you like to do it by phone or in the office?", True),
    ("asked", "has_lawyer", "Are you already represented by an attorney in this?", True),
    ("asked", "has_lawyer", "Do you have a lawyer for this already?", True),
    ("asked", "where_happened", "In which state did that happen?", True),
    ("asked", "public_body", "Is the bus line run by the city?", True),
    ("asked", "what_happened", "Thank you, you can tell me now what happened.", True),
    ("asked", "what_happened", "What kind of legal matter is it?", True),
    ("asked", "proceed", "The fee is forty-five dollars. Is that all right?", True),
    ("asked", "proceed", "Would you like me to book it?", True),
    ("asked", "proceed", "Your talk is booked.", False),
    # a no, and its reasons
    ("heard", "matter_declined", "I'm sorry, but we aren't able to help you with this matter.", True),
    ("heard", "matter_declined", "Unfortunately, our firm cannot represent you in this case.", True),
    ("heard", "matter_declined", "We don't handle bankruptcy matters.", True),
    ("heard", "matter_declined", "Let me see whether we can take this on.", False),
    ("heard", "advice_refused", "I'm not able to give legal advice.", True),
    ("heard", "advice_refused", "That's something only a lawyer can answer.", True),
    ("heard", "advice_refused", "Your intake is open now.", False),
    ("heard", "nothing_confirmed", "I can't confirm or deny whether someone is a client.", True),
    ("heard", "decline_noted", "I've noted that you called.", True),
    ("heard", "decline_noted", "Your request has been noted.", True),
    ("heard", "decline_noted", "I will note that you called.", False),
    ("heard", "decline_noted", "Would you like me to have it noted?", False),
    ("heard", "file_closed_to_caller", "I can only share that with the client herself.", True),
    ("heard", "paper_kept_back", "That report can't be sent, because of a court order.", True),
    ("heard", "mail_refused", "You've asked us not to send anything by mail.", True),
    ("heard", "waiver_refused", "I'm afraid I can't waive the fee.", True),
    ("heard", "waiver_refused", "The fee is the same for everyone.", True),
    ("heard", "consent_refused", "Your son is an adult, so he would have to agree himself.", True),
    ("heard", "consent_refused", "I'm sorry, I can't put down another age.", True),
    ("heard", "consent_refused", "Let me write that down.", False),
    # intake
    ("heard", "intake_opened", "I've opened your intake.", True),
    ("heard", "intake_opened", "Shall I open your intake?", False),
    ("heard", "intake_opened", "Before I open your intake, one more thing.", False),
    ("heard", "not_clients_told", "Please know that this call does not make us your lawyers.", True),
    ("heard", "duty_lawyer_paged", "I've paged the duty lawyer, who will call you today.", True),
    ("heard", "duty_lawyer_paged", "A lawyer on duty will call you back today.", True),
    ("heard", "duty_lawyer_paged", "Shall I page the lawyer on duty?", False),
    ("heard", "consent_recorded", "Your consent has been recorded.", True),
    ("heard", "consent_recorded", "Shall I record your consent?", False),
    ("heard", "scope_told", "You can withdraw your consent at any time.", True),
    # consultations
    ("heard", "fee_told", "The consultation costs $120.", True),
    ("heard", "fee_told", "There is a fee of one hundred sixty-five dollars for the talk.", True),
    ("heard", "fee_told", "There is a fee, which I will tell you.", False),
    ("heard", "fee_told", "Cancelling it costs zero dollars.", False),
    ("heard", "slot_held", "I'm holding that time for you through Tuesday.", True),
    ("heard", "slot_held", "Shall I hold it for you?", False),
    ("heard", "hold_expired_told", "I'm sorry, the hold on that time has expired.", True),
    ("heard", "hold_read", "We're holding Thursday, September seventeenth, at nine for you.", True),
    ("heard", "hold_read", "It is held for you through Tuesday, September fifteenth.", False),
    ("heard", "asks_for_a_day", "What day works best for you?", True),
    ("heard", "asks_for_a_day", "Which day did it happen?", False),
    ("heard", "slots_offered", "We have Friday, September eighteenth, at eleven in the morning.", True),
    ("heard", "slots_offered", "In the office Thursday, September 17th, at 10 in the morning.", True),
    ("heard", "booked", "Your consultation is booked for Wednesday at ten.", True),
    ("heard", "booked", "You're all booked for Thursday.", True),
    ("heard", "booked", "Shall I get that booked?", False),
    ("heard", "booked", "Nothing is booked yet.", False),
    ("heard", "moved", "Your consultation has been moved to Friday.", True),
    ("heard", "moved", "It can be moved for a fee.", False),
    ("heard", "cancelled", "I've cancelled your consultation.", True),
    ("heard", "cancelled", "It can be cancelled for nothing until Monday.", False),
    ("heard", "interpreter_asked", "I've requested a Hmong interpreter for you.", True),
    ("heard", "interpreter_asked", "An interpreter costs you nothing.", False),
    # those on a file
    ("heard", "team_named", "In your matter, the paralegal is Karen Lindell.", True),
    ("heard", "away_told", "Ruth Halvorsen is out of the office until Monday.", True),
    ("heard", "away_told", "Peter Nolan is filling in for her.", True),
    ("heard", "message_sent", "Your message has been sent to Karen Lindell.", True),
    ("heard", "message_sent", "I've passed your message on.", True),
    ("heard", "message_sent", "Shall I send the message?", False),
    ("heard", "message_sent", "I will send your message to her.", False),
    ("heard", "goes_to_lawyer", "I'll send this to your lawyer.", True),
    ("heard", "court_date_told", "The hearing is on Monday, September twenty-eighth, at nine.", True),
    ("heard", "attendance_confirmed", "Thank you, your attendance is confirmed.", True),
    ("heard", "attendance_confirmed", "Shall I confirm that you will come?", False),
    ("heard", "copy_on_its_way", "I've requested a copy, and it will be in your portal tomorrow.", True),
    ("heard", "copy_on_its_way", "Should the copy be sent by mail?", False),
    ("heard", "monthly_told", "That comes to $315 a month.", True),
    ("heard", "balance_told", "You owe one thousand two hundred sixty dollars.", True),
    ("heard", "balance_told", "You will $1,260 over four months that is $315 a month without interest.", True),
    ("heard", "plan_set_up", "Your payment plan has been set up.", True),
    ("heard", "plan_set_up", "Shall I set up the plan?", False),
    ("heard", "rule_effect_told", "We'd call without leaving a voicemail, so you might miss us.", True),
    ("heard", "rule_noted", "That's noted on your file.", True),
    # duties
    ("heard", "assistant_told", "I'm an automated assistant, not a lawyer.", True),
    ("heard", "call_911_told", "Please hang up and call mine one one right now.", True),
    ("heard", "call_911_told", "Please hang up and call nine one one.", True),
    ("heard", "call_911_told", "Please hang up and dial 911 right away.", True),
    ("heard", "person_takes_over", "Somebody from our front office takes over this call now.", True),
    ("heard", "person_takes_over", "I'm connecting you with someone at our front office.", True),
    ("heard", "person_takes_over", "Would you like me to connect you with someone?", False),
    # what callers may say
    ("said", "asks_for_a_person", "I want to speak with a real person.", True),
    ("said", "accept_fee", "Yes, I pay that.", True),
    ("said", "accept_fee", "That is much for me, could you leave it out just this once?", False),
    ("said", "names_a_day", "Wednesday would be fine.", True),
]


@pytest.mark.parametrize(("kind", "name", "text", "expected"), SENTENCES)
def test_a_sentence_is_taken_for_what_it_is(
    intents: Intents, kind: IntentKind, name: str, text: str, expected: bool
) -> None:
    assert intents.match(kind, name, text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, I did not get all of that.",
        "One moment, please.",
        "Thank you. Let me check the names.",
        "Thank you for calling Merrin Halvorsen, attorneys at law.",
    ],
)
def test_words_that_say_nothing_move_nobody(intents: Intents, text: str) -> None:
    assert intents.matching("heard", text) == []
