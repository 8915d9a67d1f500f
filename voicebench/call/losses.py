"""Lost packets on the trace, so that a word heard wrong can be traced to its burst."""

from __future__ import annotations

from voicebench.line import RATE, Line, bursts
from voicebench.store import Tracer

__all__ = ["record_losses"]


def record_losses(tracer: Tracer, line: Line, start_ns: int) -> None:
    """Record an event ``packet_loss`` for each run of packets that were concealed on a leg.

    It stands where the run is heard, so its time less the call's start is its place in the recording.

    Args:
        tracer: of the call.
        line: the leg, after the call.
        start_ns: call time of the recording's first sample.
    """
    filter_ms = line.filter_samples * 1000 / RATE
    for burst in bursts([packet for packet in line.packets if packet.turn_ms is not None]):
        first = burst.packets[0]
        heard_ms = (first.turn_ms or 0.0) + filter_ms
        tracer.event(
            "packet_loss",
            start_ns + round(heard_ms * 1e6),
            leg=line.leg,
            sequence=first.sequence,
            packets=len(burst.packets),
            lost=burst.lost,
            late=burst.late,
        )
