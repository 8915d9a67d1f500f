from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics import spans
from voicebench.metrics import (
    Segment,
    Speech,
    answer_gaps,
    call_metrics,
    hello_stretches,
    quantiles,
    split_requests,
    v2v_parts,
)
from voicebench.metrics.latency import silences_before
from voicebench.record.events import BargeInEvent, VadForcedEvent
from voicebench.record.figures import Quantiles, TokenSums
from voicebench.record.trace import TraceRecord
from voicebench.record.trace_line import TraceSpan

pytestmark = pytest.mark.unit

RATE = 16_000

CALLED: dict[str, Any] = {
    "gen_ai.tool.call.id": "c",
    "gen_ai.tool.call.arguments": {},
    "gen_ai.tool.call.result": {"ok": True},
}
NEEDED: dict[str, dict[str, Any]] = {
    "turn.end": {"party": "agent", "vad_stop_ns": 0},
    "asr": {"party": "agent", "text": "x"},
    "tts": {"party": "agent", "text": "x", "voice": "joe", "audio_s": 1.0},
    "tool": {**CALLED, "gen_ai.tool.name": "look", "agent": "desk", "after_hangup": False},
    "handoff": {**CALLED, "tool": "transfer", "from": "desk", "to": "returns"},
    "agent.speech": {"turn": 1, "agent": "desk", "intended": "a", "spoken": "a", "interrupted": False},
}


def recording(total_s: float, caller: list[Segment], agent: list[Segment]) -> bytes:
    samples = np.random.default_rng(1).normal(0.0, 18.0, (round(total_s * RATE), 2))
    for side, segments in enumerate((caller, agent)):
        for start, end in segments:
            samples[round(start * RATE) : round(end * RATE), side] *= 90.0
    file = io.BytesIO()
    soundfile.write(file, samples.astype(np.int16), RATE, format="WAV", subtype="PCM_16")
    return file.getvalue()


def span(name: str, start_ms: int, end_ms: int, **attributes: Any) -> TraceRecord:
    """A span of any kind; what its kind needs and the test does not care about is made up."""
    return spans.span(name, start_ms / 1e3, end_ms / 1e3, **{**NEEDED.get(name, {}), **attributes})


def llm(start_ms: int, end_ms: int, ttft_ms: float | None, **attributes: Any) -> TraceRecord:
    return spans.llm(start_ms / 1e3, end_ms / 1e3, ttft_ms, **attributes)


def used(start_ms: int, tokens: tuple[int, int, int | None]) -> TraceRecord:
    kinds = zip(("input", "output", "cached"), tokens, strict=True)
    return llm(start_ms, start_ms + 500, 300.0, **{f"gen_ai.usage.{kind}_tokens": count for kind, count in kinds})


NOTHING = Quantiles(p50=None, p95=None, n=0)


def test_quantiles_interpolate_between_order_statistics() -> None:
    assert quantiles([4.0, 1.0, 2.0, 3.0]) == Quantiles(p50=2.5, p95=3.85, n=4)
    assert quantiles([7.0]) == Quantiles(p50=7.0, p95=7.0, n=1)
    assert quantiles([]) == NOTHING


def test_v2v_is_from_the_callers_end_to_the_agents_start() -> None:
    (gap,) = answer_gaps([(3.0, 4.0)], [(0.0, 2.0), (5.25, 6.0)])
    assert gap.v2v_ms == 1250.0


def test_several_stretches_of_the_caller_before_one_answer_count_from_the_last() -> None:
    assert [r.v2v_ms for r in answer_gaps([(1.0, 2.0), (2.5, 3.0)], [(4.0, 5.0)])] == [1000.0]


def test_an_agent_that_goes_on_without_the_caller_gives_no_second_latency() -> None:
    assert [r.v2v_ms for r in answer_gaps([(1.0, 2.0)], [(3.0, 4.0), (5.0, 6.0)])] == [1000.0]


def test_an_agent_already_speaking_at_the_callers_end_is_no_answer() -> None:
    assert answer_gaps([(1.0, 2.0)], [(1.5, 3.0)]) == []
    assert answer_gaps([(1.0, 2.0)], [(0.5, 3.0), (4.0, 5.0)]) == []


def test_a_caller_who_interrupts_is_answered_from_its_own_end() -> None:
    assert [r.v2v_ms for r in answer_gaps([(2.0, 4.0)], [(0.0, 2.3), (5.0, 6.0)])] == [1000.0]


