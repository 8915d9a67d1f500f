"""Traces: equal calls give equal lines."""

from __future__ import annotations

import pytest

from tests.jsons import lines_of
from voicebench.errors import StoreError
from voicebench.record.events import BargeInEvent, HangupEvent
from voicebench.record.spans import CallSpan, LlmSpan, ToolSpan
from voicebench.store import Tracer, from_jsonl, to_jsonl

pytestmark = pytest.mark.unit


def traced(seed: int) -> Tracer:
    tracer = Tracer(seed, lambda: 7_000)
    call = tracer.reserve()
    tracer.add(
        ToolSpan(
            start_ns=50,
            end_ns=90,
            parent_span_id=call,
            tool="get_order",
            call_id="c",
            arguments={"number": 3},
            result={"ok": True},
            agent="a",
            after_hangup=False,
        )
    )
    tracer.add(BargeInEvent(time_ns=40, span_id=call, party="caller", turn=2))
    tracer.add(HangupEvent(time_ns=tracer.now_ns(), reason="agent_ended"))
    tracer.add(LlmSpan(start_ns=40, end_ns=60, parent_span_id=call))
    whole = CallSpan(
        start_ns=0, end_ns=100, span_id=call, pack="p", task="t", trial=1, attempt=1, end_reason="agent_ended"
    )
    tracer.add(whole)
    return tracer


def test_ids_follow_from_the_seed_and_the_order() -> None:
    assert to_jsonl(lines_of(traced(1))) == to_jsonl(lines_of(traced(1)))
    first, second = ({line["span_id"] for line in lines_of(traced(seed))} for seed in (1, 2))
    assert first & second == {None}
    assert len(first) == 4
    assert traced(1).trace_id == "b9500a74a70e4d59f3fbd5df4dfb61e5"


def test_lines_are_sorted_by_start_and_then_by_recording() -> None:
    starts = [(line["name"], line.get("start_ns", line.get("time_ns"))) for line in lines_of(traced(1))]
    assert starts == [("call", 0), ("barge_in", 40), ("llm", 40), ("tool", 50), ("hangup", 7_000)]


def test_a_span_names_its_parent_and_keeps_its_attributes() -> None:
    call, _, _, tool, _ = lines_of(traced(1))
    assert tool["parent_span_id"] == call["span_id"]
    assert tool["attributes"]["gen_ai.tool.name"] == "get_order"
    assert tool["attributes"]["gen_ai.tool.call.arguments"] == {"number": 3}
    assert call["parent_span_id"] is None


def test_a_span_cannot_end_before_it_begins() -> None:
    with pytest.raises(ValueError, match="ends at 1 ns"):
        Tracer(0, lambda: 0).add(LlmSpan(start_ns=2, end_ns=1))


def test_lines_are_read_back_and_a_cut_line_is_told() -> None:
    data = to_jsonl(lines_of(traced(1)))
    assert from_jsonl(data, "trace.jsonl") == lines_of(traced(1))
    with pytest.raises(StoreError, match=r"trace\.jsonl, line 5: no JSON"):
        from_jsonl(data[:-10], "trace.jsonl")


def test_numbers_that_json_has_not_are_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_jsonl([{"ttft_ms": float("nan")}])
