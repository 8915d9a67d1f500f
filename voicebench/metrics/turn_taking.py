"""Who gives way to whom, read off the line's samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from voicebench.metrics.activity import Segment
from voicebench.metrics.latency import Response

__all__ = ["first_audio_ms", "talk_over_s", "yields_ms"]


def yields_ms(caller: Sequence[Segment], agent: Sequence[Segment]) -> list[float]:
    """Return for each time the caller began while the agent spoke how long the agent went on, milliseconds."""
    begun = [(start, until) for start, _ in caller for since, until in agent if since < start < until]
    return [round((until - start) * 1e3, 3) for start, until in begun]


def talk_over_s(caller: Sequence[Segment], agent: Sequence[Segment]) -> float:
    """Return the seconds in which both spoke."""
    overlaps = (min(a[1], b[1]) - max(a[0], b[0]) for a in caller for b in agent)
    return round(sum(overlap for overlap in overlaps if overlap > 0), 3)


def first_audio_ms(responses: Iterable[Response], trace: Iterable[dict[str, Any]]) -> list[float]:
    """Return for each answered turn the time from its end to the first sample that the agent gave to the line.

    That is V2V without the way back over the line, milliseconds.

    Args:
        responses: the turns, from the recording.
        trace: lines of the trace, whose times and the recording's begin together.
    """
    starts = [line["start_ns"] / 1e9 for line in trace if line["name"] == "agent.speech"]
    found = []
    for response in responses:
        first = next((s for s in sorted(starts) if response.caller_end_s < s <= response.agent_start_s), None)
        if first is not None:
            found.append(round((first - response.caller_end_s) * 1e3, 3))
    return found
