"""Who goes on with the call: pairs of sentences alike in words, of which only the first does what the label says."""

from __future__ import annotations

import pytest

from voicebench.language.agent_acts import acts_of
from voicebench.language.labels import Act
from voicebench.language.requests import Requests
from voicebench.language.sentences import split_sentences

pytestmark = pytest.mark.unit


def acts(text: str, *details: str) -> frozenset[Act]:
    return acts_of(split_sentences(text), Requests(tuple(details)))  # type: ignore[arg-type]


TRANSFERS = [
    ("I'm transferring you to a colleague now.", "I'm not transferring you to a colleague now."),
    ("I'll transfer you to a person.", "I'll transfer you once I have your number."),
    ("I will transfer you to billing.", "I will not transfer you to billing."),
    ("We are transferring you to the right team.", "We are transferring the refund to your card."),
    ("Let me put you through.", "Let me put you down for Tuesday."),
    ("Putting you through now.", "Putting you on hold now."),
    ("I'm putting you through to her.", "I'm putting a hold on your account."),
    ("I'm connecting you with a specialist.", "I can't connect you with a specialist."),
    ("Connecting you to a human agent...", "Before connecting you to a human agent, I need to see what it is about."),
    ("Somebody will be with you shortly.", "Nobody will be with you shortly."),
    ("Someone will be right with you.", "Someone will be with you between eight and noon."),
    ("A colleague takes over now.", "A colleague takes over on Monday."),
    ("A colleague of mine takes it from here.", "Would you like a colleague to take it from here?"),
    ("My manager will take over this call.", "If I cannot help, my manager will take over this call."),
    ("A nurse is taking over the call.", "Is a nurse taking over the call?"),
    ("Please hold while I transfer you.", "Please hold while I transfer the points."),
    ("One moment while I get a supervisor on the line.", "One moment while I get your file on the screen."),
    ("I'm going to hand you over to our returns desk.", "I'm going to hand this note to our returns desk tomorrow."),
    ("You are being transferred to an agent.", "You are not being transferred to an agent."),
    ("Your call is being transferred.", "Your prescription is being transferred."),
    (
        "You will be connected to the next available representative.",
        "You can be connected to a representative if you like.",
    ),
    ("I've transferred you to the front desk.", "I've transferred the money to your account."),
    ("Stay on the line for a representative.", "Stay on the line for a minute."),
    ("Please hold for the next available agent.", "Please hold for two minutes."),
    ("I'm getting a person for you now.", "I'm getting the details for you now."),
    ("Let me get somebody who can help you with that.", "Let me get something to write with."),
    ("I'll connect you with a member of our staff.", "I'd connect you with a member of our staff if one were here."),
    ("I am sending you over to our service department.", "I am sending you a text message."),
    ("I'm bringing in a colleague to help.", "I'm bringing up your order."),
    ("I'll transfer you now. One moment, please.", "I'll transfer you if you like."),
    ("I'm handing this over to a human agent.", "I'm handing in your request."),
    ("I'm escalating your call to a supervisor.", "I'm escalating your claim, and they will write to you."),
    ("We'll connect you shortly.", "We'll connect the two accounts shortly."),
    ("Transfer to a person in progress.", "A transfer to a person is not possible."),
    ("Passing you to the pharmacy team.", "Passing your message to the pharmacy team."),
    ("Okay, I'm patching you through.", "Okay, shall I patch you through?"),
    ("I will connect you as soon as an agent is available.", "I will connect you as soon as you give me your name."),
    ("I'm transferring you. If we get cut off, call us again.", "If we get no answer, I'm transferring you."),
    ("I can transfer you. Please hold while I do that.", "I can transfer you. Would you like me to do that?"),
    ("A person from our team takes over this call now.", "Our insurance takes over the cost of the repair."),
    ("I'll transfer you to our front office.", "I'll transfer you to our front office tomorrow."),
    ("Let me switch you over to the sales desk.", "Let me switch you over to the Pro plan."),
    ("Let me direct you to someone in our clinic.", "Let me direct you to our website."),
    ("I'm transferring you to a person. Is there anything else?", "I'm transferring you to a person. Is that okay?"),
    ("let me transfer you to an agent please hold the line", "should i transfer you to an agent please let me know"),
    (
        "thank you we are now connecting you to the next available agent",
        "thank you we can connect you to the next available agent",
    ),
    ("You've been put through to the right desk.", "You've been put on the list."),
    ("An attorney will be with you in a moment.", "An attorney will see you in court."),
]
CALLBACKS = [
    ("We will call you back.", "We will not call you back."),
    ("Somebody will call you tomorrow.", "Nobody will call you tomorrow."),
    ("Shall I have somebody call you back at nine?", "What number can we reach you at? I mean the callback number."),
    ("I can arrange a callback for you.", "I can't arrange a callback for you."),
    ("Our team will get back to you within two days.", "One moment, I'll check and get back to you."),
    ("We'll get back to you by e-mail tomorrow.", "Please allow me a moment to look at it and get back to you."),
    ("The nurse will give you a call this afternoon.", "You will give the nurse a call this afternoon."),
    ("Would you like us to call you back?", "Would you like to call us back?"),
    ("They will contact you in the next few days.", "Did they contact you in the last few days?"),
    ("One of our lawyers will reach out to you.", "One of our lawyers will reach out to the court."),
    ("I'll ask a manager to phone you.", "I'll never ask you to phone a manager."),
    ("May I have a colleague call you later?", "May I call you Dana?"),
    ("We'll be in touch with you soon.", "Please stay in touch with your insurance."),
    ("An agent will contact you about the claim.", "The driver will call you before he arrives."),
    ("I'll let my manager know, and she will call you.", "We never call you for codes."),
    ("Would a call back tomorrow suit you? I can schedule a callback.", "Who called you back tomorrow morning?"),
]
PERSONS = [
    ("Would you like me to transfer you to a person?", "Would you like me to transfer the money to your card?"),
    ("Would you like to speak to a human agent?", "Would you like to speak up a little?"),
    ("Do you want to talk to somebody from our team?", "Did you talk to somebody from our team?"),
    ("I can put you through to a colleague.", "I cannot put you through to a colleague."),
    ("Shall I connect you with a specialist?", "Shall I connect your new phone?"),
    ("I can transfer you if you like.", "I can transfer the prescription if you like."),
    ("I could get a manager for you.", "I could get the details for you."),
    ("Should I get a person who can help with the seller?", "Should I get the seller's address?"),
    ("I'll transfer you to a nurse if you'd like.", "I'll transfer you to a nurse now."),
    (
        "If you need more help, I can transfer you to a human agent.",
        "If you need more help, even a human agent cannot do more.",
    ),
    ("Would you prefer to speak with a representative?", "May I speak with the account holder?"),
    ("Do you need a real person?", "Do you need a real order number?"),
    ("I can escalate this to my manager, if you wish.", "I can discount this for my manager."),
    ("It might be best to transfer you to a human agent.", "It is best not to transfer you to a human agent."),
    ("May I pass you on to our billing team?", "May I pass on your note to our billing team?"),
    ("I'd be happy to connect you with a lawyer.", "I'd be happy to explain what a lawyer does."),
]


