"""What was meant, said and understood, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from voicebench.metrics.words import sum_errors, word_errors
from voicebench.record.base import Party
from voicebench.record.spans import AgentSpeechSpan, AsrSpan, CallerHeardSpan, CallerSpeechSpan
from voicebench.record.trace import TraceRecord
from voicebench.record.transcript import LegWordErrors, TranscriptTurn, WordErrorsByLeg

__all__ = ["LEGS", "transcript", "word_errors_by_leg"]

LEGS: dict[Party, str] = {"caller": "caller_to_agent", "agent": "agent_to_caller"}
"""The leg on which each side speaks."""

_NOTICE_NS = 400_000_000
"""Least time from the start of speech until a recognizer's VAD has noticed it and then its end: 0.2 s each."""

_LINE_NS = 1_000_000_000
"""Most time by which a line can delay speech on its way to the other side."""


@dataclass
class _Turn:
    """A turn in the making; ``heard`` are the texts of the other side's recognition, None before there is one."""

    speaker: Party
    start_ns: int
    end_ns: int
    intended: list[str] = field(default_factory=list)
    spoken: list[str] = field(default_factory=list)
    interrupted: bool = False
    heard: list[str] | None = None
    pieces: list[tuple[int, int]] = field(default_factory=list)
    said_by: list[str] = field(default_factory=list)
    heard_by: list[str] = field(default_factory=list)

    def hear(self, span: AsrSpan | CallerHeardSpan) -> None:
        """Add what the other side understood."""
        self.heard = [*(self.heard or []), span.text]
        self.heard_by.append(span.span_id)

    def gap_ns(self, start_ns: int, end_ns: int) -> int:
        """Return how far an interval is from the nearest piece of the turn; negative is how long they overlap."""
        gaps = [max(start, start_ns) - min(end, end_ns) for start, end in self.pieces]
        overlap = sum(min(0, gap) for gap in gaps)
        return overlap if overlap < 0 else min(gaps)

    def record(self) -> TranscriptTurn:
        """Return the turn when all of it is known."""
        spoken, heard = _join(self.spoken), None if self.heard is None else _join(self.heard)
        return TranscriptTurn(
            speaker=self.speaker,
            intended=_join(self.intended),
            spoken=spoken,
            heard=heard,
            start_s=self.start_ns / 1e9,
            end_s=self.end_ns / 1e9,
            interrupted=self.interrupted,
            # How much of a turn that was cut had sounded is not known, so its words cannot be counted.
            word_errors=None if heard is None or self.interrupted else word_errors(spoken, heard),
            span_ids=tuple(self.said_by),
            heard_span_ids=tuple(self.heard_by),
        )


def transcript(trace: Sequence[TraceRecord]) -> list[TranscriptTurn]:
    """Return the turns of a call by their start.

    An agent's turn may hold several answers of its model: one before a tool call, one after it. ``heard`` is what the
    other side's recognizer made of the turn: an empty text if nothing, None if none was run. One recognition belongs to
    one turn.
    """
    agent = _turns([span for span in trace if isinstance(span, AgentSpeechSpan)], "agent")
    caller = _turns([span for span in trace if isinstance(span, CallerSpeechSpan)], "caller")
    for span in [one for one in trace if isinstance(one, AsrSpan) and one.party != "caller"]:
        # It is of the last turn that the recognizer's VAD can have noticed before it began.
        noticed = [turn for turn in caller if turn.start_ns + _NOTICE_NS <= span.start_ns]
        begun = noticed or [turn for turn in caller if turn.start_ns <= span.end_ns][:1]
        if begun:
            begun[-1].hear(span)
    _hear_agent(agent, [span for span in trace if isinstance(span, CallerHeardSpan)])
    return [turn.record() for turn in sorted([*agent, *caller], key=lambda turn: turn.start_ns)]


def word_errors_by_leg(turns: Sequence[TranscriptTurn]) -> WordErrorsByLeg:
    """Return the word errors of each leg, over the turns that were recognised; None for a leg without one."""

    def errors_of(speaker: Party) -> LegWordErrors | None:
        return sum_errors([turn.word_errors for turn in turns if turn.speaker == speaker and turn.word_errors])

    return WordErrorsByLeg(caller_to_agent=errors_of("caller"), agent_to_caller=errors_of("agent"))


def _turns(spans: Sequence[AgentSpeechSpan | CallerSpeechSpan], speaker: Party) -> list[_Turn]:
    turns: dict[int, _Turn] = {}
    for span in spans:
        turn = turns.setdefault(span.turn, _Turn(speaker, span.start_ns, span.end_ns))
        turn.pieces.append((span.start_ns, span.end_ns))
        turn.said_by.append(span.span_id)
        turn.end_ns = max(turn.end_ns, span.end_ns)
        turn.intended.append(span.intended)
        turn.spoken.append(span.spoken)
        turn.interrupted = turn.interrupted or span.interrupted
    return list(turns.values())


def _hear_agent(turns: Sequence[_Turn], recognitions: Sequence[CallerHeardSpan]) -> None:
    """Give each recognition to its turn.

    What was overheard in the middle of a turn (``after_words``) counts only if nothing was heard of it afterwards, as
    when the caller then interrupted; of several, the last, which holds the others.
    """
    overheard: dict[int, CallerHeardSpan] = {}
    for span in recognitions:
        # The turn that it overlaps most, else the nearest that the line can have delayed. Where all durations are zero,
        # as in the text channel, the first turn without a recognition comes first.
        gaps = [(turn.gap_ns(span.start_ns, span.end_ns), turn.heard is not None, i) for i, turn in enumerate(turns)]
        gap_ns, _, index = min(gaps, default=(_LINE_NS, False, -1))
        if gap_ns >= _LINE_NS:
            continue
        if span.after_words is not None:
            overheard[index] = span
        else:
            turns[index].hear(span)
    for index, span in overheard.items():
        if turns[index].heard is None:
            turns[index].hear(span)


def _join(texts: Sequence[str]) -> str:
    return " ".join(text.strip() for text in texts if text.strip())
