"""Voice-to-voice latency from the line's samples, and what it was made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from voicebench.config.profiles import QUALIFYING_TTFT_MS
from voicebench.metrics.activity import Segment, recording_activity

__all__ = ["PARTS", "QUALIFYING_TTFT_MS", "Response", "parts_of", "quantiles", "responses", "v2v_parts"]

PARTS = ("turn_end", "asr", "llm", "streaming", "tools", "tts", "line", "unexplained")
"""Parts of V2V, in the order in which they usually follow each other."""


@dataclass(frozen=True)
class Response:
    """One turn of the caller that the agent answered.

    Attributes:
        caller_end_s: end of the caller's speech, as the agent heard it.
        agent_start_s: start of the agent's next speech, as the caller heard it.
    """

    caller_end_s: float
    agent_start_s: float

    @property
    def v2v_ms(self) -> float:
        """Voice-to-voice latency, milliseconds, to the microsecond."""
        return round((self.agent_start_s - self.caller_end_s) * 1e3, 3)


def quantiles(values: Sequence[float]) -> dict[str, Any]:
    """Return ``{p50, p95, n}`` of some values; the quantiles are null when there are none.

    Linear interpolation between the order statistics at position (n - 1)·q (numpy's ``linear``; Hyndman and Fan, Sample
    Quantiles in Statistical Packages, 1996, definition 7). Rounded to a thousandth.
    """
    if not values:
        return {"p50": None, "p95": None, "n": 0}
    p50, p95 = np.quantile(np.asarray(values, dtype=np.float64), [0.5, 0.95], method="linear")
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3), "n": len(values)}


def responses(caller: Sequence[Segment], agent: Sequence[Segment]) -> list[Response]:
    """Pair each end of the caller's speech with the start of the agent's next speech.

    A turn counts when the agent was silent as the caller ended, and the caller was silent as the agent began. Of
    several stretches of the caller's speech before one answer, the last counts.
    """
    found = []
    before = float("-inf")
    for start, end in agent:
        ends = [e for _, e in caller if before < e <= start]
        talked_over = any(s < start < e for s, e in caller)
        if ends and not talked_over:
            found.append(Response(ends[-1], start))
        before = end
    return found


def v2v_parts(trace: list[dict[str, Any]], recording: bytes | None) -> list[dict[str, Any]]:
    """Split the V2V of each answered turn of a recording, as :func:`parts_of` does.

    Args:
        trace: lines of ``trace.jsonl``, whose times and the recording's begin together.
        recording: the WAV file's bytes; None gives no turns.
    """
    return [] if recording is None else parts_of(responses(*recording_activity(recording)), trace)


def parts_of(answered: Sequence[Response], trace: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Split the V2V of answered turns into parts that add up to it exactly.

    Every millisecond belongs to one part, the first in this list that covers it:

    - ``turn_end``: silence that was waited out, from the end of speech to the end of the caller's turn;
    - ``line``: from the agent's first sample to speech at the caller's ear;
    - ``asr``: recognition, as far as it took longer than the silence;
    - ``tts``: synthesis of the first clause;
    - ``tools``: tool calls that the answer waited for;
    - ``llm``: requests until their first token (TTFT), each of them when tools were called in between;
    - ``streaming``: from a first token until the first clause or the tool call was complete;
    - ``unexplained``: the rest.

    Args:
        answered: the turns, from the recording.
        trace: lines of ``trace.jsonl``, whose times and the recording's begin together.

    Returns:
        One ``{caller_end_s, agent_start_s, v2v_ms, parts_ms}`` a turn, in order, all milliseconds whole.
    """
    return [_split(response, trace) for response in answered]


Stretch = tuple[int, int, str]


def _split(response: Response, trace: list[dict[str, Any]]) -> dict[str, Any]:
    start, end = round(response.caller_end_s * 1e3), round(response.agent_start_s * 1e3)
    stretches = [s for s in _stretches(trace, start, end) if s[1] > start and s[0] < end]
    edges = sorted({start, end, *(min(max(t, start), end) for s in stretches for t in s[:2])})
    parts = dict.fromkeys(PARTS, 0)
    for left, right in pairwise(edges):
        part = next((name for a, b, name in stretches if a <= left and right <= b), "unexplained")
        parts[part] += right - left
    return {
        "caller_end_s": response.caller_end_s,
        "agent_start_s": response.agent_start_s,
        "v2v_ms": end - start,
        "parts_ms": parts,
    }


def _stretches(trace: list[dict[str, Any]], start: int, end: int) -> Iterator[Stretch]:
    """Yield what the agent was busy with, in milliseconds; of two that overlap, the first yielded counts."""
    pauses = [(a, b) for a, b, _ in _spans(trace, "turn.end") if b > start]
    if pauses and pauses[0][1] <= end:
        yield (start, pauses[0][1], "turn_end")
    first_sound = next((a for a, _, _ in _spans(trace, "agent.speech") if start <= a <= end), end)
    yield (first_sound, end, "line")
    yield from ((a, b, "asr") for a, b, _ in _spans(trace, "asr"))
    clauses = [(a, b, "tts") for a, b, _ in _spans(trace, "tts") if start < b <= first_sound]
    ready = max((b for _, b, _ in clauses), default=end)
    yield from clauses
    yield from ((a, b, "tools") for a, b, _ in _spans(trace, "tool"))
    requests = [(a, b, attributes.get("ttft_ms")) for a, b, attributes in _spans(trace, "llm")]
    yield from ((a, b if ttft is None else a + round(ttft), "llm") for a, b, ttft in requests)
    yield from ((a, min(b, ready), "streaming") for a, b, _ in requests)
    yield from ((a, b, "turn_end") for a, b in pauses)


def _spans(trace: list[dict[str, Any]], name: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield the agent's spans of one name, by their start: start and end in milliseconds, attributes."""
    for line in trace:
        if line["type"] == "span" and line["name"] == name and line["attributes"].get("party") != "caller":
            yield round(line["start_ns"] / 1e6), round(line["end_ns"] / 1e6), line["attributes"]
