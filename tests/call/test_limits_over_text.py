"""A call over text ends at the limits of one on the telephone, at the same times, whatever the agent is at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hard.calls import Held, hold
from voicebench.serve import AgentServerOptions

pytestmark = pytest.mark.unit

PERSON = {"call": "escalate_to_human", "with": {"reason_code": "caller_request"}}
MOVED = {"say": "The delivery of your order is now moved to Thursday, August sixth."}


def played(folder: Path, *steps: dict[str, Any], overrides: tuple[str, ...]) -> Held:
    path = folder / "script.json"
    path.write_text(json.dumps(steps))
    return hold(AgentServerOptions(script=path, ttft_ms=0), "T1-E1", "channel=text", *overrides)


def test_a_tool_that_takes_two_minutes_leaves_the_caller_in_silence_for_twenty_seconds(tmp_path: Path) -> None:
    held = played(tmp_path, PERSON, MOVED, overrides=("tools.latency_ms=120000",))
    assert held.outcome == ("failed", "agent_silent")
    assert held.call["call_s"] == 20.0
    opening, hello = held.lines("caller.speech")
    assert (hello["attributes"]["rule"], hello["start_ns"] - opening["end_ns"]) == ("hello", 10_000_000_000)
    [cancelled] = held.lines("tool.cancelled")
    assert cancelled["time_ns"] == 30_000_000_000
    assert held.call["attribution"]["cause"] == "harness"
    assert "called escalate_to_human after" in held.call["attribution"]["sentence"]
    assert "the tool was still at work 20 s later" in held.call["attribution"]["sentence"]


def test_a_tool_that_ends_soon_after_the_hang_up_has_written_and_is_named(tmp_path: Path) -> None:
    held = played(tmp_path, PERSON, MOVED, overrides=("tools.latency_ms=25000",))
    assert (held.outcome, held.call["call_s"]) == (("failed", "agent_silent"), 20.0)
    [tool] = held.lines("tool")
    assert tool["end_ns"] == tool["start_ns"] + 25_000_000_000
    assert tool["attributes"]["after_hangup"] is True
    assert "escalate_to_human" in held.call["attribution"]["sentence"]


def test_words_before_a_tool_give_it_twenty_seconds_from_them(tmp_path: Path) -> None:
    moment = {"say": "One moment, please.", "then": "continue"}
    held = played(tmp_path, moment, PERSON, {"say": "Done."}, overrides=("tools.latency_ms=18000",))
    assert held.call["end_reason"] == "transferred"
    assert [span["rule"] for span in held.attributes("caller.speech")][:2] == ["opening", "hello"]
    assert [span["spoken"] for span in held.attributes("agent.speech")][1] == "One moment, please."


def test_a_tool_that_keeps_the_agent_after_it_has_said_so_is_named_too(tmp_path: Path) -> None:
    moment = {"say": "One moment, please.", "then": "continue"}
    held = played(tmp_path, moment, PERSON, MOVED, overrides=("tools.latency_ms=40000",))
    assert held.outcome == ("failed", "agent_silent")
    assert held.call["attribution"]["cause"] == "harness"
    assert "called escalate_to_human after" in held.call["attribution"]["sentence"]


def test_the_call_ends_at_its_length_though_a_tool_is_at_work(tmp_path: Path) -> None:
    held = played(tmp_path, PERSON, MOVED, overrides=("tools.latency_ms=18000", "limits.call_s=15"))
    assert (held.outcome, held.call["call_s"]) == (("failed", "limit_call_s"), 15.0)
    assert "the tool was still at work 15 s later" in held.call["attribution"]["sentence"]


def test_a_model_that_thinks_for_longer_than_the_caller_waits_is_asked_again(tmp_path: Path) -> None:
    held = played(tmp_path, MOVED, MOVED, overrides=("clock.charges.llm=fixed:12000/0",))
    assert held.call["end_reason"] == "agent_silent"
    assert held.call["call_s"] == pytest.approx(20.0)
    assert [line["request"]["messages"][-1]["content"] for line in held.requests][-1].startswith("Hello")
