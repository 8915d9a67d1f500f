from __future__ import annotations

import pytest

from tests.metrics.spans import agent, asr, caller, heard
from voicebench.metrics import call_metrics, transcript
from voicebench.record.figures import TurnCounts
from voicebench.record.trace import TraceRecord
from voicebench.record.transcript import WordErrorsByLeg

pytestmark = pytest.mark.unit


def texts(trace: list[TraceRecord]) -> list[tuple[str, str, str | None]]:
    return [(turn.speaker, turn.intended, turn.heard) for turn in transcript(trace)]


def test_each_turn_says_what_was_meant_said_and_understood() -> None:
    trace = [
        agent(0, 0.2, 2.0, "Hello."),
        heard(0.3, 2.1, "Hello there."),
        caller(1, 3.0, 4.0, "KE-44", "K E, four four"),
        asr(4.25, 5.0, "KE 44"),
    ]
    assert [turn.model_dump() for turn in transcript(trace)] == [
        {
            "speaker": "agent",
            "intended": "Hello.",
            "spoken": "Hello.",
            "heard": "Hello there.",
            "start_s": 0.2,
            "end_s": 2.0,
            "interrupted": False,
            "word_errors": {"words": 1, "substitutions": 0, "deletions": 0, "insertions": 1, "rate": 1.0},
            "span_ids": ["agent.speech@0.2"],
            "heard_span_ids": ["caller.heard@0.3"],
        },
        {
            "speaker": "caller",
            "intended": "KE-44",
            "spoken": "K E, four four",
            "heard": "KE 44",
            "start_s": 3.0,
            "end_s": 4.0,
            "interrupted": False,
            "word_errors": {"words": 3, "substitutions": 0, "deletions": 0, "insertions": 0, "rate": 0.0},
            "span_ids": ["caller.speech@3.0"],
            "heard_span_ids": ["asr@4.25"],
        },
    ]


def test_answers_before_and_after_a_tool_call_are_one_turn() -> None:
    trace = [
        agent(1, 1.0, 2.0, "One moment."),
        heard(1.1, 2.1, "one moment"),
        agent(1, 4.0, 5.0, "I found it, Tomas.", cut=True),
        heard(4.1, 5.1, "I found it"),
    ]
    (turn,) = transcript(trace)
    assert (turn.intended, turn.spoken) == ("One moment. I found it, Tomas.", "One moment. I found it")
    assert turn.heard == "one moment I found it"
    assert (turn.start_s, turn.end_s, turn.interrupted) == (1.0, 5.0, True)


def test_a_recognition_belongs_to_the_turn_that_it_overlaps_most() -> None:
    trace = [
        agent(0, 0.0, 2.0, "A."),
        heard(0.2, 2.2, "a"),
        agent(1, 2.1, 5.0, "B."),
        heard(2.3, 5.2, "b"),
        agent(2, 6.0, 6.1, "C."),
        heard(6.15, 6.25, "c"),
    ]
    assert texts(trace) == [("agent", "A.", "a"), ("agent", "B.", "b"), ("agent", "C.", "c")]


def test_a_pause_in_the_callers_turn_gives_it_two_recognitions() -> None:
    trace = [
        caller(1, 1.0, 4.0, "First. Second."),
        asr(2.25, 2.9, "first"),
        asr(4.25, 4.9, "second"),
        caller(2, 7.0, 7.5, "Third."),
        asr(7.75, 8.0, "third"),
    ]
    assert texts(trace) == [("caller", "First. Second.", "first second"), ("caller", "Third.", "third")]


def test_a_turn_begun_just_as_the_last_ones_end_was_noticed_does_not_take_its_recognition() -> None:
    trace = [
        caller(1, 1.0, 2.0, "One."),
        asr(2.3, 2.9, "one"),
        caller(2, 2.22, 3.0, "Two."),
        asr(3.3, 3.9, "two"),
    ]
    assert texts(trace) == [("caller", "One.", "one"), ("caller", "Two.", "two")]


def test_nothing_understood_is_empty_and_nothing_recognised_is_none() -> None:
    trace = [caller(1, 1.0, 2.0, "One."), asr(2.25, 2.5, ""), agent(1, 4.0, 5.0, "Two.")]
    assert texts(trace) == [("caller", "One.", ""), ("agent", "Two.", None)]


def test_a_recognition_far_from_any_turn_belongs_to_none() -> None:
    trace = [agent(0, 0.0, 1.0, "A."), heard(3.0, 3.5, "ghost"), asr(3.0, 3.5, "ghost")]
    assert texts(trace) == [("agent", "A.", None)]


def test_what_was_overheard_counts_only_if_nothing_was_heard_afterwards() -> None:
    whole = "We will refund you at once."
    first = agent(1, 1.0, 4.0, whole)
    peeks = [heard(1.1, 2.0, "we will", after_words=2), heard(1.1, 3.0, "we will refund", after_words=3)]
    assert texts([first, *peeks]) == [("agent", whole, "we will refund")]
    rest = heard(1.1, 4.1, "we will refund you at once")
    assert texts([first, *peeks, rest])[0][2] == "we will refund you at once"


def test_turns_that_overlap_are_kept_apart_and_in_order() -> None:
    trace = [
        agent(1, 1.0, 5.0, "A long answer."),
        heard(1.1, 5.1, "a long answer"),
        caller(2, 3.0, 4.0, "Wait."),
        asr(4.3, 4.5, "wait"),
    ]
    assert texts(trace) == [("agent", "A long answer.", "a long answer"), ("caller", "Wait.", "wait")]


def test_turns_without_duration_are_told_apart_by_their_order() -> None:
    trace = [
        agent(0, 0.0, 0.0, "A."),
        heard(0.0, 0.0, "A."),
        agent(1, 0.0, 0.0, "B."),
        heard(0.0, 0.0, "B."),
    ]
    assert texts(trace) == [("agent", "A.", "A."), ("agent", "B.", "B.")]


def test_word_errors_are_summed_by_leg_over_turns_that_were_recognised_whole() -> None:
    trace = [
        agent(0, 0.0, 1.0, "Good morning to you."),
        heard(0.1, 1.1, "good morning you"),
        caller(1, 2.0, 3.0, "One two."),
        asr(3.3, 3.5, "one three two"),
        agent(1, 4.0, 5.0, "Please, wait", cut=True),
        heard(4.1, 5.1, "police"),
        caller(2, 6.0, 7.0, "Yes."),
    ]
    found = call_metrics(trace, None).word_errors
    assert found is not None
    lost = {"words": 4, "substitutions": 0, "deletions": 1, "insertions": 0, "rate": 0.25}
    assert found.model_dump()["agent_to_caller"] == {"utterances": 1, **lost}
    added = {"words": 2, "substitutions": 0, "deletions": 0, "insertions": 1, "rate": 0.5}
    assert found.model_dump()["caller_to_agent"] == {"utterances": 1, **added}
    unheard = call_metrics(trace[2:3], None).word_errors
    assert unheard == WordErrorsByLeg(caller_to_agent=None, agent_to_caller=None)


def test_turns_are_counted_as_the_transcript_has_them() -> None:
    trace = [
        agent(0, 0.0, 1.0, "A."),
        agent(1, 3.0, 4.0, "B."),
        agent(1, 5.0, 6.0, "C."),
        caller(1, 2.0, 2.5, "D."),
    ]
    assert call_metrics(trace, None).turns == TurnCounts(agent=2, caller=1)