def test_an_agent_that_starts_over_the_caller_is_no_answer_to_the_words_before() -> None:
    assert answer_gaps([(1.0, 2.0), (2.5, 4.0)], [(3.0, 5.0)]) == []


def test_an_unanswered_turn_gives_nothing() -> None:
    assert answer_gaps([(1.0, 2.0)], []) == []


def test_hello_does_not_restart_the_clock_of_the_turn_before_it() -> None:
    """A slower agent must not get a better figure because the caller asked whether anybody was there."""
    said, hello, answer = (3.0, 4.0), (16.0, 16.5), (20.0, 22.0)
    late_on_the_line = (16.15, 16.65)
    assert [gap.v2v_ms for gap in answer_gaps([said, late_on_the_line], [answer])] == [3350.0]
    assert [gap.v2v_ms for gap in answer_gaps([said, late_on_the_line], [answer], [hello])] == [16000.0]
    over_the_hello = (16.4, 18.0)
    assert [gap.v2v_ms for gap in answer_gaps([said, late_on_the_line], [over_the_hello], [hello])] == [12400.0]


def test_a_hello_that_no_turn_came_before_is_answered_without_a_latency() -> None:
    assert answer_gaps([(16.0, 16.5)], [(0.0, 3.0), (18.0, 19.0)], [(15.9, 16.4)]) == []


def test_words_after_a_hello_are_a_turn_of_their_own() -> None:
    gaps = answer_gaps([(3.0, 4.0), (16.0, 16.5), (19.0, 21.0)], [(22.0, 23.0)], [(15.9, 16.4)])
    assert [gap.v2v_ms for gap in gaps] == [1000.0]


def test_the_silence_before_each_hello_is_a_figure_of_its_own() -> None:
    trace = [spans.caller(0, 3.0, 4.0), spans.caller(1, 16.0, 16.5, "Hello?", rule="hello")]
    assert hello_stretches(trace) == [(16.0, 16.5)]
    assert silences_before(hello_stretches(trace), ([(3.1, 4.1), (16.1, 16.6)], [(20.0, 22.0)])) == [11900.0]
    assert silences_before(hello_stretches(trace), ([(3.1, 4.1), (16.1, 16.6)], [(6.0, 9.5)])) == [6500.0]


def test_requests_after_a_tool_or_a_handoff_are_told_from_those_after_a_turn() -> None:
    trace = [
        llm(0, 1000, 300.0),
        span("turn.end", 4000, 4500),
        llm(4500, 5000, 310.0),
        span("tool", 5000, 5100),
        llm(5100, 6000, 320.0),
        span("turn.end", 8000, 8500, party="caller"),
        llm(8600, 8900, 330.0),
        span("turn.end", 9000, 9500),
        llm(9500, 10_000, 340.0),
        span("handoff", 10_000, 10_000),
        llm(10_000, 11_000, 350.0),
        llm(10_000, 11_000, 10.0, party="caller"),
    ]
    turns, rounds = split_requests(trace)
    assert [request.ttft_ms for request in turns] == [300.0, 310.0, 340.0]
    assert [request.ttft_ms for request in rounds] == [320.0, 330.0, 350.0]


ANSWER = [
    span("turn.end", 4200, 4600, party="agent"),
    span("asr", 4200, 4700, party="agent", text="x"),
    llm(4700, 5100, 300.0),
    span("tool", 5100, 5150, agent="desk"),
    llm(5150, 5900, 300.0),
    span("tts", 5550, 5700, party="agent"),
    span("tts", 5700, 5900, party="agent"),
    span("agent.speech", 5720, 7950, turn=1, agent="desk", intended="a", spoken="a", interrupted=False),
]


ONE_TURN: Speech = ([(0.5, 1.005)], [(2.0, 3.0)])


def test_the_parts_of_an_answer_are_what_the_agent_was_waiting_for() -> None:
    (turn,) = v2v_parts(ANSWER, ([(3.0, 4.0)], [(0.5, 2.0), (5.8, 8.0)]))
    assert (turn.caller_end_s, turn.agent_start_s, turn.v2v_ms) == (4.0, 5.8, 1800)
    assert turn.parts_ms == {
        "turn_end": 600,
        "asr": 100,
        "llm": 600,
        "streaming": 200,
        "tools": 50,
        "tts": 150,
        "line": 80,
        "unexplained": 20,
    }


