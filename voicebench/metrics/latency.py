"""Voice-to-voice latency from the line's samples, and what it was made of."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from voicebench.config.profiles import QUALIFYING_TTFT_MS
from voicebench.metrics.activity import Segment, Speech
from voicebench.record.figures import AnsweredTurn, Quantiles
from voicebench.record.spans import AsrSpan, CallerSpeechSpan, HandoffSpan, LlmSpan, ToolSpan, TtsSpan, TurnEndSpan
from voicebench.record.trace import TraceRecord
from voicebench.record.trace_line import TraceSpan

__all__ = [
    "PARTS",
    "QUALIFYING_TTFT_MS",
    "AnswerGap",
    "answer_gaps",
    "hello_stretches",
    "quantiles",
    "silences_before",
    "split_requests",
    "v2v_parts",
]

PARTS = ("turn_end", "asr", "llm", "streaming", "tools", "tts", "line", "unexplained")
"""Parts of V2V, in the order in which they usually follow each other."""


_LINE_DELAY_S = 0.5
"""No line delays what is said by more: its network, its buffer and its codec together."""


@dataclass(frozen=True)
class AnswerGap:
    """The silence between a turn of the caller and the agent's answer, as one hears it in the recording.

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


def quantiles(values: Sequence[float]) -> Quantiles:
    """Return the median and the 95th percentile of some values; they are null when there are none.

    Linear interpolation between the order statistics at position (n - 1)·q (numpy's ``linear``; Hyndman and Fan, Sample
    Quantiles in Statistical Packages, 1996, definition 7). Rounded to a thousandth.
    """
    if not values:
        return Quantiles(p50=None, p95=None, n=0)
    p50, p95 = np.quantile(np.asarray(values, dtype=np.float64), [0.5, 0.95], method="linear")
    return Quantiles(p50=round(float(p50), 3), p95=round(float(p95), 3), n=len(values))


def hello_stretches(trace: Sequence[TraceRecord]) -> list[Segment]:
    """Return when the caller said "Hello?" because the agent had been silent for long, seconds of the call."""
    spans = (span for span in trace if isinstance(span, CallerSpeechSpan) and span.rule == "hello")
    return [(span.start_ns / 1e9, span.end_ns / 1e9) for span in spans]


def silences_before(hellos: Sequence[Segment], speech: Speech) -> list[float]:
    """Return how long nobody had spoken each time the caller said "Hello?", milliseconds.

    Args:
        hellos: as :func:`hello_stretches` returns them.
        speech: of both sides, as the recording has it.
    """
    found = []
    for start, _ in hellos:
        ends = [end for segments in speech for begin, end in segments if begin < start and end <= start + _LINE_DELAY_S]
        if ends:
            found.append(round(max(0.0, start - max(ends)) * 1e3, 3))
    return found


def answer_gaps(caller: Sequence[Segment], agent: Sequence[Segment], hellos: Sequence[Segment] = ()) -> list[AnswerGap]:
    """Pair each end of the caller's turns with the start of the agent's next speech.

    A turn counts when the agent was silent as the caller ended, and the caller was silent as the agent began. Of
    several stretches of the caller's speech before one answer, the last counts. "Hello?" is none: who is slow until
    the caller asks whether anybody is there is measured from the end of the turn that it owes an answer to.

    Args:
        caller: its speech in the recording, in order.
        agent: its speech, likewise.
        hellos: as :func:`hello_stretches` returns them.
    """
    # As they arrive over the line
    said = [(begin - _LINE_DELAY_S / 10, until + _LINE_DELAY_S) for begin, until in hellos]
    caller = [(s, e) for s, e in caller if not any(begin <= s and e <= until for begin, until in said)]
    found = []
    before = float("-inf")
    for start, end in agent:
        ends = [e for _, e in caller if before < e <= start]
        talked_over = any(s < start < e for s, e in caller)
        if ends and not talked_over:
            found.append(AnswerGap(ends[-1], start))
        before = end
    return found


def v2v_parts(trace: Sequence[TraceRecord], speech: Speech | None) -> list[AnsweredTurn]:
    """Split the V2V of each answered turn into parts that add up to it exactly.

    Every millisecond belongs to one part, the first in this list that covers it:

    - ``turn_end``: silence that was waited out, from the end of speech to the end of the caller's turn;
    - ``line``: from the agent's first sample to the start of speech as the caller hears it;
    - ``asr``: recognition, as far as it took longer than the silence;
    - ``tts``: synthesis of the first clause;
    - ``tools``: tool calls that the answer waited for;
    - ``llm``: requests until their first token (TTFT), each of them when tools were called in between;
    - ``streaming``: from a first token until the first clause or the tool call was complete;
    - ``unexplained``: the rest.

    Args:
        trace: spans and events, whose times and the recording's begin together.
        speech: who spoke when, as :func:`recording_activity` reads it off the recording; None gives no turns.

    Returns:
        One a turn, in order, all milliseconds whole.
    """
    answered = [] if speech is None else answer_gaps(*speech, hello_stretches(trace))
    return [_split(gap, spans) for gap, spans in zip(answered, _by_gap(trace, answered), strict=True)]


