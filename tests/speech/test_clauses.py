"""Clauses are long enough to sound whole, and never cut what is read out as one."""

from __future__ import annotations

import pytest

from voicebench.speech.tts import split_clauses

pytestmark = pytest.mark.unit

THANKS = "Thank you for calling Fernwood Supply."


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("", []),
        ("   ", []),
        ("Yes.", ["Yes."]),
        (f"{THANKS} How can I help you today?", [THANKS, "How can I help you today?"]),
        ("Hello, thanks for calling Fernwood Supply.", ["Hello, thanks for calling Fernwood Supply."]),
        (
            "I can see your order right here, and it was shipped on Tuesday morning.",
            ["I can see your order right here,", "and it was shipped on Tuesday morning."],
        ),
        ("The whole order comes to 5,000 dollars in the end.", ["The whole order comes to 5,000 dollars in the end."]),
        ("You were charged exactly $25.50 on the ninth.", ["You were charged exactly $25.50 on the ninth."]),
        (
            "We can see you tomorrow at 3 p.m. on the second floor.",
            ["We can see you tomorrow at 3 p.m. on the second floor."],
        ),
        (
            "Your next appointment is with Dr. Smith in the east wing.",
            ["Your next appointment is with Dr. Smith in the east wing."],
        ),
        (
            "My number for this order is K E, four four seven, nine zero zero two.",
            ["My number for this order is K E, four four seven, nine zero zero two."],
        ),
        (
            "So that would be order number KE, 447, 9002, if I have not misheard you.",
            ["So that would be order number KE, 447, 9002,", "if I have not misheard you."],
        ),
        (
            "I wanted to ask about my order \N{EM DASH} the one I placed on the second of May.",
            ["I wanted to ask about my order \N{EM DASH}", "the one I placed on the second of May."],
        ),
        ("I checked and the answer is no. Would you like me to do it again?", None),
        ("We open every weekday at nine; we close at five, as always.", None),
    ],
)
def test_table(text: str, clauses: list[str] | None) -> None:
    found = split_clauses(text)
    assert found == clauses if clauses is not None else len(found) == 2
    assert " ".join(found) == " ".join(text.split())


def test_short_tails_join_the_clause_before() -> None:
    assert split_clauses("Is there anything else that I can do for you? Yes or no?") == [
        "Is there anything else that I can do for you? Yes or no?"
    ]


def test_text_that_comes_bit_by_bit_never_takes_a_clause_back() -> None:
    text = (
        "Thanks, Dana. I found order K E, four four seven, nine zero zero two; it was $25.50, paid at 3 p.m. on May 2. "
        "Would you like a refund, or shall I send the lamp again, free of charge? Either is fine with me."
    )
    whole = split_clauses(text)
    assert len(whole) >= 4
    for length in range(len(text)):
        settled = split_clauses(text[:length])[:-1]
        assert settled == whole[: len(settled)], text[:length]
