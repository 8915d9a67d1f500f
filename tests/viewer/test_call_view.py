"""What the page of a call is made of: words, lanes, waveforms, rows, and the sentence that says why."""

from __future__ import annotations

import io
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from voicebench.record.call import CallRecord
from voicebench.record.events import BargeInEvent, ErrorEvent, HangupEvent, PacketLossEvent
from voicebench.record.json_types import JsonObject
from voicebench.record.spans import AgentSpeechSpan, CallerSpeechSpan, LlmSpan, ToolSpan, TtsSpan
from voicebench.record.trace import TraceRecord
from voicebench.record.verdict import (
    ArgumentRow,
    ExpectedCall,
    GateResult,
    Gates,
    HandoffRow,
    MadeHandoff,
    MadeToolCall,
    RowDifference,
    ToolCalls,
    ToolRow,
)
from voicebench.viewer.app import STATIC
from voicebench.viewer.lanes import Box, Lane, lanes
from voicebench.viewer.marked import MarkedWords, mark
from voicebench.viewer.sound import read_sound
from voicebench.viewer.tool_rows import ParameterLine, tool_rows
from voicebench.viewer.why import why

pytestmark = pytest.mark.unit


def differing(pieces: list[MarkedWords]) -> str:
    return " | ".join(piece.text for piece in pieces if piece.differs)


@pytest.mark.parametrize(
    ("said", "heard", "marked"),
    [
        ("Thank you, Kestrel.", "thank you kestrel", ("", "")),
        ("K E, four four seven, one eight six zero", "KE-4471860", ("", "")),
        ("sixty-six twenty-eight", "6628.", ("", "")),
        ("one bench slot", "1 bench slot", ("", "")),
        ("my name is Okonkwo, thanks", "my name is a conquer, thanks", ("Okonkwo,", "a conquer,")),
        ("four four seven, nine", "447, 5", ("nine", "5")),
        ("I cannot come", "I come", ("cannot", "")),
        ("hello", "", ("hello", "")),
    ],
)
def test_words_are_marked_where_they_say_something_else(said: str, heard: str, marked: tuple[str, str]) -> None:
    pieces = mark(said, heard)
    assert tuple(map(differing, pieces)) == marked
    assert [" ".join(piece.text for piece in side).split() for side in pieces] == [said.split(), heard.split()]


def at(start_s: float, end_s: float) -> dict[str, Any]:
    """The times of a span."""
    return {"start_ns": round(start_s * 1e9), "end_ns": round(end_s * 1e9)}


def tts(start_s: float, end_s: float) -> TtsSpan:
    return TtsSpan(party="agent", text="hello", voice="joe", audio_s=1.0, **at(start_s, end_s))


def tool(name: str, start_s: float, end_s: float, **result: Any) -> ToolSpan:
    called: dict[str, Any] = {"arguments": {}, "agent": "returns", "after_hangup": False, "call_id": "1"}
    return ToolSpan(span_id=f"tool-{start_s}", tool=name, result=result, **called, **at(start_s, end_s))


def loss(at_s: float, leg: str, packets: int) -> PacketLossEvent:
    return PacketLossEvent(time_ns=round(at_s * 1e9), leg=leg, sequence=0, packets=packets, lost=packets, late=0)


def lane(name: str, *trace: TraceRecord) -> Lane:
    return next(one for one in lanes(trace, []) if one.name == name)


def test_a_request_is_marked_where_its_first_token_came() -> None:
    [box] = lane("llm", LlmSpan(ttft_ms=250.0, party="agent", **at(2.0, 3.0))).boxes
    assert (box.label, box.mark_s, box.mark_share) == ("TTFT 250 ms", 2.25, 25.0)
    assert box.detail == {"ttft_ms": 250.0, "party": "agent"}


def test_what_overlaps_lies_on_rows_of_its_own() -> None:
    trace = [tts(0.0, 2.0), tts(1.0, 3.0), tts(2.0, 4.0)]
    assert [box.track for box in lane("tts", *trace).boxes] == [0, 1, 0]
    assert lane("tts", *trace).tracks == 2
    assert lane("tts").tracks == 1


def test_caller_and_agent_keep_their_rows() -> None:
    turn: dict[str, Any] = {"turn": 0, "intended": "a", "spoken": "a", "interrupted": False}
    trace: list[TraceRecord] = [
        AgentSpeechSpan(agent="reception", **turn, **at(0.0, 1.0)),
        CallerSpeechSpan(rule="opening", **turn, **at(2.0, 3.0)),
        AgentSpeechSpan(agent="returns", **turn, **at(4.0, 5.0)),
    ]
    assert [(box.label, box.track) for box in lane("turns", *trace).boxes] == [
        ("Reception", 1),
        ("Caller", 0),
        ("Returns", 1),
    ]


