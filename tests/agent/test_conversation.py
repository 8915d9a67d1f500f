"""Turns, tools and handoffs of a conversation, at the real tools of the shipped shop."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.agent.fakes import GREETING, Step, Talk, hold, shop, use
from voicebench.agent.conversation import MAX_ROUNDS, MAX_TURN_CHARACTERS
from voicebench.errors import AgentError, ProviderError
from voicebench.llm import ToolCall
from voicebench.packs import Result, Tool, ToolContext

pytestmark = pytest.mark.unit


def turns(
    *texts: str, agent: str | None = None, verified: str | None = None
) -> Callable[[Talk], Coroutine[Any, Any, None]]:
    async def talk(talk: Talk) -> None:
        if agent is not None:
            talk.at(agent, verified=verified)
        for text in texts:
            await talk.conversation.take_turn(text)

    return talk


def test_a_turn_without_tools_is_one_request() -> None:
    talk = hold(turns("Hello."), ["Good ", 0.2, "day."])
    [request] = talk.model.requests
    assert request.system == shop().prompts["reception"]
    assert request.messages == [
        {"role": "assistant", "content": GREETING},
        {"role": "user", "content": "Hello."},
    ]
    assert talk.sink.said == [(0.0, "Good "), (0.2, "day.")]
    assert talk.sink.ends == [0.2]
    assert talk.history()[-1] == ("assistant", "Good day.")
    assert (talk.conversation.turns, talk.conversation.ended) == (1, None)


def test_results_go_back_until_nothing_is_called() -> None:
    talk = hold(
        turns("My order is KE-4502316.", agent="verification"),
        ["One moment.", use("identify_customer", order_number="KE-4502316")],
        [use("verify_identity", "call00002", postal_code="60614", card_last4="7351")],
        ["Thank you, Dana."],
    )
    assert talk.history()[1:] == [
        ("user", "My order is KE-4502316."),
        ("assistant", ["identify_customer"]),
        ("tool", talk.messages[3]["content"]),
        ("assistant", ["verify_identity"]),
        ("tool", talk.messages[5]["content"]),
        ("assistant", "Thank you, Dana."),
    ]
    assert [result["ok"] for result in talk.results()] == [True, True]
    assert talk.messages[2]["content"] == "One moment."
    assert talk.messages[5]["tool_call_id"] == "call00002"
    assert [request.at_s for request in talk.model.requests] == [0.0, 0.05, 0.1]
    assert [(s["start_ns"], s["end_ns"]) for s in talk.spans("tool")] == [(0, 50_000_000), (50_000_000, 100_000_000)]
    assert talk.router.tool_context.state("verified") == "cust_dana"


def test_a_handoff_swaps_prompt_and_tools_and_the_history_stays() -> None:
    talk = hold(turns("I want to move a delivery."), [use("transfer_to_verification")], ["Who is calling?"])
    before, after = talk.model.requests
    assert (before.agent, after.agent) == ("reception", "verification")
    assert (before.system, after.system) == (shop().prompts["reception"], shop().prompts["verification"])
    reception, verification = shop().spec.agents[:2]
    assert before.tools == [*reception.tools, *reception.handoffs]
    assert after.tools == [*verification.tools, *verification.handoffs]
    assert set(before.tools) != set(after.tools)
    assert after.messages[: len(before.messages)] == before.messages
    [span] = talk.spans("handoff")
    assert span["attributes"]["from"] == "reception"
    assert span["attributes"]["to"] == "verification"
    assert talk.spans("tool") == []


def test_of_two_handoffs_in_one_response_the_second_is_refused() -> None:
    talk = hold(
        turns("It is broken.", agent="orders"),
        [use("transfer_to_service"), use("transfer_to_returns", "call00002")],
        ["Tell me more."],
    )
    assert talk.router.active.name == "service"
    assert [result["error_code"] for result in talk.results()] == [None, "ALREADY_HANDED_OFF"]
    assert [span["attributes"]["tool"] for span in talk.spans("handoff")] == ["transfer_to_service"]
    assert talk.model.requests[1].agent == "service"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (use("cancel_order", order_number="KE-4502316"), "TOOL_NOT_AVAILABLE"),
        (use("transfer_to_fraud"), "UNKNOWN_TOOL"),
        (use("open_the_safe"), "UNKNOWN_TOOL"),
        (ToolCall("call00001", "escalate_to_human", '{"reason_code": "compl'), "MALFORMED_ARGUMENTS"),
        (ToolCall("call00001", "escalate_to_human", '["complaint"]'), "MALFORMED_ARGUMENTS"),
        (ToolCall("call00001", "escalate_to_human", '{"reason_code": NaN}'), "MALFORMED_ARGUMENTS"),
        (ToolCall("call00001", "escalate_to_human", '{"reason_code": 1e999}'), "MALFORMED_ARGUMENTS"),
        (ToolCall("call00001", "escalate_to_human", '{"reason_code": "\\ud800"}'), "MALFORMED_ARGUMENTS"),
        (ToolCall("call00001", "escalate_to_human", "[" * 20_000), "MALFORMED_ARGUMENTS"),
        (ToolCall("call00001", "transfer_to_verification", "{"), "MALFORMED_ARGUMENTS"),
        (use("escalate_to_human", reason_code="because"), "INVALID_ARGUMENTS"),
    ],
)
def test_a_wrong_call_is_answered_with_an_error_and_the_call_goes_on(call: ToolCall, code: str) -> None:
    talk = hold(turns("Hello."), [call], ["I am sorry."])
    [result] = talk.results()
    assert (result["ok"], result["error_code"]) == (False, code)
    assert talk.history()[-1] == ("assistant", "I am sorry.")
    assert (talk.router.active.name, talk.conversation.ended) == ("reception", None)
    assert len(talk.rows("escalations")) == 1
    [span] = talk.spans("tool")
    assert span["attributes"]["gen_ai.tool.call.result"] == result
    assert json.dumps(span, allow_nan=False)


def test_empty_arguments_are_none() -> None:
    talk = hold(
        turns("Tell me.", agent="membership", verified="cust_dana"),
        [ToolCall("call00001", "get_membership", "")],
        ["You are a basic member."],
    )
    assert [result["ok"] for result in talk.results()] == [True]


def test_parallel_calls_stay_one_message() -> None:
    talk = hold(
        turns("Both, please.", agent="orders", verified="cust_dana"),
        [
            "Let me look.",
            use("get_order", "call00001", order_number="KE-4502316"),
            use("get_delivery_days", "call00002", order_number="KE-4502316"),
        ],
        ["There is room."],
    )
    _, _, said, first, second, _ = talk.messages
    assert said["content"] == "Let me look."
    assert [call["id"] for call in said["tool_calls"]] == ["call00001", "call00002"]
    assert [first["tool_call_id"], second["tool_call_id"]] == ["call00001", "call00002"]
    assert len(talk.model.requests) == 2


def test_what_the_model_calls_after_twenty_rounds_is_not_executed() -> None:
    talk = hold(turns("Go.", agent="reception"), ["Hm. ", use("open_the_safe")], endless=True)
    assert len(talk.results()) == MAX_ROUNDS == 20
    assert len(talk.model.requests) == 21
    assert talk.history()[-1] == ("assistant", "Hm. ")


def test_an_answer_after_twenty_rounds_is_heard() -> None:
    answers: list[list[Step]] = [[use("open_the_safe")]] * 20
    talk = hold(turns("Go."), *answers, ["Done."])
    assert talk.sink.text == "Done."


@pytest.mark.parametrize("pieces", [1, 7, 250])
def test_a_turn_is_cut_at_two_thousand_characters(pieces: int) -> None:
    endless: list[Step] = ["word " * pieces] * 450
    talk = hold(turns("Talk."), [*endless, use("open_the_safe")])
    assert len(talk.sink.text) == MAX_TURN_CHARACTERS == 2_000
    assert talk.model.abandoned == 1
    assert talk.results() == []
    assert talk.sink.ends == [0.0]
    assert talk.history()[-1] == ("assistant", "word " * 400)


def test_the_characters_of_all_rounds_of_a_turn_count_but_not_those_of_the_turn_before() -> None:
    talk = hold(
        turns("Talk.", "Go on."),
        ["a" * 1_500, use("open_the_safe")],
        ["b" * 1_500, use("open_the_safe")],
        ["c" * 2_000, use("open_the_safe")],
        [],
    )
    assert talk.sink.text == "a" * 1_500 + "b" * 500 + "c" * 2_000
    assert len(talk.results()) == 2


def test_end_call_ends_without_another_request() -> None:
    talk = hold(turns("Goodbye.", "Hello?"), ["Goodbye.", use("end_call", reason="done")])
    assert talk.conversation.ended == "agent_ended"
    assert len(talk.model.requests) == talk.conversation.turns == 1
    assert [result["data"] for result in talk.results()] == [{"ended": True}]


def test_after_a_transfer_the_model_is_asked_exactly_once_more() -> None:
    talk = hold(
        turns("A person, please.", "Hello?"),
        [use("escalate_to_human", reason_code="caller_request")],
        ["A person takes over.", use("open_the_safe", "call00002")],
    )
    assert talk.conversation.ended == "transferred"
    assert talk.sink.text == "A person takes over."
    assert len(talk.rows("escalations")) == 2
    assert [result["ok"] for result in talk.results()] == [True, False]


def test_a_transfer_stays_one_when_the_model_then_hangs_up() -> None:
    talk = hold(
        turns("A person, please."),
        [use("escalate_to_human", reason_code="caller_request")],
        ["Goodbye.", use("end_call", "call00002", reason="transferred")],
    )
    assert talk.conversation.ended == "transferred"


def test_a_refused_transfer_ends_nothing() -> None:
    talk = hold(turns("A person."), [use("escalate_to_human")], ["Why?"])
    assert talk.conversation.ended is None


def test_an_empty_answer_is_a_silent_turn() -> None:
    talk = hold(turns("Hello?", "Are you there?"), [], ["Yes."])
    assert talk.history()[1:] == [("user", "Hello?"), ("user", "Are you there?"), ("assistant", "Yes.")]
    assert len(talk.sink.ends) == 2


def test_a_failing_provider_leaves_the_next_turn_possible() -> None:
    async def talk(talk: Talk) -> None:
        with pytest.raises(ProviderError, match="outage"):
            await talk.conversation.take_turn("Hello.")
        await talk.conversation.take_turn("Hello?")

    done = hold(talk, ["Good", ProviderError("outage")], ["Good day."])
    assert done.history()[-1] == ("assistant", "Good day.")


def test_a_tool_whose_code_fails_is_the_harness_s_error() -> None:
    def broken(desk: ToolContext, /) -> Result:
        raise ZeroDivisionError("a bug")

    async def talk(talk: Talk) -> None:
        talk.router._tools["end_call"] = Tool("end_call", "", (), False, True, broken)
        with pytest.raises(AgentError, match="a bug"):
            await talk.conversation.take_turn("Hello.")

    assert hold(talk, [use("end_call")]).conversation.ended is None


def test_a_tool_takes_its_latency() -> None:
    talk = hold(turns("Hello."), [use("open_the_safe")], ["No."], latency_ms=1_250)
    assert talk.model.requests[1].at_s == 1.25
