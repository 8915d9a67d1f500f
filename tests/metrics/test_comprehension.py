"""Which turns of the agent a caller reacted to, and which it did not understand."""

from __future__ import annotations

import pytest

from voicebench.metrics import CallerReaction, call_metrics, caller_reactions
from voicebench.metrics.comprehension import add_comprehension, caller_comprehension
from voicebench.record.events import CallerWaitsEvent
from voicebench.record.figures import CallerComprehension
from voicebench.record.spans import AgentSpeechSpan, CallerSpeechSpan
from voicebench.record.trace import TraceRecord

pytestmark = pytest.mark.unit


def agent(turn: int, words: str) -> TraceRecord:
    return AgentSpeechSpan(
        start_ns=0, end_ns=0, turn=turn, agent="desk", intended=words, spoken=words, interrupted=False
    )


def caller(rule: str, said: str, heard: str) -> TraceRecord:
    return CallerSpeechSpan(
        start_ns=0, end_ns=0, turn=1, intended=said, spoken=said, rule=rule, answers=heard, interrupted=False
    )


def waits(heard: str) -> TraceRecord:
    return CallerWaitsEvent(time_ns=0, heard=heard)


BEGUN = [agent(0, "Kestrel, hello."), caller("opening", "It is about my order.", "castrol hello")]
SORRY = "Sorry, could you say that again?"


def test_what_was_asked_again_or_given_up_at_was_not_understood() -> None:
    trace = [
        *BEGUN,
        agent(1, "What is its number?"),
        caller("asked:order_number", "KE-1", "what is its number"),
        agent(2, "And the colour?"),
        caller("sorry", SORRY, "and the collar"),
        agent(3, "The colour?"),
        caller("give_up", "I will call again.", "the collar"),
    ]
    found = [(one.turn, one.meant, one.heard, one.understood) for one in caller_reactions(trace)]
    assert found == [
        (1, "What is its number?", "what is its number", True),
        (2, "And the colour?", "and the collar", False),
        (3, "The colour?", "the collar", False),
    ]
    assert caller_comprehension(trace) == CallerComprehension(heard=3, not_understood=2)
    assert call_metrics(trace, None).comprehension == CallerComprehension(heard=3, not_understood=2)


def test_a_caller_that_a_model_plays_asks_in_its_own_words() -> None:
    trace = [
        *BEGUN,
        agent(1, "Your order number?"),
        caller("model", "I'm sorry, I didn't catch that.", "your older number"),
        agent(2, "The order number?"),
        caller("model", "KE one.", "the order number"),
    ]
    assert caller_comprehension(trace) == CallerComprehension(heard=2, not_understood=1)


def test_noise_without_a_word_is_no_turn_that_could_be_understood() -> None:
    trace = [*BEGUN, agent(1, "Your order number?"), caller("sorry", SORRY, ""), agent(2, "So?"), waits("")]
    assert caller_comprehension(trace) == CallerComprehension(heard=0, not_understood=0)


def test_a_turn_that_goes_on_after_the_caller_waited_is_one() -> None:
    trace = [
        *BEGUN,
        agent(1, "One moment."),
        waits("One moment."),
        agent(1, "What is the number?"),
        caller("asked:order_number", "KE-1", "One moment. What is the number?"),
        agent(2, "I am looking."),
        waits("I am looking."),
    ]
    words = "One moment. What is the number?"
    assert caller_reactions(trace) == [
        CallerReaction(words, words, "asked:order_number", "KE-1", True, 1),
        CallerReaction("I am looking.", "I am looking.", "waited", "", True, 2),
    ]


def test_a_caller_that_waited_in_vain_says_hello() -> None:
    trace = [*BEGUN, agent(1, "Which one?"), waits("Which one?"), caller("hello", "Hello?", ""), agent(2, "Which one?")]
    [one] = caller_reactions(trace)
    assert (one.did, one.followed_by_hello, one.understood) == ("waited", True, True)


def test_calls_that_did_not_count_are_left_out_of_a_sum() -> None:
    counted = [CallerComprehension(heard=5, not_understood=1), None, CallerComprehension(heard=4, not_understood=2)]
    assert add_comprehension(counted) == CallerComprehension(heard=9, not_understood=3)
    assert add_comprehension([None]) is None
