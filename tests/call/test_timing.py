"""The rule for late ticks in real time, and times that count from the first of them."""

from __future__ import annotations

import pytest

from voicebench.call.timing import from_start, ticks, timing_problem
from voicebench.record.events import HangupEvent
from voicebench.record.exchanges import RealtimeExchange
from voicebench.record.figures import TickLateness
from voicebench.record.spans import LlmSpan, TurnEndSpan

pytestmark = pytest.mark.unit


def test_a_punctual_call_has_no_problem() -> None:
    assert timing_problem([0.4] * 3_000) is None
    assert timing_problem([]) is None


def test_half_a_percent_of_late_ticks_is_allowed_and_one_more_is_not() -> None:
    assert timing_problem([20.1] * 5 + [1.0] * 995) is None
    problem = timing_problem([20.1] * 6 + [1.0] * 994)
    assert problem == "timing: 6 of 1000 ticks of the line were over 20 ms late; 0.5% are allowed"


def test_a_tick_that_is_20_ms_late_is_not_late_yet() -> None:
    assert timing_problem([20.0] * 1_000) is None


def test_one_tick_may_be_200_ms_late_and_no_more() -> None:
    assert timing_problem([200.0] + [0.0] * 999) is None
    assert timing_problem([200.6] + [0.0] * 999) == "timing: a tick of the line was 201 ms late; 200 are allowed"


def test_the_loops_lag_is_given_by_its_quantiles() -> None:
    lateness = ticks([float(n) for n in range(101)])
    assert lateness == TickLateness(n=101, late=80, p50_ms=50.0, p99_ms=99.0, worst_ms=100.0)
    assert ticks([]) == TickLateness(n=0, late=0, p50_ms=0.0, p99_ms=0.0, worst_ms=0.0)


def test_times_count_from_the_first_tick_and_what_was_before_is_at_its_start() -> None:
    llm = LlmSpan(start_ns=100, end_ns=700, ttft_ms=5.0)
    turn_end = TurnEndSpan(start_ns=900, end_ns=950, party="agent", vad_stop_ns=900)
    hangup = HangupEvent(time_ns=2_000, reason="agent_ended")
    event = RealtimeExchange(direction="received", at_ns=600, slot=7, event={"type": "session.created", "at_ns": 600})
    assert from_start([llm], 500) == [LlmSpan(start_ns=0, end_ns=200, ttft_ms=5.0)]
    assert from_start([turn_end], 500) == [TurnEndSpan(start_ns=400, end_ns=450, party="agent", vad_stop_ns=400)]
    assert from_start([hangup], 500) == [HangupEvent(time_ns=1_500, reason="agent_ended")]
    assert from_start([event], 500) == [
        RealtimeExchange(direction="received", at_ns=100, slot=7, event={"type": "session.created", "at_ns": 600})
    ]
    assert from_start([llm, hangup], 0) == [llm, hangup]
