"""What an agent's turn does, in sentences of electronics shops, medical practices and law firms, by kind."""

from __future__ import annotations

import re

import pytest

from voicebench.language.labels import Act
from voicebench.language.turn_meaning import turn_meaning

pytestmark = pytest.mark.unit

DOES: dict[Act, list[str]] = {
    "repeat_unnamed": [
        "Once more, a little slower?",
        "Would you mind saying those digits again?",
        "B as in bravo?",
        "Not so fast, please.",
        "Can I hear that digit by digit?",
        "Once more?",
        "Once more, please.",
        "Slowly, please.",
        "A bit slower, please?",
        "That was cut off.",
        "You're breaking up.",
        "That number seems short.",
        "I only got six digits.",
        "That's only eight digits.",
        "There is a digit missing.",
        "I couldn't find it, could you check the number?",
        "Sorry, what?",
        "Sorry?",
        "Pardon?",
        "Come again?",
        "Could you rephrase that?",
        "Could you spell that for me?",
        "Could you say that one more time?",
        "I didn't quite catch that.",
        "I'm afraid I missed the last part.",
        "What was that?",
        "Would you mind repeating that? I could not hear you.",
        "The line is bad, can you speak up?",
        "One digit at a time, please. Say it again slowly.",
        "Hmm, I'm not sure I understood that. Please try again.",
        "That does not look like a valid number.",
        "Can you say it in other words?",
        "I'm having trouble hearing you.",
        "Could you read it back to me one more time?",
        "Sorry, your voice is cutting out.",
    ],
    "not_found": [
        "I can't find an account under that name.",
        "There is no patient by that name in our system.",
        "I don't see an order with that number.",
        "Nothing comes up under that number.",
        "I'm not finding a matter for you.",
        "We have no record of that order.",
        "That number isn't in our system.",
        "I was unable to locate your chart.",
        "Hmm, the name does not match our records.",
        "I'm sorry, I couldn't pull up your file.",
        "No match found.",
        "I'm not able to locate any appointment record for you under that birthday.",
    ],
    "hold": [
        "One moment, please.",
        "Just a second.",
        "Bear with me.",
        "Hold on, please.",
        "Please stay on the line.",
        "Give me just a minute.",
        "Could you hold for a moment?",
        "Would you mind waiting a moment?",
        "Hang on while I find that.",
        "I'll be right back with you.",
        "This may take a minute.",
        "Let me put you on a brief hold.",
    ],
    "working": [
        "Let me look that up for you.",
        "I'll check the calendar.",
        "Checking the stock now.",
        "Retrieving details...",
        "I'm looking at your order.",
        "I am just pulling up your chart.",
        "Let me see what I can do.",
        "I'm still working on it.",
        "I will go ahead and book that.",
        "Okay, searching for open slots.",
        "I'll make a note of that in your file.",
        "The system is a bit slow today.",
    ],
    "proceed": [
        "Shall I go ahead?",
        "Would you like me to book that for you?",
        "Should I cancel it?",
        "Do you want me to open a return?",
        "Is that okay with you?",
        "Does Thursday at ten work for you?",
        "Would that work?",
        "May I go ahead and file it?",
        "Are you all right with a fee of fifteen dollars?",
        "Please say yes to continue.",
        "Please confirm that you want to proceed.",
        "Do I have your permission to record that?",
        "Do you agree?",
        "Sound good?",
        "Can I put you down for Monday?",
        "Would you like to go ahead with the booking?",
        "Is it all right if I send you the form?",
        "Do you want to proceed?",
    ],
    "anything_else": [
        "Is there anything else I can do for you?",
        "Anything else?",
        "Can I help you with something else today?",
        "Do you have any other questions?",
        "Was there anything further?",
        "Will that be all?",
        "Is that everything for today?",
        "What else can I do for you?",
        "Let me know if you need anything else.",
        "Do you need any further assistance?",
        "Any other concerns?",
        "Your visit is booked. Anything else on your mind?",
    ],
    "what_help": [
        "How can I help you?",
        "How may I assist you today?",
        "What can I do for you?",
        "What brings you in today?",
        "What are you calling about?",
        "Thank you for calling Marlow Ridge, how may I direct your call?",
        "What is the reason for your call?",
        "Tell me what you need.",
        "In a few words, tell me why you're calling.",
        "What do you need help with?",
        "Can I help you?",
        "What's this regarding?",
    ],
    "still_there": [
        "Are you still there?",
        "Hello? Can you hear me?",
        "Hello?",
        "Are you there?",
        "Still with me?",
        "Did I lose you?",
        "Is anybody there?",
        "Can you still hear me?",
    ],
    "read_back": [
        "So that's K E 4 4 7 1 2 0 9, is that right?",
        "I have May fourth, correct?",
        "You said Whitfield, right?",
        "Just to confirm, your name is Dana Whitfield.",
        "Let me read that back: five zero three, five five five, zero one seven eight.",
        "Is your last name spelled M A R S H, is that correct?",
        "You want to move the delivery to Friday?",
        "Did I get that right?",
        "Ending in 4 0 2?",
        "Was that 94110?",
        "Is Tomas Ferreira your full name?",
    ],
    "thanks": [
        "Thank you.",
        "Thank you, Tomas.",
        "Great, thanks.",
        "Okay.",
        "Perfect, thank you so much.",
        "Got it.",
        "Sure, I can help with that.",
        "You're welcome.",
        "Thanks for confirming that.",
        "Thank you for your patience.",
    ],
    "apology": [
        "I'm so sorry about that.",
        "I apologize for the inconvenience.",
        "My apologies.",
        "I'm sorry to hear that.",
        "Sorry for the wait.",
    ],
    "done": [
        "Your order has been cancelled.",
        "I've booked you in for Tuesday.",
        "You're all set.",
        "The refund went through.",
        "Done.",
        "The message was sent to your lawyer.",
    ],
    "cannot": [
        "I'm not able to do that.",
        "Unfortunately we have no openings this week.",
        "We don't offer that service.",
        "I can't give legal advice.",
        "That is not possible, I'm afraid.",
    ],
    "goodbye": [
        "Goodbye.",
        "Have a great day!",
        "Thanks for calling Kestrel.",
        "Take care.",
        "You too, bye now.",
    ],
    "fee": ["The restocking fee is 25 dollars.", "The visit costs $120.", "There is a late charge of $40."],
    "offers_remedy": [
        "I can offer you store credit.",
        "You're eligible for a replacement.",
        "Would you like a refund or an exchange?",
    ],
}
"""Each of these does the act; most do nothing else."""

