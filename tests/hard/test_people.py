"""What people do on the telephone, in whole calls: they go while something is being done, break in, or say nothing."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from tests.hard.calls import Held, hold, shop
from voicebench.packs import Pack
from voicebench.packs.models import AnswerRule
from voicebench.serve import AgentServerOptions

TASK = "T1-E1"
MOVED = "The delivery of your order is now moved to Thursday, August sixth."
NAME = "May I have your first and last name?"
FAREWELL = f"{NAME} No, I see that we are closed now. Thank you for calling Kestrel Electronics, and goodbye."
PERSON = {"call": "escalate_to_human", "with": {"reason_code": "caller_request"}}
END = {"call": "end_call", "with": {"reason": "done"}}
SLOW = "tools.latency_ms=7000"

audio = pytest.mark.audio
unit = pytest.mark.unit


def played(folder: Path, *steps: dict[str, Any], overrides: tuple[str, ...] = (), pack: Pack | None = None) -> Held:
    """A call with an agent that plays these steps, over audio unless the overrides say otherwise."""
    path = folder / "script.json"
    path.write_text(json.dumps(steps))
    return hold(AgentServerOptions(script=path, ttft_ms=0), TASK, "caller.hears=text", *overrides, pack=pack)


def said_then(text: str) -> dict[str, Any]:
    return {"say": text, "then": "continue"}


def one_who_breaks_in(after_words: int) -> Pack:
    """The shop, with a caller who breaks in when asked for a name."""
    case = shop().cases[TASK]
    rule = AnswerRule(asked="full_name", say="Wait, one more thing.", interrupt_after_words=after_words)
    caller = case.caller.model_copy(update={"answers": [rule]})
    return dataclasses.replace(shop(), cases={TASK: case.model_copy(update={"caller": caller})})


def escalations(held: Held) -> int:
    """How many rows the call has added."""
    return len(held.state["final"]["escalations"]) - len(held.state["seed"]["escalations"])


def roles(request: dict[str, Any]) -> list[str]:
    return [message["role"] for message in request["request"]["messages"]]


@audio
def test_a_caller_who_hangs_up_while_a_tool_runs_leaves_its_row_and_no_request(tmp_path: Path) -> None:
    held = played(tmp_path, said_then(MOVED), PERSON, {"say": "A person takes over."}, overrides=(SLOW,))
    assert held.outcome == ("failed", "caller_hung_up")
    [tool] = held.lines("tool")
    [hangup] = held.lines("hangup")
    assert tool["start_ns"] < hangup["time_ns"] < tool["end_ns"] == tool["start_ns"] + 7_000_000_000
    assert tool["attributes"]["after_hangup"] is True
    assert escalations(held) == 1
    assert len(held.requests) == 1
    assert held.call["call_s"] == pytest.approx(hangup["time_ns"] / 1e9)


@audio
def test_a_caller_who_speaks_while_a_tool_runs_gets_an_answer_that_knows_its_one_result(tmp_path: Path) -> None:
    held = played(tmp_path, said_then(NAME), PERSON, {"say": "A person takes over."}, overrides=(SLOW,))
    [tool] = held.lines("tool")
    answer = held.lines("caller.speech")[1]
    assert tool["start_ns"] < answer["start_ns"] < answer["end_ns"] < tool["end_ns"]
    assert escalations(held) == 1
    assert tool["attributes"]["after_hangup"] is False
    assert [roles(request)[1:] for request in held.requests] == [
        ["assistant", "user"],
        ["assistant", "user", "assistant", "tool", "user"],
    ]
    assert "Whitfield" in held.requests[1]["request"]["messages"][-1]["content"]
    assert held.call["end_reason"] == "transferred"


@audio
def test_a_caller_who_breaks_into_the_farewell_is_heard_and_the_call_ends_all_the_same(tmp_path: Path) -> None:
    held = played(tmp_path, said_then(FAREWELL), END, pack=one_who_breaks_in(8))
    farewell = held.attributes("agent.speech")[1]
    assert (farewell["intended"], farewell["interrupted"]) == (FAREWELL, True)
    assert farewell["spoken"].startswith(NAME)
    assert "goodbye" not in farewell["spoken"]
    assert held.call["barge_ins"] == 1
    assert held.outcome == ("failed", "agent_ended")
    assert len(held.requests) == 1
    assert [line["text"] for line in held.attributes("asr")][-1].lower().startswith("wait")


@audio
def test_a_turn_that_is_too_long_is_cut_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    held = played(tmp_path, {"say": "Hm."}, said_then("Goodbye."), END, overrides=("agent.vad.max_turn_s=2",))
    assert held.call["vad_forced"] == 1
    [forced] = held.lines("vad.forced")
    opening = held.lines("caller.speech")[0]
    assert opening["start_ns"] < forced["time_ns"] < opening["end_ns"]
    heard = [span["text"].lower() for span in held.attributes("asr")[:2]]
    assert "nobody is at home" in heard[0]
    assert "on another day" in heard[1]
    assert opening["attributes"]["interrupted"] is False
    assert held.call["error"] is None


@audio
def test_an_agent_that_is_silent_to_a_silent_caller_has_failed_after_twenty_seconds() -> None:
    held = hold(AgentServerOptions(model="silent", ttft_ms=0), TASK, "caller.hears=text")
    assert held.outcome == ("failed", "agent_silent")
    opening, hello = held.lines("caller.speech")
    assert hello["attributes"]["rule"] == "hello"
    assert (hello["start_ns"] - opening["end_ns"]) / 1e9 == pytest.approx(10.0, abs=0.05)
    assert held.call["call_s"] - opening["end_ns"] / 1e9 == pytest.approx(20.0, abs=0.05)


@unit
def test_in_text_a_silent_agent_has_failed_after_twenty_seconds_too() -> None:
    held = hold(AgentServerOptions(model="silent", ttft_ms=0), TASK, "channel=text")
    assert held.outcome == ("failed", "agent_silent")
    assert [span["rule"] for span in held.attributes("caller.speech")] == ["opening", "hello"]
    assert held.call["call_s"] == 20.0


@unit
def test_in_text_a_caller_who_breaks_into_the_farewell_cuts_it_and_the_call_ends(tmp_path: Path) -> None:
    held = played(tmp_path, said_then(FAREWELL), END, overrides=("channel=text",), pack=one_who_breaks_in(8))
    assert held.attributes("agent.speech")[1]["spoken"] == NAME
    assert held.call["barge_ins"] == 1
    assert held.call["end_reason"] == "agent_ended"
    assert len(held.requests) == 1


@unit
def test_in_text_a_caller_who_breaks_in_while_a_tool_runs_doubles_no_write(tmp_path: Path) -> None:
    steps = (said_then(FAREWELL), PERSON, {"say": "A person takes over."})
    held = played(tmp_path, *steps, overrides=("channel=text", SLOW), pack=one_who_breaks_in(8))
    assert escalations(held) == 1
    assert len(held.lines("tool")) == 1
    assert held.call["end_reason"] == "transferred"


@unit
def test_in_text_a_caller_breaks_into_endless_talk_and_goes_on(tmp_path: Path) -> None:
    endless = f"{NAME} {'And so on. ' * 400}"
    steps = ({"say": endless}, {"say": MOVED})
    held = played(tmp_path, *steps, overrides=("channel=text",), pack=one_who_breaks_in(8))
    first, last = held.attributes("agent.speech")[1:]
    assert (first["spoken"], first["interrupted"]) == (NAME, True)
    assert len(first["intended"]) <= 2_000
    assert (last["spoken"], held.call["end_reason"]) == (MOVED, "caller_hung_up")
    assert held.requests[1]["request"]["messages"][2:] == [
        held.requests[0]["request"]["messages"][2],
        {"role": "assistant", "content": NAME},
        {"role": "user", "content": "Wait, one more thing."},
    ]


@audio
def test_an_agent_that_never_stops_talking_is_cut_by_the_limit_of_the_call(tmp_path: Path) -> None:
    endless = f"{MOVED} {'And there is still more that I would like to tell you about it. ' * 30}"
    held = played(tmp_path, {"say": endless}, overrides=("limits.call_s=25",))
    assert held.outcome == ("failed", "limit_call_s")
    spoken = held.attributes("agent.speech")[1]
    assert spoken["interrupted"] is True
    assert endless.startswith(spoken["spoken"][:60])
    assert len(spoken["spoken"]) < len(endless) / 2
    assert held.call["call_s"] == pytest.approx(25.0, abs=0.1)
