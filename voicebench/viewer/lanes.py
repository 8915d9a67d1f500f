"""The timeline of a call: its spans and events as boxes in lanes on one axis of time."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["Box", "Lane", "lanes"]

_SHOWN_S = 0.12
"""A shorter span is drawn as a mark, as wide at every zoom."""

_PACKET_S = 0.02

Line = dict[str, Any]


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
    detail: dict[str, Any]
    mark_s: float | None = None
    track: int = 0
    next_s: float = math.inf

    @property
    def instant(self) -> bool:
        """Whether it is too short to be drawn to scale."""
        return self.end_s - self.start_s < _SHOWN_S

    @property
    def room_s(self) -> float:
        """How much time its label may cover: its own, or until the next one of its row."""
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
        tracks: how many rows of boxes it has.
    """

    name: str
    label: str
    boxes: list[Box] = field(default_factory=list)

    @property
    def tracks(self) -> int:
        """How many rows of boxes it needs."""
        return 1 + max((box.track for box in self.boxes), default=0)


def lanes(trace: Sequence[Line], transcript: Sequence[dict[str, Any]]) -> list[Lane]:
    """Return the lanes below the two waveforms, also the empty ones, but for lost packets where none was lost.

    Args:
        trace: lines of ``trace.jsonl``.
        transcript: turns, as :func:`voicebench.metrics.transcript` gives them.
    """
    made = [
        ("turns", "Turns", _spread(_each(trace, _turn))),
        ("asr", "ASR", _spread(_each(trace, _recognition))),
        ("llm", "LLM", _spread(_each(trace, _request))),
        ("tts", "TTS", _spread(_each(trace, _synthesis))),
        ("handoffs", "Handoffs", _spread(_each(trace, _handoff))),
        ("tools", "Tool calls", _spread(_each(trace, _tool))),
        ("line", "Line events", _spread(_each(trace, _line_event))),
        ("losses", "Lost packets", _spread(_each(trace, _loss))),
        ("errors", "Errors", _spread(_each(trace, _error))),
        ("transcript", "Transcript", _spread(_words(number, turn) for number, turn in enumerate(transcript))),
    ]
    return [Lane(name, label, boxes) for name, label, boxes in made if boxes or name != "losses"]


def _each(trace: Sequence[Line], make: Callable[[Line, str], Box | None]) -> Iterable[Box]:
    for number, line in enumerate(trace):
        box = make(line, f"event-{number}" if line["type"] == "event" else str(line.get("span_id") or f"line-{number}"))
        if box is not None:
            yield box


def _spread(boxes: Iterable[Box]) -> list[Box]:
    """Put boxes that overlap on rows of their own; the caller's stay above the agent's where both are in a lane."""
    listed = sorted(boxes, key=lambda box: (box.start_s, box.end_s))
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


def _span(line: Line, box_id: str, label: str, tone: str, **more: Any) -> Box:
    start_s, end_s = line["start_ns"] / 1e9, line["end_ns"] / 1e9
    title = f"{line['name']} at {start_s:.1f} s, {1000 * (end_s - start_s):.0f} ms: {label}"
    return Box(box_id, start_s, end_s, label, title, tone, line["attributes"], **more)


def _turn(line: Line, box_id: str) -> Box | None:
    attributes = line["attributes"]
    if line["name"] == "turn.end":
        return _span(line, box_id, "waits", "wait")
    speaker = line["name"].removesuffix(".speech")
    if line["name"] not in ("caller.speech", "agent.speech"):
        return None
    who = "Caller" if speaker == "caller" else str(attributes.get("agent") or "Agent").capitalize()
    cut = ", cut off" if attributes.get("interrupted") else ""
    return _span(line, box_id, f"{who}{cut}", speaker)


def _recognition(line: Line, box_id: str) -> Box | None:
    if line["name"] not in ("asr", "caller.heard"):
        return None
    ear = "caller" if line["name"] == "caller.heard" or line["attributes"].get("party") == "caller" else "agent"
    return _span(line, box_id, str(line["attributes"].get("text") or "nothing heard"), ear)


