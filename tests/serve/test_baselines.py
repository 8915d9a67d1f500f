from __future__ import annotations

from collections import Counter
from typing import Any, get_args

import pytest

from tests.serve.text_call import Direct, TextCall, hold, metadata
from voicebench.config.profiles import BASELINES, LOCAL_AGENTS, REFERENCE
from voicebench.packs import Pack, load_pack
from voicebench.record.json_types import JsonObject
from voicebench.serve.baselines import ROUNDS, Manner, manner_of
from voicebench.serve.chat import Action, ChatRequest, ToolUse
from voicebench.serve.models import MODELS

pytestmark = pytest.mark.unit

PACK = load_pack("customer_support")
SEED = 7
CALLS = {manner: next(c for c in map(str, range(99)) if manner_of(SEED, c) == manner) for manner in get_args(Manner)}


def call(model: str, task: str, call_id: str = "0", *, told: bool = True, pack: Pack = PACK) -> TextCall:
    text = metadata(pack, task, call_id)["voicebench_task"] if told else None
    return hold(pack, task, lambda _: Direct(MODELS[model](SEED), call_id, text))


def done(held: TextCall) -> list[tuple[str, Any]]:
    return [(span["gen_ai.tool.name"], span["gen_ai.tool.call.arguments"]) for span in held.spans("tool")]


def path(held: TextCall) -> list[str]:
    return [span["tool"] for span in held.spans("handoff")]


@pytest.mark.parametrize("task", PACK.cases)
def test_the_reference_passes_where_the_baselines_are_measured(task: str) -> None:
    assert call("reference", task).passed


@pytest.mark.parametrize("task", PACK.cases)
@pytest.mark.parametrize("model", BASELINES)
def test_every_baseline_fails_every_task(model: str, task: str) -> None:
    call_ids = {"transfer_all": list(CALLS.values()), "random": ["0", "1", "2", "3", "4"]}.get(model, ["0"])
    assert [call(model, task, call_id).passed for call_id in call_ids] == [False] * len(call_ids)


@pytest.mark.parametrize("model", BASELINES)
def test_a_baseline_does_the_same_whether_it_is_told_the_task_or_not(model: str) -> None:
    assert call(model, "T2-H3").trace == call(model, "T2-H3", told=False).trace


def test_the_names_that_count_as_local_are_those_that_are_served() -> None:
    assert set(LOCAL_AGENTS) == MODELS.keys()


@pytest.mark.parametrize("model", BASELINES)
def test_a_baseline_does_not_go_on_for_ever(model: str) -> None:
    """Whatever is offered and however often it is asked, it falls silent."""
    messages: list[dict[str, Any]] = []
    answers: list[Action] = []
    for number in range(60):
        messages.append({"role": "user", "content": "Hello?"})
        action = MODELS[model](SEED).reply(ChatRequest("m", tuple(messages), (OFFER,), call_id="0"))
        answers.append(action)
        if action.say:
            messages.append({"role": "assistant", "content": action.say})
        for at, use in enumerate(action.calls):
            call = {"id": f"{number}-{at}", "function": {"name": use.name, "arguments": "{}"}}
            messages.append({"role": "assistant", "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": '{"ok": false}'})
    assert answers[ROUNDS + 1 :] == [Action()] * (60 - ROUNDS - 1)


OFFER: JsonObject = {
    "type": "function",
    "function": {"name": "get_order", "parameters": {"properties": {"n": {"type": "string"}}}},
}


def test_refuse_says_so_and_ends_the_call() -> None:
    held = call("refuse", "T1-E1")
    assert held.end_reason == "agent_ended"
    assert held.agent_turns == ["I'm sorry, but I am not able to help you with that. Thank you for calling. Goodbye."]
    assert [name for name, _ in done(held)] == ["end_call"]


def test_call_all_calls_every_tool_of_every_agent_once_and_ends() -> None:
    held = call("call_all", "T1-E1")
    session = {"escalate_to_human", "end_call"}
    expected = Counter(tool for agent in PACK.spec.agents for tool in agent.tools if tool not in session)
    calls = [name for name, _ in done(held)]
    assert Counter(calls[:-2]) == expected
    assert calls[-2:] == ["escalate_to_human", "end_call"]
    assert len(path(held)) == len(PACK.spec.agents) - 1
    assert held.end_reason == "agent_ended"


def test_call_all_makes_arguments_of_the_schema() -> None:
    arguments = dict(done(call("call_all", "T1-E1")))
    assert arguments["open_return"] == {
        "order_number": "AB-1000001",
        "reason_code": "changed_mind",
        "method": "store",
        "fee_quoted": 1,
        "opened": True,
    }
    assert arguments["set_auto_renewal"] == {"enabled": True, "disclosed": True}


def test_what_a_baseline_makes_up_is_no_value_of_a_task() -> None:
    values = {fact.value for case in PACK.cases.values() for fact in case.caller.facts.values()}
    made_up = {
        value for model in ("call_all", "random") for _, use in done(call(model, "T1-E1")) for value in use.values()
    }
    assert made_up.isdisjoint(values)


@pytest.mark.parametrize(
    ("task", "desk"),
    [("T1-E1", "transfer_to_orders"), ("T2-H3", "transfer_to_returns"), ("T3-H4", "transfer_to_service")],
)
def test_the_lazy_agent_finds_the_fitting_desk_and_still_fails(task: str, desk: str) -> None:
    held = call("transfer_all", task, CALLS["fitting"])
    assert path(held) == ["transfer_to_verification", desk]
    assert held.verdict.gates.handoffs.passed
    assert (held.verdict.gates.database.passed, held.end_reason) == (False, "transferred")


def test_the_lazy_agent_passes_on_at_once_or_along_every_handoff() -> None:
    assert path(call("transfer_all", "T2-H3", CALLS["at_once"])) == []
    handoffs = path(call("transfer_all", "T2-H3", CALLS["everywhere"]))
    assert sorted(handoffs) == sorted({name for agent in PACK.spec.agents for name in agent.handoffs})


def test_random_follows_from_seed_call_and_place_alone() -> None:
    held = call("random", "T1-E1", "a")
    assert held.trace == call("random", "T1-E1", "a").trace
    other = hold(PACK, "T1-E1", lambda _: Direct(MODELS["random"](SEED + 1), "a", None))
    assert held.trace not in (call("random", "T1-E1", "b").trace, other.trace)


def test_random_uses_whatever_it_is_offered() -> None:
    used = {name for call_id in map(str, range(60)) for name, _ in done(call("random", "T1-E1", call_id))}
    assert used >= {"identify_customer", "verify_identity", "get_customer_summary", "escalate_to_human", "end_call"}


def test_a_tool_that_is_no_handoff_by_its_arguments_gets_them() -> None:
    offer: JsonObject = {"properties": {"to": {"type": "string", "enum": ["here", "there"]}}}
    tool: JsonObject = {"type": "function", "function": {"name": "transfer_prescription", "parameters": offer}}
    request = ChatRequest("call_all", ({"role": "user", "content": "Hi"},), (tool,))
    assert MODELS["call_all"](SEED).reply(request) == Action(calls=(ToolUse("transfer_prescription", {"to": "here"}),))


def test_every_local_model_is_the_line_reference_or_a_baseline() -> None:
    assert sorted(MODELS) == sorted({REFERENCE, *BASELINES})
