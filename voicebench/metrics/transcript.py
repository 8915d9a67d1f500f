"""What was meant, said and understood, turn by turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from voicebench.metrics.words import WordErrors, sum_errors, word_errors

__all__ = ["LEGS", "transcript", "word_errors_by_leg"]

LEGS = {"caller": "caller_to_agent", "agent": "agent_to_caller"}
"""The leg on which each side speaks."""

_NOTICE_NS = 400_000_000
"""Least time from the start of speech until a recognizer's VAD has noticed it and then its end: 0.2 s each."""

_LINE_NS = 1_000_000_000
"""Most time by which a line can delay speech to the other side's ear."""


@dataclass
class _Turn:
    """A turn in the making; ``heard`` are the texts of the other side's recognition, None before there is one."""

    speaker: str
    start_ns: int
    end_ns: int
    intended: list[str]
    spoken: list[str]
    interrupted: bool
    heard: list[str] | None = None
    pieces: list[tuple[int, int]] = field(default_factory=list)
    said_by: list[str] = field(default_factory=list)
    heard_by: list[str] = field(default_factory=list)

    def hear(self, span: dict[str, Any]) -> None:
        """Add what the other side understood."""
        self.heard = [*(self.heard or []), span["attributes"]["text"]]
        self.heard_by.append(span["span_id"])

    def gap_ns(self, start_ns: int, end_ns: int) -> int:
        """Return how far an interval is from the nearest piece of the turn; negative is how long they overlap."""
        gaps = [max(start, start_ns) - min(end, end_ns) for start, end in self.pieces]
        overlap = sum(min(0, gap) for gap in gaps)
        return overlap if overlap < 0 else min(gaps)

    def as_json(self) -> dict[str, Any]:
        """Return the turn as JSON."""
        spoken, heard = _join(self.spoken), None if self.heard is None else _join(self.heard)
        counted = None if heard is None or self.interrupted else word_errors(spoken, heard).as_json()
        return {
            "speaker": self.speaker,
            "intended": _join(self.intended),
            "spoken": spoken,
            "heard": heard,
            "start_s": self.start_ns / 1e9,
            "end_s": self.end_ns / 1e9,
            "interrupted": self.interrupted,
            "word_errors": counted,
            "span_ids": self.said_by,
            "heard_span_ids": self.heard_by,
        }


def transcript(trace: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the turns of a call by their start.

    An agent's turn may hold several answers of its model: one before a tool call, one after it. ``heard`` is what the
    other side's recognizer made of the turn: an empty text if nothing, None if none was run. One recognition belongs to
    one turn.

    Args:
        trace: lines of ``trace.jsonl``.

    Returns:
        ``{speaker, intended, spoken, heard, start_s, end_s, interrupted, word_errors, span_ids, heard_span_ids}`` each;
        speaker: ``caller`` or ``agent``; ``word_errors`` of the words spoken as :class:`WordErrors` gives them, None
        where nothing was recognised or the turn was cut, so that nobody knows how much of it sounded.
    """
    spans = [line for line in trace if line["type"] == "span"]
    agent = _turns(spans, "agent")
    caller = _turns(spans, "caller")
    _hear_caller(caller, [s for s in spans if s["name"] == "asr" and s["attributes"].get("party") != "caller"])
    _hear_agent(agent, [s for s in spans if s["name"] == "caller.heard"])
    return [turn.as_json() for turn in sorted([*agent, *caller], key=lambda turn: turn.start_ns)]


def word_errors_by_leg(turns: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the word errors of each leg, over the turns that were recognised; None for a leg without one."""
    found: dict[str, Any] = {}
    for speaker, leg in LEGS.items():
        counted = [turn["word_errors"] for turn in turns if turn["speaker"] == speaker and turn["word_errors"]]
        errors = [WordErrors(**{key: value for key, value in one.items() if key != "rate"}) for one in counted]
        found[leg] = {"utterances": len(errors), **sum_errors(errors).as_json()} if errors else None
    return found


def _turns(spans: list[dict[str, Any]], speaker: str) -> list[_Turn]:
    turns: dict[Any, _Turn] = {}
    for span in spans:
        if span["name"] != f"{speaker}.speech":
            continue
        said = span["attributes"]
        turn = turns.setdefault(said["turn"], _Turn(speaker, span["start_ns"], span["end_ns"], [], [], False))
        turn.pieces.append((span["start_ns"], span["end_ns"]))
        turn.said_by.append(span["span_id"])
        turn.end_ns = max(turn.end_ns, span["end_ns"])
        turn.intended.append(said["intended"])
        turn.spoken.append(said["spoken"])
        turn.interrupted = turn.interrupted or said["interrupted"]
    return list(turns.values())


def _hear_caller(turns: list[_Turn], recognitions: list[dict[str, Any]]) -> None:
    """Give each recognition to the last turn that the recognizer's VAD can have noticed before it began."""
    for span in recognitions:
        noticed = [turn for turn in turns if turn.start_ns + _NOTICE_NS <= span["start_ns"]]
        begun = noticed or [turn for turn in turns if turn.start_ns <= span["end_ns"]][:1]
        if begun:
            begun[-1].hear(span)


def _hear_agent(turns: list[_Turn], recognitions: list[dict[str, Any]]) -> None:
    """Give each recognition to its turn.

    What was overheard in the middle of a turn (``after_words``) counts only if nothing was heard of it afterwards, as
    when the caller then interrupted; of several, the last, which holds the others.
    """
    overheard: list[tuple[_Turn, dict[str, Any]]] = []
    for span in recognitions:
        turn = _nearest(turns, span)
        if turn is not None and "after_words" in span["attributes"]:
            overheard.append((turn, span))
        elif turn is not None:
            turn.hear(span)
    last = {id(turn): (turn, span) for turn, span in overheard if turn.heard is None}
    for turn, span in last.values():
        turn.hear(span)


def _nearest(turns: list[_Turn], span: dict[str, Any]) -> _Turn | None:
    """Return the turn that a recognition overlaps most, else the nearest that the line can have delayed.

    Where all durations are zero, as in the text channel, the first turn without a recognition comes first.
    """
    gaps = [(turn.gap_ns(span["start_ns"], span["end_ns"]), turn.heard is not None, i) for i, turn in enumerate(turns)]
    gap, _, index = min(gaps, default=(_LINE_NS, False, -1))
    return turns[index] if gap < _LINE_NS else None


def _join(texts: list[str]) -> str:
    return " ".join(text.strip() for text in texts if text.strip())
