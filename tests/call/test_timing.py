"""The rule for late ticks in real time, and times that count from the first of them."""

from __future__ import annotations

from typing import Any

import pytest

from voicebench.call.timing import from_start, ticks, timing_problem

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


def test_the_loops_lag_is_told_by_its_quantiles() -> None:
    told = ticks([float(n) for n in range(101)])
    assert told == {"n": 101, "late": 80, "p50_ms": 50.0, "p99_ms": 99.0, "worst_ms": 100.0}
    assert ticks([]) == {"n": 0, "late": 0, "p50_ms": 0.0, "p99_ms": 0.0, "worst_ms": 0.0}


def test_times_count_from_the_first_tick_and_what_was_before_is_at_its_start() -> None:
    lines: list[dict[str, Any]] = [
        {"name": "llm", "start_ns": 100, "end_ns": 700, "attributes": {"ttft_ms": 5.0}},
        {"name": "turn.end", "start_ns": 900, "end_ns": 950, "attributes": {"vad_stop_ns": 900}},
        {"name": "hangup", "time_ns": 2_000, "attributes": {"reason": "agent_ended"}},
        {"kind": "realtime", "at_ns": 600, "slot": 7},
    ]
    moved = from_start(lines, 500)
    assert [(line.get("start_ns"), line.get("end_ns")) for line in moved[:2]] == [(0, 200), (400, 450)]
    assert moved[1]["attributes"] == {"vad_stop_ns": 400}
    assert (moved[2]["time_ns"], moved[3]["at_ns"], moved[3]["slot"]) == (1_500, 100, 7)
    assert from_start(lines, 0) is lines
