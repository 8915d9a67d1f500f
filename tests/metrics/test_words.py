from __future__ import annotations

import pytest

from voicebench.metrics.words import plain_words, sum_errors, word_errors

pytestmark = pytest.mark.unit


def counts(said: str, heard: str) -> tuple[int, int, int, int]:
    found = word_errors(said, heard)
    return found.words, found.substitutions, found.deletions, found.insertions


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("nine four one, ten", "94110"),
        ("K E, four four seven, nine zero zero two", "KE-4479002"),
        ("forty-four dollars and ninety-nine cents", "$44.99"),
        ("Friday, August seventh", "friday august 7th"),
        ("T O M A S", "T-O-M-A-S"),
    ],
)
def test_ways_of_writing_the_same_words_are_no_error(said: str, heard: str) -> None:
    assert counts(said, heard)[1:] == (0, 0, 0)
    assert word_errors(said, heard).words == len(plain_words(heard))


def test_one_digit_is_one_error() -> None:
    assert counts("two two, zero eight", "2209") == (4, 1, 0, 0)
    assert counts("two two, zero eight", "208") == (4, 0, 1, 0)


def test_words_that_nobody_said_are_insertions() -> None:
    assert counts("Hello.", "Hello there my friend.") == (1, 0, 0, 3)
    assert word_errors("Hello.", "Hello there my friend.").rate == 3.0
    assert counts("", "Thank you.") == (0, 0, 0, 2)
    assert word_errors("", "Thank you.").rate is None


def test_nothing_heard_is_all_deleted() -> None:
    assert counts("I want to return it.", "") == (5, 0, 5, 0)


def test_a_sum_weighs_by_words() -> None:
    total = sum_errors([word_errors("one two three four", "one two three"), word_errors("yes", "no")])
    assert total is not None
    assert total.to_json() == {
        "utterances": 2,
        "words": 5,
        "substitutions": 1,
        "deletions": 1,
        "insertions": 0,
        "rate": 0.4,
    }
    assert sum_errors([]) is None
