"""How much of a speech was heard, by what was played of it."""

from __future__ import annotations

import pytest

from voicebench.agent.cascade.frames import Clause, Speech

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("played", "words", "spoken"),
    [
        ((0, 0, 0), 0, ""),
        ((5, 0, 0), 2, "Good day to you."),
        ((10, 0, 0), 5, "Good day to you."),
        ((10, 0, 4), 7, "Good day to you. How may I help?"),
        ((10, 0, 8), 9, "Good day to you. How may I help?"),
    ],
)
def test_words_are_counted_up_to_the_first_clause_that_was_not_played_whole(
    played: tuple[int, int, int], words: int, spoken: str
) -> None:
    clauses = [
        Clause("Good day to you.", 10, played[0]),
        Clause("***", 0, played[1]),
        Clause("How may I help?", 8, played[2]),
    ]
    speech = Speech(turn=1, agent="reception", clauses=clauses)
    assert (speech.words_played, speech.spoken) == (words, spoken)
