"""The timeline of a call: its spans and events as boxes in lanes on one axis of time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from voicebench.record.events import ErrorEvent, FactEvent, PacketLossEvent, ToolCancelledEvent
from voicebench.record.json_types import JsonObject
from voicebench.record.spans import (
    AgentSpeechSpan,
    AsrSpan,
    CallerHeardSpan,
    CallerSpeechSpan,
    HandoffSpan,
    LlmSpan,
    ToolSpan,
    TtsSpan,
    TurnEndSpan,
)
from voicebench.record.trace import TraceRecord
from voicebench.record.trace_line import TraceEvent, TraceSpan
from voicebench.record.transcript import TranscriptTurn

__all__ = ["Box", "Lane", "lanes"]

_SHOWN_S = 0.12
"""A shorter span is drawn as a mark, as wide at every zoom."""

_PACKET_S = 0.02

_LANES = {
    "turns": "Turns",
    "asr": "ASR",
    "llm": "LLM",
    "tts": "TTS",
    "handoffs": "Handoffs",
    "tools": "Tool calls",
    "line": "Line events",
    "losses": "Lost packets",
    "errors": "Errors",
    "transcript": "Transcript",
}
"""Name and label of each lane, from the top."""


@dataclass(frozen=True)
class Box:
    """One span or event.

    Attributes:
        id: the span's id; an event's is made of its place in the trace.
        start_s, end_s: when, seconds of call time.
        label: the words in it; one without is passed over by the keys.
        title: what a screen reader and a tooltip say.
        tone: whose it is, or how it went: ``caller``, ``agent``, ``tool``, ``handoff``, ``wait``,
            ``line``, ``refused``, ``bad``.
        detail: what opens when it is chosen.
        mark_s: when its first token came.
        track: its row within the lane, from 0.
        next_s: when the next one of its row begins.
    """

    id: str
    start_s: float
    end_s: float
    label: str
    title: str
    tone: str
    detail: JsonObject
    mark_s: float | None = None
    track: int = 0
    next_s: float = math.inf

    @property
    def instant(self) -> bool:
        """Whether it is too short to be drawn to scale."""
        return self.end_s - self.start_s < _SHOWN_S

    @property
    def room_s(self) -> float:
        """Seconds that the label may cover: the box's own length; for an instant, the time to the row's next box."""
        return self.next_s - self.start_s if self.instant else self.end_s - self.start_s

    @property
    def mark_share(self) -> float | None:
        """Where in the box the first token came, in percent of its width."""
        if self.mark_s is None or self.instant:
            return None
        return 100 * (self.mark_s - self.start_s) / (self.end_s - self.start_s)


@dataclass(frozen=True)
class Lane:
    """One row of the timeline.

    Attributes:
        name: a word for it, for addresses and styles.
        label: what stands in front of it.
        boxes: by start.
    """

    name: str
    label: str
    boxes: list[Box] = field(default_factory=list)

    @property
    def tracks(self) -> int:
        """Number of rows that the lane needs so that no boxes overlap."""
        return 1 + max((box.track for box in self.boxes), default=0)


def lanes(trace: Sequence[TraceRecord], turns: Sequence[TranscriptTurn]) -> list[Lane]:
    """Return the lanes below the two waveforms, also the empty ones, but for lost packets where none was lost."""
    found: dict[str, list[Box]] = {name: [] for name in _LANES}
    for number, record in enumerate(trace):
        if isinstance(record, TraceSpan):
            boxes = span_boxes(record, record.span_id or f"line-{number}")
        else:
            boxes = event_boxes(record, f"event-{number}")
        for name, box in boxes:
            found[name].append(box)
    for number, turn in enumerate(turns):
        said = turn.spoken or turn.intended
        title = f"{turn.speaker} at {turn.start_s:.1f} s: {said}"
        detail: JsonObject = {
            "intended": turn.intended,
            "spoken": turn.spoken,
            "heard": turn.heard,
            "interrupted": turn.interrupted,
        }
        box = Box(f"turn-{number}", turn.start_s, turn.end_s, said, title, turn.speaker, detail)
        found["transcript"].append(box)
    drawn = [Lane(name, label, _spread(found[name])) for name, label in _LANES.items()]
    return [lane for lane in drawn if lane.boxes or lane.name != "losses"]


def span_boxes(span: TraceSpan, box_id: str) -> Iterator[tuple[str, Box]]:
    """Give the boxes of a span, each with its lane: one, and another where it failed."""
    match span:
        case TurnEndSpan():
            yield "turns", _box(span, box_id, "waits", "wait")
        case CallerSpeechSpan() | AgentSpeechSpan():
            speaker = "caller" if isinstance(span, CallerSpeechSpan) else "agent"
            name = span.agent or speaker if isinstance(span, AgentSpeechSpan) else speaker
            yield "turns", _box(span, box_id, f"{name.capitalize()}{', cut off' if span.interrupted else ''}", speaker)
        case AsrSpan() | CallerHeardSpan():
            yield "asr", _box(span, box_id, span.text or "nothing heard", span.party)
        case TtsSpan():
            yield "tts", _box(span, box_id, span.text, span.party)
        case HandoffSpan():
            yield "handoffs", _box(span, box_id, f"{span.from_agent} → {span.to_agent}", "handoff")
        case LlmSpan():
            label = "no first token" if span.ttft_ms is None else f"TTFT {span.ttft_ms:.0f} ms"
            mark_s = None if span.first_token_ns is None else span.first_token_ns / 1e9
            yield "llm", replace(_box(span, box_id, label, "bad" if span.error else span.party), mark_s=mark_s)
            if span.error:
                yield "errors", _box(span, f"{box_id}-error", span.error, "bad")
        case ToolSpan():
            refused = span.result.get("ok") is False
            label = f"{span.tool}: {span.result.get('error_code') or 'refused'}" if refused else span.tool
            yield "tools", _box(span, box_id, label, "refused" if refused else "tool")
            if refused:
                yield "errors", _box(span, f"{box_id}-error", label, "refused")


def event_boxes(event: TraceEvent, box_id: str) -> Iterator[tuple[str, Box]]:
    """Give the box of an event, if it has one, with its lane."""
    match event:
        case FactEvent():  # the transcript shows what was said
            return
        case ErrorEvent():
            yield "errors", _box(event, f"{box_id}-error", event.kind, "bad")
        case ToolCancelledEvent():
            yield "tools", _box(event, box_id, f"{event.tool} cancelled", "bad")
        case PacketLossEvent():
            # As long as what was lost, and without words, since there may be hundreds.
            at_s = event.time_ns / 1e9
            title = f"{event.packets} packets lost, {event.leg.replace('_', ' ')}, at {at_s:.1f} s"
            box = _box(event, box_id, "", event.leg.partition("_")[0])
            yield "losses", replace(box, end_s=at_s + _PACKET_S * event.packets, title=title)
        case _:
            words = re.sub(r"[_.]", " ", event.name)
            reason = str(getattr(event, "reason", "")).replace("_", " ")
            yield "line", _box(event, box_id, f"{words}: {reason}" if reason else words, "line")


def _box(record: TraceSpan | TraceEvent, box_id: str, label: str, tone: str) -> Box:
    detail = cast(JsonObject, record.to_json()["attributes"])
    if isinstance(record, TraceEvent):
        at_s = record.time_ns / 1e9
        return Box(box_id, at_s, at_s, label, f"{label} at {at_s:.1f} s", tone, detail)
    start_s, end_s = record.start_ns / 1e9, record.end_ns / 1e9
    title = f"{record.name} at {start_s:.1f} s, {1000 * (end_s - start_s):.0f} ms: {label}"
    return Box(box_id, start_s, end_s, label, title, tone, detail)


def _spread(boxes: Iterable[Box]) -> list[Box]:
    """Put boxes that overlap on rows of their own; the caller's stay above the agent's where both are in a lane."""
    listed = sorted(boxes, key=lambda box: (box.start_s, box.end_s))
    # Without a fixed place, the side that spoke first would stand above in one call and below in the next.
    voices = [tone for tone in ("caller", "agent") if any(box.tone == tone for box in listed)]
    rows: dict[int, list[Box]] = {}
    for box in listed:
        track = voices.index(box.tone) if len(voices) == 2 and box.tone in voices else 0
        while rows.get(track) and rows[track][-1].end_s > box.start_s:
            track += 1
        row = rows.setdefault(track, [])
        row[-1:] = [replace(before, next_s=box.start_s) for before in row[-1:]]
        row.append(replace(box, track=track))
    return sorted((box for row in rows.values() for box in row), key=lambda box: (box.start_s, box.end_s))