def test_each_answer_has_the_parts_of_its_own_spans() -> None:
    slower = [
        span("turn.end", 14_000, 14_600),
        llm(14_600, 15_900, 1000.0),
        span("tts", 15_900, 16_100),
    ]
    speech: Speech = ([(3.0, 4.0), (13.0, 14.0)], [(0.5, 2.0), (5.8, 8.0), (16.1, 18.0)])
    first, second = v2v_parts([*ANSWER, *slower], speech)
    assert [first] == v2v_parts(ANSWER, ([(3.0, 4.0)], [(5.8, 8.0)]))
    assert {part: ms for part, ms in second.parts_ms.items() if ms} == {
        "turn_end": 600,
        "llm": 1000,
        "streaming": 300,
        "tts": 200,
    }


def test_without_a_trace_all_of_it_is_unexplained() -> None:
    (turn,) = v2v_parts([], ONE_TURN)
    assert turn.parts_ms["unexplained"] == turn.v2v_ms == 995


def test_without_a_recording_there_are_no_parts() -> None:
    assert v2v_parts(ANSWER, None) == []


def test_the_callers_own_spans_explain_nothing() -> None:
    (turn,) = v2v_parts([span("asr", 1000, 1900, party="caller")], ONE_TURN)
    assert turn.parts_ms["asr"] == 0


instants = st.integers(900, 2200)
any_spans = st.builds(
    lambda name, times, ttft: span(name, min(times), max(times), **({"ttft_ms": ttft} if name == "llm" else {})),
    st.sampled_from(["turn.end", "asr", "llm", "tool", "tts", "agent.speech", "handoff"]),
    st.tuples(instants, instants),
    st.one_of(st.none(), st.floats(0, 900)),
)


def start_of(record: TraceRecord) -> int:
    assert isinstance(record, TraceSpan)
    return record.start_ns


@given(st.lists(any_spans, max_size=8))
def test_the_parts_add_up_to_the_whole(trace: list[TraceRecord]) -> None:
    (turn,) = v2v_parts(sorted(trace, key=start_of), ONE_TURN)
    assert sum(turn.parts_ms.values()) == turn.v2v_ms == 995
    assert min(turn.parts_ms.values()) >= 0


def test_a_call_without_audio_has_no_v2v_and_no_seconds_of_speech() -> None:
    metrics = call_metrics([llm(0, 500, 250.0), llm(600, 900, None), llm(900, 1500, 350.0)], None)
    assert metrics.ttft_ms == Quantiles(p50=300.0, p95=345.0, n=2)
    assert metrics.v2v_ms == NOTHING
    assert (metrics.agent_speech_s, metrics.caller_speech_s) == (None, None)
    assert metrics.tokens == TokenSums(input=None, output=None, cached=None)


def test_a_recording_gives_v2v_and_seconds_of_speech() -> None:
    wav = recording(9.0, [(2.5, 3.0), (5.0, 6.0)], [(0.0, 2.0), (3.5, 4.5), (7.0, 8.0)])
    metrics = call_metrics([], wav)
    assert metrics.v2v_ms == Quantiles(p50=750.0, p95=975.0, n=2)
    assert (metrics.agent_speech_s, metrics.caller_speech_s) == (4.0, 1.5)
    assert metrics.ttft_ms == NOTHING


@pytest.mark.parametrize(
    ("requests", "tokens"),
    [
        ([used(0, (100, 10, 40)), used(600, (200, 20, 0))], (300, 30, 40)),
        ([used(0, (100, 10, None)), used(600, (200, 20, 50))], (300, 30, 50)),
        ([used(0, (100, 10, None))], (100, 10, None)),
        ([used(0, (100, 10, 40)), llm(600, 900, 300.0)], (None, None, None)),
        ([used(0, (100, 10, 40)), llm(600, 900, None)], (100, 10, 40)),
    ],
)
def test_tokens_are_summed_or_unknown(requests: list[TraceRecord], tokens: tuple[int | None, ...]) -> None:
    found = call_metrics(requests, None).tokens
    assert found is not None
    assert (found.input, found.output, found.cached) == tokens


def test_barge_ins_are_the_callers_and_forced_turns_are_counted() -> None:
    trace: list[TraceRecord] = [
        BargeInEvent(time_ns=0, party="caller", turn=1),
        BargeInEvent(time_ns=0, party="agent", turn=1),
        VadForcedEvent(time_ns=0, party="agent"),
    ]
    metrics = call_metrics(trace, None)
    assert (metrics.barge_ins, metrics.vad_forced) == (1, 1)
