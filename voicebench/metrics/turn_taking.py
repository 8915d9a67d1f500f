"""Who gives way to whom, read off the line's samples, and which of the caller's turns got no answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from voicebench.metrics.activity import Segment
from voicebench.metrics.latency import AnswerGap
from voicebench.record.events import HangupEvent
from voicebench.record.spans import AgentSpeechSpan, CallerSpeechSpan
from voicebench.record.trace import TraceRecord

__all__ = ["first_audio_ms", "missed_turns", "talk_over_s", "yields_ms"]

_LAST_WORDS = ("closing", "give_up")
"""Rules of words that want no answer: the caller hangs up after them."""

_AGENT_LEFT_IT = ("agent_silent", "caller_hung_up", "caller_gave_up")
"""Ends of a call at which the agent could have answered the last turn. It cannot where a limit or an error cut the call
off, and need not where it hung up or transferred."""


def yields_ms(caller: Sequence[Segment], agent: Sequence[Segment]) -> list[float]:
    """Return for each time the caller began while the agent spoke how long the agent went on, milliseconds."""
    begun = [(start, until) for start, _ in caller for since, until in agent if since < start < until]
    return [round((until - start) * 1e3, 3) for start, until in begun]


def talk_over_s(caller: Sequence[Segment], agent: Sequence[Segment]) -> float:
    """Return the seconds in which both spoke."""
    overlaps = (min(a[1], b[1]) - max(a[0], b[0]) for a in caller for b in agent)
    return round(sum(overlap for overlap in overlaps if overlap > 0), 3)


def missed_turns(trace: Sequence[TraceRecord]) -> int:
    """Count the caller's turns that the agent did not answer before the caller spoke again, or the call ended.

    An answer is speech of a later turn of the agent that began after the caller did and lasted beyond its last word:
    neither the rest of what the caller broke into, nor a word under the caller's. "Hello?" is no turn that could be
    missed, but shows that the one before it was. The last words before the caller hangs up want no answer.

    Args:
        trace: spans and events, by their start.
    """
    missed = 0
    asked: list[CallerSpeechSpan] = []
    answered = True
    before: int | None = None
    said: int | None = None
    for line in trace:
        if isinstance(line, CallerSpeechSpan):
            if asked and asked[0].turn == line.turn:
                asked.append(line)
                continue
            missed += not answered
            asked, before = [line], said
            answered = line.rule in ("hello", *_LAST_WORDS)
        elif isinstance(line, AgentSpeechSpan):
            said = line.turn
            answered = answered or (said != before and line.end_ns >= max(one.end_ns for one in asked))
    end = next((event.reason for event in trace if isinstance(event, HangupEvent)), None)
    return missed + (not answered and end in _AGENT_LEFT_IT)


def first_audio_ms(gaps: Iterable[AnswerGap], trace: Iterable[TraceRecord]) -> list[float]:
    """Return for each answered turn the time from its end to the first sample that the agent gave to the line.

    That is V2V without the way back over the line, milliseconds.

    Args:
        gaps: of the answered turns, from the recording.
        trace: spans and events, whose times and the recording's begin together.
    """
    starts = sorted(span.start_ns / 1e9 for span in trace if isinstance(span, AgentSpeechSpan))
    found = []
    for gap in gaps:
        first = next((start for start in starts if gap.caller_end_s < start <= gap.agent_start_s), None)
        if first is not None:
            found.append(round((first - gap.caller_end_s) * 1e3, 3))
    return found