def _request(line: Line, box_id: str) -> Box | None:
    if line["name"] != "llm":
        return None
    attributes = line["attributes"]
    ttft_ms = attributes.get("ttft_ms")
    mark_s = None if ttft_ms is None else line["start_ns"] / 1e9 + ttft_ms / 1e3
    label = "no first token" if ttft_ms is None else f"TTFT {ttft_ms:.0f} ms"
    tone = "bad" if attributes.get("error") else attributes.get("party") or "agent"
    return _span(line, box_id, label, tone, mark_s=mark_s)


def _synthesis(line: Line, box_id: str) -> Box | None:
    if line["name"] != "tts":
        return None
    return _span(line, box_id, str(line["attributes"].get("text") or ""), line["attributes"].get("party") or "agent")


def _handoff(line: Line, box_id: str) -> Box | None:
    if line["name"] != "handoff":
        return None
    return _span(line, box_id, f"{line['attributes'].get('from')} → {line['attributes'].get('to')}", "handoff")


def _tool(line: Line, box_id: str) -> Box | None:
    if line["name"] not in ("tool", "tool.cancelled"):
        return None
    if line["type"] == "event":
        return _event(line, box_id, f"{line['attributes'].get('tool')} cancelled", "bad")
    refusal = _refusal(line)
    label = str(line["attributes"].get("gen_ai.tool.name"))
    return _span(line, box_id, f"{label}: {refusal}" if refusal else label, "refused" if refusal else "tool")


def _line_event(line: Line, box_id: str) -> Box | None:
    if line["type"] != "event" or line["name"] in ("error", "tool.cancelled", "packet_loss", "fact"):
        return None
    attributes = line["attributes"]
    words = re.sub(r"[_.]", " ", line["name"])
    about = [attributes.get("reason"), attributes.get("digits"), attributes.get("leg")]
    said = ", ".join(str(part).replace("_", " ") for part in about if part)
    return _event(line, box_id, f"{words}: {said}" if said else words, "line")


def _loss(line: Line, box_id: str) -> Box | None:
    """Make the box of a burst of lost packets: as long as they were, and without words, since there may be hundreds."""
    if line["name"] != "packet_loss":
        return None
    leg, packets = str(line["attributes"].get("leg")), int(line["attributes"]["packets"])
    at_s = line["time_ns"] / 1e9
    title = f"{packets} packets lost, {leg.replace('_', ' ')}, at {at_s:.1f} s"
    return Box(box_id, at_s, at_s + _PACKET_S * packets, "", title, leg.partition("_")[0], line["attributes"])


def _error(line: Line, box_id: str) -> Box | None:
    if line["name"] == "error":
        return _event(line, f"{box_id}-error", str(line["attributes"].get("kind") or "error"), "bad")
    if line["name"] == "tool" and (refusal := _refusal(line)):
        return _span(line, f"{box_id}-error", f"{line['attributes'].get('gen_ai.tool.name')}: {refusal}", "refused")
    if line["name"] == "llm" and line["attributes"].get("error"):
        return _span(line, f"{box_id}-error", str(line["attributes"]["error"]), "bad")
    return None


def _refusal(line: Line) -> str | None:
    result = line["attributes"].get("gen_ai.tool.call.result")
    if isinstance(result, dict) and result.get("ok") is False:
        return str(result.get("error_code") or "refused")
    return None


def _event(line: Line, box_id: str, label: str, tone: str) -> Box:
    at_s = line["time_ns"] / 1e9
    return Box(box_id, at_s, at_s, label, f"{label} at {at_s:.1f} s", tone, line["attributes"])


def _words(number: int, turn: dict[str, Any]) -> Box:
    said = turn["spoken"] or turn["intended"]
    title = f"{turn['speaker']} at {turn['start_s']:.1f} s: {said}"
    detail = {key: turn[key] for key in ("intended", "spoken", "heard", "interrupted")}
    return Box(f"turn-{number}", turn["start_s"], turn["end_s"], said, title, turn["speaker"], detail)