NOT: dict[Act, list[str]] = {
    "repeat_unnamed": [
        "I will go through the digits again.",
        "It only has two slots.",
        "I understand.",
        "Let me repeat that for you.",
        "I'll read it to you once more.",
        "Shall I say it again?",
        "Thank you for repeating that.",
        "I don't understand why they charged you.",
        "The item was cut from our list.",
        "We only have two slots left.",
        "If we get cut off, please call again.",
        "We did not receive the payment.",
    ],
    "not_found": [
        "I can't find an answer to that.",
        "There are no flights on that day.",
        "I don't see any openings this week.",
        "If you can't find your order number, your phone number will do.",
        "If I can't find it, I'll ask again.",
        "You don't have to find the number.",
        "I found your account.",
        "I can't verify you without your date of birth.",
    ],
    "hold": [
        "Thank you for holding.",
        "The driver is twenty minutes away.",
        "There is a hold on your account.",
        "I can hold that slot for you until Friday.",
        "Do you have a moment?",
        "The visit takes thirty minutes.",
    ],
    "working": [
        "Let me know if you need anything.",
        "If you give me your name, I'll look it up.",
        "I'll need your account number.",
        "Let me transfer you.",
        "You will need to check with your bank.",
        "I can check that once I have your number.",
        "Would you like me to check?",
        "Booking failed.",
    ],
    "proceed": [
        "When should I book it?",
        "What would you like to do?",
        "Which one would you like me to cancel?",
        "Would you like anything else?",
        "Would you like to speak to a manager?",
        "Is that correct?",
        "How does that sound wave look?",
        "To proceed, I need your order number.",
        "Would you like to pick it up or have it shipped?",
        "May I have your name?",
        "Can I ask you a question?",
        "I will proceed with the return.",
        "Is it the blue one?",
    ],
    "anything_else": [
        "There is nothing else I can do.",
        "Did anything else happen?",
        "I cannot do anything else for you.",
        "Is there anything else wrong with the device?",
        "If you need more help, I can transfer you to a person.",
        "You're welcome! If you have any other questions, feel free to call. Goodbye!",
        "I'll ask somebody else.",
    ],
    "what_help": [
        "How can I help you further?",
        "I'm here to help.",
        "I can help you with that.",
        "How can I reach you?",
        "What help did they give you?",
    ],
    "still_there": [
        "Hello! How can I help you?",
        "Your appointment is still there.",
        "I'm still here.",
        "If you're still there tomorrow, call us.",
    ],
    "read_back": [
        "That is correct.",
        "What is your order number?",
        "Please confirm your order number.",
        "What day would you like?",
        "Is Monday all right?",
        "How can I help you right now?",
        "You will get an e-mail.",
        "Let me double-check the availability.",
    ],
    "thanks": [
        "Thank you. What is your name?",
        "Thanks for calling, how can I help?",
        "Okay, one moment.",
        "Thank you, the order has been cancelled.",
    ],
    "apology": [
        "I'm sorry, I can't do that.",
        "Sorry, what was the number?",
        "I'm sorry, but I need your name.",
        "Sorry for the wait. Your visit is booked.",
    ],
    "goodbye": ["Thank you for calling, how can I help you?", "Have you had a good look at the list?"],
    "done": [
        "Your order has not been cancelled.",
        "Once it is booked, you get an e-mail.",
        "It can be moved to Friday.",
        "Shall I have it cancelled?",
    ],
    "fee": ["Your refund of 25 dollars is on its way.", "There is no fee."],
}
"""None of these does the act, alike though the words are."""

