"""Where two recordings of a call first differ, told from their lines, rows and samples."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from voicebench.call.compare import (
    exchange_difference,
    first_leaf,
    recording_difference,
    state_difference,
    trace_difference,
    verdict_difference,
)

pytestmark = pytest.mark.unit


def span(span_id: str, start_ns: int, end_ns: int, name: str = "tts", **attributes: Any) -> dict[str, Any]:
    times = {"start_ns": start_ns, "end_ns": end_ns}
    return {"type": "span", "span_id": span_id, "name": name, **times, "attributes": attributes}


def event(name: str, time_ns: int, **attributes: Any) -> dict[str, Any]:
    return {"type": "event", "span_id": None, "name": name, "time_ns": time_ns, "attributes": attributes}


def wav(samples: npt.NDArray[np.int16]) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, 16_000, format="WAV", subtype="PCM_16")
    return file.getvalue()


@pytest.mark.parametrize(
    ("recorded", "replayed", "found"),
    [
        ({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}, None),
        ({"a": 1}, {"a": 1.0}, ("a", 1, 1.0)),
        ({"a": 1}, {"a": True}, ("a", 1, True)),
        ({"a": {"b": [{"c": "x"}, {"c": "y"}]}}, {"a": {"b": [{"c": "x"}, {"c": "z"}]}}, ("a.b[1].c", "y", "z")),
        ({"a": [1]}, {"a": [1, 2]}, ("a[1]", "(absent)", 2)),
        ({"a": None}, {}, ("a", None, "(absent)")),
        ({"a": [1]}, {"a": {"0": 1}}, ("a", [1], {"0": 1})),
    ],
)
def test_the_first_value_that_differs_is_found(recorded: Any, replayed: Any, found: Any) -> None:
    assert first_leaf(recorded, replayed) == found


CALL = span("s0", 0, 9_000, "call")
TRACE = [CALL, span("s1", 0, 500, text="Hello."), event("barge_in", 700, turn=1), span("s2", 600, 900, text="Bye.")]


def test_equal_traces_do_not_differ_in_whatever_order_they_were_recorded() -> None:
    assert trace_difference(TRACE, [TRACE[1], TRACE[2], TRACE[3], CALL], whole=True) is None


def test_of_all_lines_that_differ_the_one_that_ended_first_counts() -> None:
    longer, other = span("s0", 0, 9_999, "call"), span("s2", 600, 900, text="Goodbye.")
    difference = trace_difference(TRACE, [TRACE[1], TRACE[2], other, longer], whole=True)
    assert difference is not None
    assert (difference.place, difference.at_ns) == ("line 4, span tts s2: attributes.text", 900)
    assert (difference.recorded, difference.replayed) == ("Bye.", "Goodbye.")
    assert difference.lines == (TRACE[3], other)


def test_a_replay_that_stopped_is_compared_as_far_as_it_went() -> None:
    assert trace_difference(TRACE, TRACE[1:2], whole=False) is None
    missing = trace_difference(TRACE, TRACE[:2], whole=True)
    assert missing is not None
    assert (missing.place, missing.recorded, missing.replayed) == ("line 3, event barge_in", TRACE[2], None)


def test_a_line_too_many_is_shown() -> None:
    held = event("caller.held", 100)
    difference = trace_difference(TRACE, [held, *TRACE], whole=True)
    assert difference is not None
    assert (difference.place, difference.recorded, difference.replayed) == ("event caller.held", None, held)


def test_what_was_judged_at_the_end_follows_from_the_rest_and_is_not_compared() -> None:
    judged = [CALL, event("fact", 0, right=True), *TRACE[1:]]
    assert trace_difference(TRACE, judged, whole=True) is None
    assert trace_difference(judged, TRACE, whole=True) is None
    difference = trace_difference(judged, [*TRACE[:3], span("s2", 600, 900, text="Goodbye.")], whole=True)
    assert difference is not None
    assert difference.place == "line 5, span tts s2: attributes.text"


def test_exchanges_are_compared_in_their_order() -> None:
    lines = [{"kind": "tts", "party": "caller", "start_ns": 5, "text": text} for text in ("One.", "Two.")]
    assert exchange_difference(lines, lines, whole=True) is None
    assert exchange_difference(lines, lines[:1], whole=False) is None
    difference = exchange_difference(lines, [lines[0], {**lines[1], "text": "Three."}], whole=False)
    assert difference is not None
    assert (difference.place, difference.at_ns) == ("line 2, tts of the caller: text", 5)
    missing = exchange_difference(lines, lines[:1], whole=True)
    assert missing is not None
    assert (missing.place, missing.replayed) == ("line 2, tts of the caller", None)


def test_state_is_compared_row_by_row() -> None:
    def state(*rows: dict[str, Any]) -> dict[str, Any]:
        return {"seed": {"orders": []}, "final": {"orders": list(rows)}, "difference": {}}

    first, second = {"id": 1, "status": "open"}, {"id": 2, "status": "open"}
    assert state_difference(state(first, second), state(first, second)) is None
    changed = state_difference(state(first, second), state(first, {**second, "status": "closed"}))
    assert changed is not None
    assert changed.place == "final database, table orders, row 2, column status"
    assert (changed.recorded, changed.replayed) == ("open", "closed")
    missing = state_difference(state(first, second), state(first))
    assert missing is not None
    assert (missing.place, missing.recorded, missing.replayed) == ("final database, table orders, row 2", second, None)
    assert state_difference(None, state(first)) is not None


def test_recordings_are_compared_sample_by_sample() -> None:
    samples = np.zeros((16_000, 2), np.int16)
    assert recording_difference(wav(samples), wav(samples), 0) is None
    other = samples.copy()
    other[8_000, 0] = -3
    difference = recording_difference(wav(samples), wav(other), 100)
    assert difference is not None
    assert difference.place == "left (the caller as the agent heard it), sample 8000, 0.5000 s into the recording"
    assert (difference.recorded, difference.replayed, difference.at_ns) == (0, -3, 500_000_100)
    shorter = recording_difference(wav(samples), wav(samples[:4_000]), 0)
    assert shorter is not None
    assert (shorter.place, shorter.recorded, shorter.replayed) == (
        "the length, equal up to sample 4000",
        "16000 samples",
        "4000 samples",
    )
    broken = recording_difference(b"no sound", wav(samples), 0)
    assert broken is not None
    assert broken.recorded == "no stereo WAV file"
    assert recording_difference(None, None, 0) is None


def test_of_the_call_only_what_follows_from_it_is_compared() -> None:
    call = {"verdict": "passed", "gates": {"tools": {"passed": True}}, "wall_s": 3.0}
    assert verdict_difference(call, {**call, "wall_s": 5.0}) is None
    difference = verdict_difference(call, {**call, "gates": {"tools": {"passed": False}}})
    assert difference is not None
    assert (difference.place, difference.recorded, difference.replayed) == ("gates.tools.passed", True, False)