def test_a_refusal_is_an_error_too_and_a_short_call_has_room_for_its_name() -> None:
    trace = [tool("verify", 1.0, 1.05, ok=False, error_code="NO_RECORD"), tool("get", 3.0, 3.05, ok=True)]
    first, second = lane("tools", *trace).boxes
    assert (first.label, first.tone, first.room_s) == ("verify: NO_RECORD", "refused", 2.0)
    assert (second.label, second.tone, second.room_s) == ("get", "tool", float("inf"))
    assert [box.label for box in lane("errors", *trace).boxes] == ["verify: NO_RECORD"]


def test_line_events_say_what_happened() -> None:
    trace: list[TraceRecord] = [
        loss(2.0, "caller_to_agent", 2),
        HangupEvent(time_ns=9_000_000_000, reason="limit_turns"),
    ]
    [hangup] = lane("line", *trace).boxes
    assert hangup.label == "hangup: limit turns"
    error = ErrorEvent(time_ns=1_000_000_000, party="agent", kind="AgentError")
    assert lane("errors", error).boxes[0].label == "AgentError"


def test_lost_packets_have_a_lane_of_their_own_where_there_are_some() -> None:
    first, second = lane("losses", loss(2.0, "caller_to_agent", 25), loss(4.0, "agent_to_caller", 1)).boxes
    assert (first.tone, first.track, first.end_s) == ("caller", 0, 2.5)
    assert (second.tone, second.track, second.instant) == ("agent", 1, True)
    assert first.title == "25 packets lost, caller to agent, at 2.0 s"
    hangup = HangupEvent(time_ns=1_000_000_000, reason="agent_ended")
    assert "losses" not in [one.name for one in lanes([hangup], [])]


def test_ids_are_of_the_trace_and_differ() -> None:
    trace: list[TraceRecord] = [
        tool("get", 1.0, 1.1, ok=False),
        BargeInEvent(time_ns=2_000_000_000, party="caller", turn=1),
    ]
    ids = [box.id for one in lanes(trace, []) for box in one.boxes]
    assert ids == ["tool-1.0", "event-1", "tool-1.0-error"]


def wav(path: Path, samples: np.ndarray[Any, Any]) -> Path:
    file = io.BytesIO()
    soundfile.write(file, samples, 16000, format="WAV", subtype="PCM_16")
    path.write_bytes(file.getvalue())
    return path


def test_peaks_are_the_loudest_sample_of_each_stretch(tmp_path: Path) -> None:
    samples = np.zeros((16000, 2), dtype=np.int16)
    samples[500, 0] = -32768
    samples[8010, 1] = 16384
    peaks = read_sound(wav(tmp_path / "a.wav", samples))
    assert peaks.length_s == 1.0
    assert (len(peaks.caller), len(peaks.agent)) == (50, 50)
    assert [i for i, level in enumerate(peaks.caller) if level == 100] == [1]
    assert [(i, level) for i, level in enumerate(peaks.agent) if level] == [(25, 50)]


def test_peaks_of_a_changed_file_are_read_again_and_a_broken_one_is_refused(tmp_path: Path) -> None:
    path = wav(tmp_path / "a.wav", np.zeros((3200, 2), dtype=np.int16))
    assert read_sound(path).length_s == 0.2
    wav(path, np.zeros((6400, 2), dtype=np.int16))
    assert read_sound(path).length_s == 0.4
    path.write_bytes(b"RIFF")
    with pytest.raises(ValueError, match="cannot be read"):
        read_sound(path)
    with pytest.raises(ValueError, match="this one has 1"):
        read_sound(wav(path, np.zeros((3200, 1), dtype=np.int16)))


def argument(name: str, expected: Any, actual: Any, *, equal: bool, gates: bool, missed: bool) -> ArgumentRow:
    compared: dict[str, Any] = {"equal": equal, "gates": gates, "missed": missed, "rule": f"rule of {name}"}
    return ArgumentRow(name=name, expected=expected, actual=actual, **compared)


def row(expected: ExpectedCall | None, actual: MadeToolCall | None, **more: Any) -> ToolRow:
    usual: dict[str, Any] = {"gating": True, "satisfied": True, "arguments": [], "reason": "called"}
    return ToolRow(expected=expected, actual=actual, **{**usual, **more})


def handoff(expected: str, actual: MadeHandoff | None) -> HandoffRow:
    judged: dict[str, Any] = {"gating": True, "satisfied": actual is not None, "arguments": [], "reason": "called"}
    return HandoffRow(expected=ExpectedCall(name=expected), actual=actual, **judged)


def calls(*rows: ToolRow | HandoffRow) -> ToolCalls:
    return ToolCalls(rows=rows, missing=(), parameter_miss=(), extra=())


def called(**arguments: Any) -> MadeToolCall:
    result: JsonObject = {"data": {"id": 1}, "ok": True, "caller_safe_message": None, "error_code": None}
    return MadeToolCall(
        name="book", arguments=arguments, result=result, agent="service", start_s=3.0, after_hangup=False
    )


