"""Who gives way to whom, on segments that are known."""

from __future__ import annotations

import pytest

from voicebench.metrics import Response
from voicebench.metrics.turn_taking import first_audio_ms, talk_over_s, yields_ms

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
    trace = [
        {"name": "agent.speech", "start_ns": 100_000_000},
        {"name": "agent.speech", "start_ns": 3_400_000_000},
        {"name": "agent.speech", "start_ns": 9_000_000_000},
    ]
    responses = [Response(2.6, 3.5), Response(5.0, 6.0)]
    assert first_audio_ms(responses, trace) == [800.0]
