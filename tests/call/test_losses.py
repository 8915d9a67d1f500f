"""Lost packets stand on the trace where they are heard."""

from __future__ import annotations

import numpy as np
import pytest

from tests.jsons import lines_of
from voicebench.call.session import record_losses
from voicebench.line import FRAME, LegSettings, Line, bursts
from voicebench.line.loss import Gilbert
from voicebench.store import Tracer

pytestmark = pytest.mark.unit


def test_each_burst_is_an_event_at_its_place_in_the_recording() -> None:
    leg = LegSettings(codec="g711u", loss=Gilbert.of(0.2, 2.0), delay_ms=40.0, buffer_ms=20.0)
    line = Line(leg, leg="agent_to_caller", seed=3)
    line.process(np.zeros(200 * FRAME, dtype=np.int16))
    tracer = Tracer(1, lambda: 0)
    record_losses(tracer, line, 5_000_000_000)
    events = lines_of(tracer)
    heard = [burst for burst in bursts(line.packets) if burst.packets[0].turn_ms is not None]
    assert len(events) == len(heard) > 5
    for event, burst in zip(events, heard, strict=True):
        first = burst.packets[0].sequence
        assert event["name"] == "packet_loss"
        assert event["time_ns"] == 5_000_000_000 + (first * 20 + 60 + 4) * 1_000_000
        assert event["attributes"]["leg"] == "agent_to_caller"
        assert event["attributes"]["sequence"] == first
        assert event["attributes"]["lost"] + event["attributes"]["late"] == event["attributes"]["packets"]
    assert sum(event["attributes"]["packets"] for event in events) <= sum(packet.lost for packet in line.packets)


def test_a_line_that_loses_nothing_leaves_no_event() -> None:
    line = Line(LegSettings(codec="g711u"), leg="caller_to_agent", seed=3)
    line.process(np.zeros(50 * FRAME, dtype=np.int16))
    tracer = Tracer(1, lambda: 0)
    record_losses(tracer, line, 0)
    assert lines_of(tracer) == []