def test_parameters_are_lines_of_a_difference() -> None:
    arguments = [
        argument("order", "KE-1", "KE-1", equal=True, gates=True, missed=False),
        argument("kind", "bench", "home", equal=False, gates=True, missed=True),
        argument("note", None, "soon", equal=True, gates=False, missed=False),
        argument("day", "2026-08-01", None, equal=False, gates=True, missed=True),
    ]
    expected = ExpectedCall(name="book", arguments={"order": "$fact.order", "kind": "bench", "day": "2026-08-01"})
    actual = called(order="KE-1", kind="home", note="soon")
    [shown] = tool_rows(calls(row(expected, actual, arguments=arguments, satisfied=False)))
    assert shown.parameters == [
        ParameterLine("", "order", '"KE-1"', "rule of order"),
        ParameterLine("-", "kind", '"bench"', "rule of kind"),
        ParameterLine("+", "kind", '"home"', ""),
        ParameterLine("+", "note", '"soon"', "rule of note"),
        ParameterLine("-", "day", '"2026-08-01"', "rule of day"),
    ]
    assert (shown.status, shown.note) == ("differs", "parameter miss: kind, day")
    assert [name for name, _ in shown.outputs or []] == ["ok", "error_code", "caller_safe_message", "data"]


BOOK, GET = ExpectedCall(name="book"), ExpectedCall(name="get")


@pytest.mark.parametrize(
    ("listed", "status", "note"),
    [
        (row(BOOK, None), "missing", "missing: the call fails"),
        (row(GET, None, gating=False), "absent", "missing, and not required"),
        (row(BOOK, called()), "met", "as expected"),
        (row(None, called(), reason="not expected"), "extra", "extra, allowed"),
        (row(None, called(), reason="forbidden; reason given: x"), "forbidden", "forbidden: the call fails"),
    ],
)
def test_the_status_of_a_row_in_words(listed: ToolRow, status: str, note: str) -> None:
    [shown] = tool_rows(calls(listed))
    assert (shown.status, shown.note) == (status, note)


def test_a_handoff_shows_its_success_and_role() -> None:
    actual = MadeHandoff(name="transfer_to_returns", from_agent="verification", to_agent="returns", start_s=9.0)
    [shown] = tool_rows(calls(handoff("transfer_to_returns", actual)))
    assert shown.outputs == [("success", "true"), ("role", "returns")]
    assert shown.agent == "verification → returns"


def judged(*failed: str, **more: Any) -> CallRecord:
    gates = {
        name: GateResult(passed=name not in failed, reward=1.0, reasons=())
        for name in ("tools", "handoffs", "database")
    }
    named: dict[str, Any] = {"pack": "p", "task": "T1-E1", "trial": 1, "attempt": 1}
    scored = {"verdict": "failed", "reason": "gates", "gates": Gates(**gates), "tool_calls": calls()}
    return CallRecord(**{**named, **scored, **more})


SLOT = RowDifference(kind="extra", table="slots", expected=None, actual={"id": 1})


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            judged("tools", tool_calls=calls(row(BOOK, None, satisfied=False))),
            "The agent never called book. The final database matches.",
        ),
        (
            judged("handoffs", tool_calls=calls(handoff("transfer_to_a", None))),
            "The agent never took the handoff transfer_to_a. The final database matches.",
        ),
        (
            judged("database", state_diff=[SLOT, SLOT]),
            "The agent left 2 rows in slots that should not be there.",
        ),
        (judged("database"), "The agent left no final database to compare."),
        (
            judged(reason="agent_silent"),
            "A call fails whatever the gates say when the agent said nothing for a long time although it was its turn.",
        ),
        (
            judged("database", reason="agent_ended", state_diff=[SLOT]),
            "The agent left one row in slots that should not be there. Whatever the gates say, a call fails when the "
            "agent hangs up before the caller was told what it waits for.",
        ),
        (
            judged(verdict="void", reason="named a date"),
            "The simulated caller broke its script, which says nothing about the agent: named a date.",
        ),
    ],
)
def test_one_sentence_says_why(call: CallRecord, sentence: str) -> None:
    assert why(call) == sentence


def test_vendored_scripts_are_those_that_were_checked_and_have_their_licence() -> None:
    vendor = STATIC / "vendor"
    listed = {Path(line.split()[1]).name: line.split()[0] for line in (vendor / "SHA256SUMS").read_text().splitlines()}
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in vendor.iterdir() if path.name != "SHA256SUMS"}
    assert found == listed
    assert "BSD 3-Clause License" in (vendor / "wavesurfer.LICENSE").read_text()


def test_all_javascript_is_under_300_kb_and_none_is_inline() -> None:
    scripts = list(STATIC.rglob("*.js"))
    assert len(scripts) > 4
    assert sum(path.stat().st_size for path in scripts) < 300_000
    for template in (STATIC.parent / "templates").iterdir():
        tags = re.findall(r"<script[^>]*>", template.read_text())
        assert all("src=" in tag or "application/json" in tag for tag in tags)


def test_a_box_with_no_length_is_a_mark() -> None:
    box = Box("a", 1.0, 1.0, "x", "x", "tool", {})
    assert box.instant
    assert box.mark_share is None
