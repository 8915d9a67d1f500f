"""What is stated as settled, beside what is asked, offered, announced, denied or conditional."""

from __future__ import annotations

import pytest

from voicebench.language.sentences import split_sentences
from voicebench.language.settled import settled_words, states_settled

pytestmark = pytest.mark.unit

PAIRS = [
    ("Your delivery has been moved to August 6.", "Your delivery will be moved to August 6 once you confirm."),
    ("It is moved to August 6 now.", "Shall I move it to August 6?"),
    ("It has been cancelled.", "It has not been cancelled."),
    ("I've cancelled it.", "I can cancel it."),
    ("I have opened the return.", "I'll open the return."),
    ("Your visit is booked for Monday at ten.", "Your visit can be booked for Monday at ten."),
    ("I've noted that you declined.", "Would you like me to note that you declined?"),
    ("The report has been filed.", "The report couldn't be filed, I was not able to file it."),
    ("You will get no more calls.", "Do you want no more calls?"),
    ("The hold is on your account now.", "If you agree, the hold is on your account now."),
    ("I've sent the link to your phone.", "Let me send the link to your phone."),
    ("Okay, done.", "Okay, should it be done?"),
    ("Your credit has been applied.", "Your credit would be applied."),
    ("Your message was sent.", "Your message was not sent."),
    ("You are booked for Tuesday, all right?", "Are you booked for Tuesday?"),
    ("It has been asked, and we'll call you when it has answered.", "When it has been asked, we'll call you."),
    ("I've noted it, and I wish you a good day.", "I wish I had noted it."),
    ("No, nothing else is needed, it has been sent.", "Nothing has been sent."),
    ("It is booked, you should have received a text.", "It should have been booked."),
    ("It has been moved. Thanks for waiting.", "It will have been moved by tonight."),
    ("The plan is set up. If you have any questions, call us.", "As soon as you confirm, the plan is set up."),
]


@pytest.mark.parametrize(("settled", "open_"), PAIRS)
def test_only_what_is_settled_is_stated_as_settled(settled: str, open_: str) -> None:
    assert states_settled(split_sentences(settled)[0])
    assert not any(states_settled(one) for one in split_sentences(open_))


def test_a_turn_keeps_the_words_of_its_settled_sentences() -> None:
    turn = "It has been cancelled. Is there anything else?"
    assert settled_words(turn) == "it has been cancelled"
