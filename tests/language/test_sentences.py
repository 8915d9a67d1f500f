"""Where the sentences of a turn end, and which of them are questions."""

from __future__ import annotations

import pytest

from voicebench.language.sentences import split_sentences

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("turn", "parts"),
    [
        ("Thanks. What is your name?", ["Thanks.", "What is your name?"]),
        ("Dr. Hale can see you. Mr. Nolan too.", ["Dr. Hale can see you.", "Mr. Nolan too."]),
        ("It is at 10 a.m. on Friday.", ["It is at 10 a.m. on Friday."]),
        ("We meet in St. Paul. Is that fine?", ["We meet in St. Paul.", "Is that fine?"]),
        ("It costs 44.99. Shall I book it?", ["It costs 44.99.", "Shall I book it?"]),
        ("I\u2019m here. What\u2019s up?", ["I'm here.", "What's up?"]),
        ("One moment\u2026 I have it.", ["One moment...", "I have it."]),
        ("First line\nSecond line", ["First line", "Second line"]),
        ("I need:\n1. Your name\n2. Your zip", ["I need:", "1. Your name", "2. Your zip"]),
        ("", []),
        ("...", []),
    ],
)
def test_a_turn_is_split_into_sentences(turn: str, parts: list[str]) -> None:
    assert [one.text for one in split_sentences(turn)] == parts


@pytest.mark.parametrize(
    "turn",
    [
        "what is your name",
        "And which day would you like.",
        "Should I book it.",
        "could you say that again",
        "Okay, is that right.",
        "Great, shall I go ahead.",
        "any chance you have the order number",
        "Where do you live.",
        "would you like to go on",
        "I have it here is that correct",
        "So that is Friday, right.",
        "At what time.",
        "do you have a card",
    ],
)
def test_a_question_is_known_without_its_mark(turn: str) -> None:
    assert any(one.is_question for one in split_sentences(turn))


@pytest.mark.parametrize(
    "turn",
    [
        "Have a great day.",
        "Do not worry.",
        "What I can do is open a ticket.",
        "When you have it, tell me.",
        "Will do.",
        "May 22nd is free.",
        "How lovely.",
        "I can do that for you.",
        "That is what you have.",
        "If you would like, I can send it.",
        "Your order is on its way.",
    ],
)
def test_a_statement_has_no_form_of_a_question(turn: str) -> None:
    assert not any(one.is_question for one in split_sentences(turn))


@pytest.mark.parametrize(
    ("run", "parts"),
    [
        (
            "okay thank you for that i found your order what is the postal code",
            ["okay", "thank you for that", "i found your order", "what is the postal code"],
        ),
        (
            "i cannot find it in our system could you give me the number again",
            ["i cannot find it in our system", "could you give me the number again"],
        ),
        (
            "once i have your order number i will transfer you to a colleague",
            ["once i have your order number i will transfer you to a colleague"],
        ),
        ("what time would you like us to come by on friday", ["what time would you like us to come by on friday"]),
        ("may i have your date of birth and your last name please", None),
    ],
)
def test_a_run_without_marks_is_split_where_nothing_governs(run: str, parts: list[str] | None) -> None:
    assert [one.words for one in split_sentences(run)] == (parts or [run])
