"""The realtime harness on the local server: handoffs, tools and hang-ups while either side speaks, and faults."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.agent.fakes import Step, shop, use
from tests.agent.phone import GREETING, FakeRecognizer, loud, say
from tests.agent.realtime.scene import Scene, scene
from voicebench.errors import ProviderError
from voicebench.record.json_types import JsonObject

pytestmark = pytest.mark.audio

LONG = (
    "Let me tell you all about it. There are seven kinds of returns, and each of them has rules of its own. "
    "The first is for goods that arrived late, and the second is for goods that did not arrive at all."
)
SEEDED = 1
TO_PERSON = use("escalate_to_human", reason_code="caller_request")

HANDED_ON: list[list[Step]] = [["One moment. ", TO_PERSON], ["A person takes over now."]]


def offered(update: dict[str, object]) -> list[str]:
    session = update["session"]
    assert isinstance(session, dict)
    return [tool["name"] for tool in session["tools"]]


def escalations(call: Scene) -> int:
    """Rows that the call has added to those of the seed."""
    return len(call.rows("escalations")) - SEEDED


def spoken(call: Scene) -> list[str]:
    return [line["spoken"] for line in call.attributes("agent.speech")]


def test_a_call_is_greeted_heard_and_answered() -> None:
    call = scene(say((3.0, "I want to return my headphones.")), 8.0, ["Of course."])
    assert spoken(call) == [GREETING, "Of course."]
    [heard] = call.attributes("asr")
    assert heard["text"].lower().startswith("i want to return")
    assert call.chats[0][-1] == {"role": "user", "content": heard["text"]}
    assert call.agent.turns == 1
    greeting, answer = call.attributes("llm")
    assert (greeting["greeting"], greeting["ttft_ms"]) == (True, None)
    assert answer["first_audio_ms"] is not None
    [end] = call.lines("turn.end")
    assert end["end_ns"] - end["start_ns"] == pytest.approx(600e6, abs=60e6)


def test_two_handoffs_and_back_swap_prompt_and_tools_and_keep_the_conversation() -> None:
    call = scene(
        say((3.0, "Where is my order?"), (8.0, "And now my return.")),
        16.0,
        [use("transfer_to_returns")],
        ["Returns here. ", use("transfer_to_orders", "call00002")],
        ["Orders again."],
        ["Still orders."],
        first="orders",
    )
    assert [(handoff["from"], handoff["to"]) for handoff in call.attributes("handoff")] == [
        ("orders", "returns"),
        ("returns", "orders"),
    ]
    first, second, third = call.sent("session.update")
    prompts = [update["session"]["instructions"] for update in (first, second, third)]
    assert prompts == [shop().prompts[name] for name in ("orders", "returns", "orders")]
    assert "open_return" in offered(second)
    assert "open_return" not in offered(third)
    assert "audio" not in second["session"]
    assert [line["agent"] for line in call.attributes("llm")] == ["orders", "orders", "returns", "orders", "orders"]
    roles = [message["role"] for message in call.chats[-1]]
    assert roles == ["assistant", "user", "assistant", "tool", "assistant", "assistant", "tool", "assistant", "user"]


def test_a_transfer_while_speaking_lets_the_sentence_end_before_the_next_agent_speaks() -> None:
    call = scene(
        say((3.0, "Where is my order?")),
        12.0,
        ["One moment please, I am passing you on to my colleague. ", use("transfer_to_returns")],
        ["Returns here, good day."],
        first="orders",
    )
    _, before, after = call.lines("agent.speech")
    assert (before["attributes"]["agent"], after["attributes"]["agent"]) == ("orders", "returns")
    [handoff] = call.lines("handoff")
    assert before["start_ns"] <= handoff["end_ns"] + 1_000_000_000
    assert handoff["end_ns"] < before["end_ns"] <= after["start_ns"]
    assert not before["attributes"]["interrupted"]


def test_a_hang_up_lets_the_tool_finish_and_asks_for_nothing_more() -> None:
    call = scene(say((3.0, "A person, please.")), 5.6, [TO_PERSON], latency_ms=2_000.0)
    [tool] = call.attributes("tool")
    assert (tool["gen_ai.tool.name"], tool["after_hangup"]) == ("escalate_to_human", True)
    assert escalations(call) == 1
    assert len(call.sent("response.create")) == 1  # the greeting
    assert call.sent("conversation.item.create") == []


def test_a_barge_in_during_a_tool_call_makes_one_call_and_one_answer() -> None:
    call = scene(
        say((3.0, "A person, please."), (6.0, "Are you still there, my friend?")),
        14.0,
        [TO_PERSON],
        ["Yes, a person comes."],
        latency_ms=2_500.0,
    )
    assert escalations(call) == 1
    roles = [message["role"] for message in call.chats[-1]]
    assert roles.count("tool") == 1
    assert spoken(call)[-1] == "Yes, a person comes."
    assert call.agent.failure is None
    assert call.agent.end_reason == "transferred"


def test_an_interruption_stops_the_agent_and_truncates_at_what_was_played() -> None:
    call = scene(
        say((3.0, "Tell me about returns."), (9.0, "Stop, stop, please stop that.")), 14.0, [LONG], ["I stop."]
    )
    _, cut, last = call.lines("agent.speech")
    assert cut["attributes"]["interrupted"]
    played_ms = round((cut["end_ns"] - cut["start_ns"]) / 1e6)
    [truncated] = call.sent("conversation.item.truncate")
    assert truncated["audio_end_ms"] == played_ms
    heard = cut["attributes"]["spoken"]
    assert LONG.startswith(heard)
    assert 3 < len(heard.split()) < len(LONG.split()) - 3
    memory = next(m["content"] for m in call.chats[-1] if m["role"] == "assistant" and "Let me" in m["content"])
    assert abs(len(memory.split()) - len(heard.split())) <= 1
    assert not loud(call.said[round(cut["end_ns"] / 1e9 * 16_000) + 320 : round(last["start_ns"] / 1e9 * 16_000) - 320])


def test_text_without_speech_after_a_transfer_is_not_taken_for_speech() -> None:
    async def write(call: Scene) -> None:
        """The service answers in writing alone."""
        assert call.wire.session is not None
        out = call.wire.session.outgoing
        place: JsonObject = {"response_id": "resp_text", "item_id": "item_text", "output_index": 0, "content_index": 0}
        out.put("response.created", response={"id": "resp_text", "status": "in_progress", "metadata": None})
        out.put("response.output_text.delta", delta="I am the returns desk.", **place)
        out.put("response.output_text.done", text="I am the returns desk.", **place)
        done: JsonObject = {"id": "resp_text", "status": "completed", "output": [], "usage": None}
        out.put("response.done", response=done)

    call = scene(say((3.0, "My return.")), 12.0, [use("transfer_to_returns")], [], first="orders", at={7.0: write})
    assert spoken(call) == [GREETING]
    [event] = call.attributes("agent.unspoken")
    assert event["text"] == "I am the returns desk."
    assert (event["agent"], call.agent.failure) == ("returns", None)
    assert call.context.take_said() == GREETING


def test_an_empty_turn_is_no_failure_and_the_next_one_is_answered() -> None:
    recognizer = FakeRecognizer(says=["", None])
    call = scene(say((3.0, "Hm, hm, hm."), (6.0, "Hello, are you there?")), 11.0, ["I am here."], recognizer=recognizer)
    assert spoken(call) == [GREETING, "I am here."]
    assert next(line["text"] for line in call.attributes("asr")) == ""
    assert [message["role"] for message in call.chats[0]] == ["assistant", "user"]
    assert call.agent.failure is None


def test_cached_tokens_are_those_that_the_service_told_and_never_more_than_the_input() -> None:
    call = scene(say((3.0, "Where is my order?"), (7.0, "And my return?")), 12.0, ["It comes."], ["It went."])
    last = call.attributes("llm")[-1]
    assert 0 < last["gen_ai.usage.cached_tokens"] < last["gen_ai.usage.input_tokens"]
    assert last["gen_ai.usage.cached_audio_tokens"] <= last["gen_ai.usage.input_audio_tokens"]
    assert last["gen_ai.usage.cached_tokens"] == call.attributes("llm")[-2]["gen_ai.usage.input_tokens"]


def test_a_call_ended_by_the_agent_lets_the_farewell_be_heard() -> None:
    call = scene(say((3.0, "That is all.")), 12.0, ["Thank you for calling. Goodbye. ", use("end_call", reason="done")])
    last = call.lines("agent.speech")[-1]
    assert last["attributes"]["spoken"] == "Thank you for calling. Goodbye."
    assert call.agent.end_reason == "agent_ended"
    assert call.finished_s is not None
    assert call.finished_s >= last["end_ns"] / 1e9 - 0.1
    assert len(call.sent("response.create")) == 1


def test_a_transfer_to_a_person_is_said_before_the_call_ends() -> None:
    call = scene(say((3.0, "A person, please.")), 12.0, [TO_PERSON], ["A person takes over now."])
    assert spoken(call)[-1] == "A person takes over now."
    assert call.agent.end_reason == "transferred"
    assert call.finished_s is not None
    assert call.finished_s >= call.lines("agent.speech")[-1]["end_ns"] / 1e9 - 0.1


# ---- faults of the server -------------------------------------------------------------------------------------------


def test_a_dropped_socket_is_an_error_and_is_not_opened_again() -> None:
    call = scene(say((3.0, "Where is my order?")), 12.0, ["It comes tomorrow."], fault="drop-socket")
    assert isinstance(call.agent.failure, ProviderError)
    assert call.agent.failure.retryable
    assert len(call.frames) < 12 * 50
    assert [line["kind"] for line in call.attributes("error")] == ["ProviderError"]


def test_a_burst_after_a_stall_is_played_at_the_pace_of_speech() -> None:
    plain, burst = (scene(say((3.0, "Tell me about returns.")), 18.0, [LONG], fault=fault) for fault in (None, "burst"))
    (_, first), (_, second) = plain.lines("agent.speech"), burst.lines("agent.speech")
    assert second["end_ns"] - second["start_ns"] == first["end_ns"] - first["start_ns"]
    assert second["start_ns"] - first["start_ns"] >= 1_400_000_000
    assert second["attributes"]["spoken"] == LONG


def test_duplicated_events_change_nothing() -> None:
    plain, twice = (scene(say((3.0, "A person, please.")), 12.0, *HANDED_ON, fault=f) for f in (None, "duplicate"))
    assert spoken(plain) == spoken(twice)
    assert np.array_equal(plain.said, twice.said)
    assert escalations(twice) == 1
    assert len(twice.attributes("tool")) == 1
    assert len(twice.attributes("llm")) == len(plain.attributes("llm"))


def test_events_out_of_order_change_nothing_that_is_heard_or_done() -> None:
    plain, mixed = (scene(say((3.0, "A person, please.")), 12.0, *HANDED_ON, fault=f) for f in (None, "reorder"))
    assert spoken(plain) == spoken(mixed)
    assert np.array_equal(plain.said, mixed.said)
    assert escalations(mixed) == 1
    assert mixed.agent.end_reason == "transferred"


def test_a_slow_service_is_slow_in_its_time_to_first_audio() -> None:
    call = scene(say((3.0, "Where is my order?")), 12.0, ["It comes tomorrow."], fault="slow-audio")
    assert call.attributes("llm")[-1]["first_audio_ms"] >= 2_000
    assert spoken(call)[-1] == "It comes tomorrow."


def test_a_response_cancelled_while_its_tool_runs_still_gets_the_result_and_one_write() -> None:
    call = scene(
        say((3.0, "A person, please.")), 14.0, [TO_PERSON], ["A person comes."], fault="cancel-tool", latency_ms=500.0
    )
    assert call.attributes("llm")[1]["gen_ai.response.finish_reasons"] == ["turn_detected"]
    assert escalations(call) == 1
    [item] = call.sent("conversation.item.create")
    assert json.loads(item["item"]["output"])["ok"] is True
    assert spoken(call)[-1] == "A person comes."
