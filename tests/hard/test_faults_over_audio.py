"""One fault of each class in a whole call over the telephone line, and what the caller hears of it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.hard.calls import Held, hold, reference
from tests.jsons import call_json
from voicebench.store import commit_call, read_call

pytestmark = pytest.mark.audio

TASK = "T1-E1"
AT = 3
"""The request that is hit: the answer to the caller's name and number, after the handoff and the first question."""
QUESTION = "May I have your first and last name? What is the order number?"


def call(kind: str, *overrides: str, tries: int | None = None, hit: int = AT) -> Held:
    return hold(reference(kind, tries), TASK, "caller.hears=text", *overrides, hit=hit)


def rules(held: Held) -> list[str]:
    return [span["rule"] for span in held.attributes("caller.speech")]


def ends_s(held: Held) -> tuple[float, float]:
    """End of the recording, and of the last sound on the caller's ear, seconds."""
    samples, rate = soundfile.read(io.BytesIO(held.artifacts.files["recording.wav"]), dtype="int16")
    return len(samples) / rate, float(np.flatnonzero(np.abs(samples[:, 1].astype(int)) > 500)[-1]) / rate


def is_sound(held: Held, folder: Path) -> bool:
    """Whether the call can be committed, and what is on the disk is what it was."""
    commit_call(folder, held.artifacts.files)
    stored = read_call(folder)
    stored.check()
    recorded = len(held.artifacts.files["recording.wav"])
    return call_json(stored) == held.call and stored.recording.stat().st_size == recorded


def test_refused_for_good_in_mid_call_is_a_call_that_the_service_broke_off() -> None:
    held = call("401")
    assert held.outcome == ("error", "error")
    assert (held.call["error_by"], held.call["service_began_s"] > 0) == ("service", True)
    assert [request["status"] for request in held.requests][-1] == 401


def test_refused_again_and_again_is_an_error_at_once_though_its_caller_still_waits(tmp_path: Path) -> None:
    held = call("503", hit=1)
    assert held.outcome == ("error", "error")
    assert [request["status"] for request in held.requests] == [503, 503]
    assert rules(held) == ["opening"]
    [event] = held.attributes("error")
    assert event == {"party": "agent", "kind": "ProviderError", "status": 503}
    [greeting] = held.lines("agent.speech")
    length_s, last_sound_s = ends_s(held)
    assert held.call["call_s"] == pytest.approx(length_s)
    assert last_sound_s == pytest.approx(greeting["end_ns"] / 1e9, abs=0.2)
    assert is_sound(held, tmp_path / "attempt-1")


def test_refused_once_is_a_wait_that_the_caller_does_not_mind() -> None:
    held = call("503", "caller.hears=asr", tries=1)
    assert held.outcome == ("passed", "caller_hung_up")
    assert [span["retries"] for span in held.attributes("llm")] == [0] * AT + [1] + [0] * (len(held.requests) - AT - 1)
    refused, again = held.requests[AT - 1 : AT + 1]
    assert [refused["status"], again["status"]] == [503, 200]
    assert (again["start_ns"] - refused["start_ns"]) / 1e6 == 350
    assert "hello" not in rules(held)
    assert "sorry" not in rules(held)


def test_a_stream_that_is_cut_is_an_error_and_what_was_said_before_is_kept(tmp_path: Path) -> None:
    held = call("stream-cut", hit=2)
    assert held.outcome == ("error", "error")
    assert "peer closed connection" in held.call["reason"]
    spoken = [span["spoken"] for span in held.attributes("agent.speech")]
    assert QUESTION not in spoken
    assert held.call["tokens"]["output"] is None
    assert is_sound(held, tmp_path / "attempt-1")


def test_malformed_arguments_are_the_model_s_mistake_and_it_is_heard_to_ask_again() -> None:
    held = call("malformed-tool-json")
    assert held.outcome == ("passed", "caller_hung_up")
    assert held.errors == ["MALFORMED_ARGUMENTS"]
    assert rules(held).count("asked:order_number") == 1
    [malformed] = [
        s["gen_ai.tool.call.arguments"] for s in held.attributes("tool") if not s["gen_ai.tool.call.result"]["ok"]
    ]
    assert list(malformed) == ["malformed"]


def test_dripping_characters_are_spoken_as_whole_sentences() -> None:
    held = call("dripping", hit=2)
    assert held.outcome == ("passed", "caller_hung_up")
    assert held.attributes("agent.speech")[1]["spoken"] == QUESTION
    assert held.attributes("agent.speech")[1]["interrupted"] is False
    assert len(held.requests[1]["chunks"]) > len(QUESTION)


def test_an_empty_answer_is_a_silent_turn_after_which_the_caller_says_hello() -> None:
    held = call("empty-answer")
    assert held.outcome == ("passed", "caller_hung_up")
    assert rules(held)[:4] == [
        "opening",
        "asked:full_name+asked:order_number",
        "hello",
        "asked:postal_code+asked:card_last4",
    ]
    before, hello = held.lines("caller.speech")[1:3]
    assert (hello["start_ns"] - before["end_ns"]) / 1e9 == pytest.approx(10.0, abs=0.05)