PATIENCE = [
    "One moment, please.",
    "Retrieving details...",
    "Thank you, Tomas. Let me look that up.",
    "Could you hold on for a moment?",
    "I'm sorry to hear that. Let me see what I can do.",
    "Okay. Thanks.",
    "Please bear with me while I open your chart.",
    "Thanks for your patience. I'm still checking.",
]
NO_PATIENCE = [
    "One moment. What is your order number?",
    "Let me check. Would you like Monday?",
    "Your order has been cancelled.",
    "Please hold while I transfer you to a person.",
    "I couldn't catch that, one moment.",
    "Is there anything else?",
    "How long have you had it?",
]


def table(entries: dict[Act, list[str]]) -> list[tuple[Act, str]]:
    return [(act, text) for act, texts in entries.items() for text in texts]


def recognised(text: str) -> str:
    """Return a text as a recognizer writes it that knows neither capitals nor marks."""
    return re.sub(r"[^\w\s'$-]", "", text).lower()


@pytest.mark.parametrize(("act", "text"), table(DOES))
def test_an_act_is_found(act: Act, text: str) -> None:
    assert act in turn_meaning(text, {}).acts


@pytest.mark.parametrize(("act", "text"), table(NOT))
def test_words_alike_do_not_make_an_act(act: Act, text: str) -> None:
    assert act not in turn_meaning(text, {}).acts


def test_acts_are_found_without_capitals_and_marks() -> None:
    unmarked = [(act, text) for act, text in table(DOES) if act not in {"read_back", "repeat_unnamed", "still_there"}]
    lost = [(act, text) for act, text in unmarked if act not in turn_meaning(recognised(text), {}).acts]
    assert len(lost) <= len(unmarked) // 33, lost


@pytest.mark.parametrize("text", PATIENCE)
def test_who_is_at_work_or_thanks_needs_no_answer(text: str) -> None:
    assert turn_meaning(text, {}).needs_only_patience


@pytest.mark.parametrize("text", NO_PATIENCE)
def test_who_asks_or_ends_something_needs_more_than_patience(text: str) -> None:
    assert not turn_meaning(text, {}).needs_only_patience


def test_consent_asked_after_an_offer_of_a_person_is_that_offer() -> None:
    acts = turn_meaning("I can transfer you to a colleague. Would you like me to do that?", {}).acts
    assert ("offers_person" in acts, "proceed" in acts) == (True, False)


def test_an_offer_or_else_a_person_is_both() -> None:
    acts = turn_meaning("Shall I try another day, or would you rather speak to a person?", {}).acts
    assert {"proceed", "offers_person"} <= acts


def test_an_announcement_that_asks_to_confirm_is_a_question() -> None:
    acts = turn_meaning("I will proceed with the return. Please confirm that you want to go ahead.", {}).acts
    assert ("proceed" in acts, "working" in acts) == (True, False)