@pytest.mark.parametrize(("yes", "no"), TRANSFERS)
def test_a_transfer_is_heard_where_it_is_under_way_and_nowhere_else(yes: str, no: str) -> None:
    assert ("transfers_now" in acts(yes), "transfers_now" in acts(no)) == (True, False)


@pytest.mark.parametrize(("yes", "no"), CALLBACKS)
def test_a_call_back_is_heard_where_one_is_offered_and_nowhere_else(yes: str, no: str) -> None:
    assert ("offers_callback" in acts(yes), "offers_callback" in acts(no)) == (True, False)


@pytest.mark.parametrize(("yes", "no"), PERSONS)
def test_a_person_is_offered_where_the_caller_has_the_choice(yes: str, no: str) -> None:
    assert ("offers_person" in acts(yes), "offers_person" in acts(no)) == (True, False)


def test_a_transfer_that_is_announced_waits_for_what_is_asked() -> None:
    assert "transfers_now" not in acts("I'll transfer you to billing. May I have your name first?", "full_name")
    assert "transfers_now" in acts("I'm transferring you to billing now. Please have your card ready.")


def test_an_offer_beside_a_transfer_of_something_else_is_no_transfer() -> None:
    assert "transfers_now" not in acts("Would you like me to transfer you, or should I check the order once more?")
