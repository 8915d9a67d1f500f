"""Who gives way to whom, on segments that are known."""

from __future__ import annotations

import pytest

from tests.metrics import spans
from tests.metrics.spans import agent
from voicebench.metrics import AnswerGap
from voicebench.metrics.turn_taking import first_audio_ms, missed_turns, talk_over_s, yields_ms
from voicebench.record.events import HangupEvent
from voicebench.record.spans import EndReason
from voicebench.record.trace import TraceRecord

pytestmark = pytest.mark.unit


def test_an_agent_yields_when_its_speech_ends_after_the_caller_began_over_it() -> None:
    assert yields_ms([(4.0, 6.0)], [(1.0, 4.35)]) == [350.0]
    assert yields_ms([(4.0, 4.2), (5.0, 6.0)], [(1.0, 5.5)]) == [1_500.0, 500.0]


def test_a_caller_who_waits_or_is_spoken_over_makes_nobody_yield() -> None:
    assert yields_ms([(4.0, 6.0)], [(1.0, 4.0), (5.0, 7.0)]) == []


def test_talk_over_is_every_second_of_both() -> None:
    assert talk_over_s([(1.0, 3.0), (5.0, 6.0)], [(2.5, 5.25), (8.0, 9.0)]) == 0.75
    assert talk_over_s([(1.0, 2.0)], [(2.0, 3.0)]) == 0


def test_first_audio_is_the_agents_own_sample_and_not_the_line() -> None:
    trace = [agent(0, 0.1, 2.0), agent(1, 3.4, 4.9), agent(2, 9.0, 9.5)]
    gaps = [AnswerGap(2.6, 3.5), AnswerGap(5.0, 6.0)]
    assert first_audio_ms(gaps, trace) == [800.0]


# ---- missed turns -------------------------------------------------------------------------------------------------


def caller(turn: int, start: float, end: float, rule: str = "asked:identity") -> TraceRecord:
    return spans.caller(turn, start, end, rule=rule)


def ended(reason: EndReason) -> TraceRecord:
    return HangupEvent(time_ns=0, reason=reason)


GREETING = agent(0, 0, 2)
CLOSING = caller(9, 90, 92, "closing")


def test_a_call_in_which_each_turn_is_answered_has_no_missed_turn() -> None:
    turns = [GREETING, caller(1, 3, 5), agent(1, 6, 7), agent(1, 8, 9), caller(2, 10, 11), agent(2, 12, 13)]
    assert missed_turns([*turns, CLOSING, ended("caller_hung_up")]) == 0
    assert missed_turns([GREETING, ended("agent_silent")]) == 0
    assert missed_turns([]) == 0


def test_a_turn_is_missed_when_the_caller_speaks_again_before_an_answer() -> None:
    turns = [GREETING, caller(1, 3, 5), caller(2, 16, 18), agent(1, 19, 20)]
    assert missed_turns([*turns, CLOSING, ended("caller_hung_up")]) == 1


def test_hello_shows_a_missed_turn_and_is_none() -> None:
    hello = caller(2, 15, 15.5, "hello")
    asked = [GREETING, caller(1, 3, 5), hello]
    assert missed_turns([*asked, agent(1, 17, 18), CLOSING, ended("caller_hung_up")]) == 1
    assert missed_turns([*asked, ended("agent_silent")]) == 1
    answered = [GREETING, caller(1, 3, 5), agent(1, 6, 7), caller(2, 17, 17.5, "hello")]
    assert missed_turns([*answered, ended("agent_silent")]) == 0


def test_the_rest_of_what_the_caller_broke_into_is_no_answer() -> None:
    broke_in = [agent(0, 0, 4), caller(1, 3, 6), agent(0, 5, 8)]
    assert missed_turns([*broke_in, caller(2, 19, 20), agent(2, 21, 22), CLOSING, ended("caller_hung_up")]) == 1
    assert missed_turns([*broke_in, agent(1, 9, 10), CLOSING, ended("caller_hung_up")]) == 0


def test_a_word_under_the_callers_is_no_answer_and_one_that_outlasts_it_is() -> None:
    closed = [CLOSING, ended("caller_hung_up")]
    assert missed_turns([GREETING, caller(1, 3, 9), agent(1, 5, 6), *closed]) == 1
    assert missed_turns([GREETING, caller(1, 3, 9), agent(1, 8.5, 12), *closed]) == 0


def test_a_turn_in_several_pieces_is_one() -> None:
    pieces = [caller(1, 3, 4), caller(1, 5, 9)]
    assert missed_turns([GREETING, *pieces, ended("agent_silent")]) == 1
    assert missed_turns([GREETING, *pieces, agent(1, 10, 11), ended("caller_hung_up")]) == 0


@pytest.mark.parametrize(
    ("reason", "missed"),
    [
        ("agent_silent", 1),
        ("caller_hung_up", 1),
        ("caller_gave_up", 1),
        ("agent_ended", 0),
        ("transferred", 0),
        ("limit_call_s", 0),
        ("limit_turns", 0),
        ("error", 0),
    ],
)
def test_the_last_turn_is_missed_only_where_the_agent_could_have_answered_it(reason: EndReason, missed: int) -> None:
    assert missed_turns([GREETING, caller(1, 3, 5), ended(reason)]) == missed


@pytest.mark.parametrize("rule", ["closing", "give_up"])
def test_last_words_want_no_answer(rule: str) -> None:
    assert missed_turns([GREETING, caller(1, 3, 5, rule), ended("caller_hung_up")]) == 0


def test_over_text_all_is_said_at_one_instant_and_the_order_tells() -> None:
    first = [agent(0, 0, 0), caller(1, 0, 0)]
    rest = [caller(2, 0, 0), agent(2, 0, 0), caller(3, 0, 0, "closing"), ended("caller_hung_up")]
    assert missed_turns([*first, agent(1, 0, 0), *rest]) == 0
    assert missed_turns([*first, *rest]) == 1