def split_requests(trace: Sequence[TraceRecord]) -> tuple[list[LlmSpan], list[LlmSpan]]:
    """Split the requests to the agent's model: those that answer the caller, and those that follow a tool's result.

    A request follows a tool where a tool or a handoff, and no turn of the caller, ended last before it.
    """
    turns: list[LlmSpan] = []
    tool_rounds: list[LlmSpan] = []
    latest = sorted(
        (span.end_ns, isinstance(span, ToolSpan | HandoffSpan))
        for span in trace
        if isinstance(span, ToolSpan | HandoffSpan) or (isinstance(span, TurnEndSpan) and span.party != "caller")
    )
    ends = [end_ns for end_ns, _ in latest]
    for request in trace:
        if isinstance(request, LlmSpan) and request.party != "caller":
            number = bisect_right(ends, request.start_ns)
            (tool_rounds if number and latest[number - 1][1] else turns).append(request)
    return turns, tool_rounds


Span = tuple[int, int, int | None]
"""Start and end of a span of the agent, and the time to its first token if it is a request: milliseconds."""

Spans = Mapping[str, Sequence[Span]]
"""Spans by their name, each in the order of the trace."""

Stretch = tuple[int, int, str]


def _by_gap(trace: Sequence[TraceRecord], answered: Sequence[AnswerGap]) -> Sequence[Spans]:
    """Return the agent's spans that touch each gap; gaps are in order and do not overlap."""
    edges = [_edges(gap) for gap in answered]
    ends = [end for _, end in edges]
    found: list[defaultdict[str, list[Span]]] = [defaultdict(list) for _ in edges]
    for span in trace:
        if not isinstance(span, TraceSpan) or (
            isinstance(span, AsrSpan | LlmSpan | TtsSpan | TurnEndSpan) and span.party == "caller"
        ):
            continue
        start, end = round(span.start_ns / 1e6), round(span.end_ns / 1e6)
        first_ns = span.first_token_ns if isinstance(span, LlmSpan) else None
        ttft = None if first_ns is None else round((first_ns - span.start_ns) / 1e6)
        last = max(end, start + (ttft or 0))
        for number in range(bisect_left(ends, start), len(edges)):
            if edges[number][0] > last:
                break
            found[number][span.name].append((start, end, ttft))
    return found


def _edges(gap: AnswerGap) -> tuple[int, int]:
    return round(gap.caller_end_s * 1e3), round(gap.agent_start_s * 1e3)


def _split(gap: AnswerGap, spans: Spans) -> AnsweredTurn:
    start, end = _edges(gap)
    stretches = [s for s in _stretches(spans, start, end) if s[1] > start and s[0] < end]
    edges = sorted({start, end, *(min(max(t, start), end) for s in stretches for t in s[:2])})
    parts: dict[str, float] = dict.fromkeys(PARTS, 0)
    for left, right in pairwise(edges):
        part = next((name for a, b, name in stretches if a <= left and right <= b), "unexplained")
        parts[part] += right - left
    return AnsweredTurn(
        caller_end_s=gap.caller_end_s, agent_start_s=gap.agent_start_s, v2v_ms=end - start, parts_ms=parts
    )


def _stretches(spans: Spans, start: int, end: int) -> Iterator[Stretch]:
    """Yield what the agent was busy with, in milliseconds; of two that overlap, the first yielded counts."""
    pauses = [(a, b) for a, b, _ in spans.get("turn.end", ()) if b > start]
    if pauses and pauses[0][1] <= end:
        yield (start, pauses[0][1], "turn_end")
    first_sound = next((a for a, _, _ in spans.get("agent.speech", ()) if start <= a <= end), end)
    yield (first_sound, end, "line")
    yield from ((a, b, "asr") for a, b, _ in spans.get("asr", ()))
    clauses = [(a, b, "tts") for a, b, _ in spans.get("tts", ()) if start < b <= first_sound]
    ready = max((b for _, b, _ in clauses), default=end)
    yield from clauses
    yield from ((a, b, "tools") for a, b, _ in spans.get("tool", ()))
    requests = spans.get("llm", ())
    yield from ((a, b if ttft is None else a + ttft, "llm") for a, b, ttft in requests)
    yield from ((a, min(b, ready), "streaming") for a, b, _ in requests)
    yield from ((a, b, "turn_end") for a, b in pauses)
