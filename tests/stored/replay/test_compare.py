"""Where two recordings of a call first differ, told from their lines, rows and samples."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from voicebench.record.events import BargeInEvent, CallerHeldEvent, FactEvent
from voicebench.record.exchanges import CallerTtsExchange
from voicebench.record.json_types import JsonObject
from voicebench.record.spans import CallSpan, TtsSpan
from voicebench.record.state import StateDifference, StateRecord
from voicebench.record.trace import TraceRecord
from voicebench.stored.replay.compare import (
    exchange_difference,
    first_leaf,
    recording_difference,
    state_difference,
    trace_difference,
    verdict_difference,
)

pytestmark = pytest.mark.unit


def span(span_id: str, start_ns: int, end_ns: int, text: str = "Hello.") -> TtsSpan:
    return TtsSpan(
        span_id=span_id, start_ns=start_ns, end_ns=end_ns, party="agent", text=text, voice="joe", audio_s=0.5
    )


def call_span(end_ns: int) -> CallSpan:
    unit = {"pack": "p", "task": "T1-E1", "trial": 1, "attempt": 1}
    return CallSpan.model_validate({"span_id": "s0", "start_ns": 0, "end_ns": end_ns, "end_reason": "error", **unit})


def tts(text: str) -> CallerTtsExchange:
    return CallerTtsExchange(start_ns=5, text=text, voice="heart", seed=1, samples=2, sha256="0")


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


CALL = call_span(9_000)
BARGE_IN = BargeInEvent(time_ns=700, party="caller", turn=1)
TRACE: list[TraceRecord] = [CALL, span("s1", 0, 500), BARGE_IN, span("s2", 600, 900, "Bye.")]


def test_equal_traces_do_not_differ_in_whatever_order_they_were_recorded() -> None:
    assert trace_difference(TRACE, [TRACE[1], TRACE[2], TRACE[3], CALL], whole=True) is None


def test_of_all_lines_that_differ_the_one_that_ended_first_counts() -> None:
    longer, other = call_span(9_999), span("s2", 600, 900, "Goodbye.")
    difference = trace_difference(TRACE, [TRACE[1], TRACE[2], other, longer], whole=True)
    assert difference is not None
    assert (difference.place, difference.at_ns) == ("line 4, span tts s2: attributes.text", 900)
    assert (difference.recorded, difference.replayed) == ("Bye.", "Goodbye.")
    assert difference.lines == (TRACE[3].to_json(), other.to_json())


def test_a_replay_that_stopped_is_compared_as_far_as_it_went() -> None:
    assert trace_difference(TRACE, TRACE[1:2], whole=False) is None
    missing = trace_difference(TRACE, TRACE[:2], whole=True)
    assert missing is not None
    assert (missing.place, missing.recorded, missing.replayed) == ("line 3, event barge_in", BARGE_IN.to_json(), None)


def test_a_line_too_many_is_shown() -> None:
    held = CallerHeldEvent(time_ns=100)
    difference = trace_difference(TRACE, [held, *TRACE], whole=True)
    assert difference is not None
    assert (difference.place, difference.recorded, difference.replayed) == ("event caller.held", None, held.to_json())


def test_the_facts_follow_from_the_rest_of_a_trace_and_are_not_compared() -> None:
    words: dict[str, Any] = {"said": "two", "heard": None, "understood": None, "right": None, "used": None}
    fact = FactEvent(time_ns=0, fact="n", value="2", speaker="caller", form=None, heard_span_ids=(), **words)
    with_facts: list[TraceRecord] = [CALL, fact, *TRACE[1:]]
    assert trace_difference(TRACE, with_facts, whole=True) is None
    assert trace_difference(with_facts, TRACE, whole=True) is None
    difference = trace_difference(with_facts, [*TRACE[:3], span("s2", 600, 900, "Goodbye.")], whole=True)
    assert difference is not None
    assert difference.place == "line 5, span tts s2: attributes.text"


def test_exchanges_are_compared_in_their_order() -> None:
    lines = [tts("One."), tts("Two.")]
    assert exchange_difference(lines, lines, whole=True) is None
    assert exchange_difference(lines, lines[:1], whole=False) is None
    difference = exchange_difference(lines, [lines[0], tts("Three.")], whole=False)
    assert difference is not None
    assert (difference.place, difference.at_ns) == ("line 2, tts of the caller: text", 5)
    missing = exchange_difference(lines, lines[:1], whole=True)
    assert missing is not None
    assert (missing.place, missing.replayed) == ("line 2, tts of the caller", None)


def test_state_is_compared_row_by_row() -> None:
    def state(*rows: JsonObject) -> StateRecord:
        return StateRecord(seed={"orders": ()}, final={"orders": rows}, difference=StateDifference())

    first: JsonObject = {"id": 1, "status": "open"}
    second: JsonObject = {"id": 2, "status": "open"}
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
    call: JsonObject = {"verdict": "passed", "gates": {"tools": {"passed": True}}, "wall_s": 3.0}
    assert verdict_difference(call, {**call, "wall_s": 5.0}) is None
    difference = verdict_difference(call, {**call, "gates": {"tools": {"passed": False}}})
    assert difference is not None
    assert (difference.place, difference.recorded, difference.replayed) == ("gates.tools.passed", True, False)
