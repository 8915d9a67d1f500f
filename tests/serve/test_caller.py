"""The local caller: all that it says comes out of the script that it is handed, and without one there is no call."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import openai
import pytest

from voicebench.caller import ScriptedCaller
from voicebench.caller.caller_task import CallerTask, caller_task
from voicebench.errors import ConfigError
from voicebench.packs import load_pack
from voicebench.packs.models import CallerScript, PackSpec
from voicebench.serve import AgentServerOptions, start_endpoint
from voicebench.serve.caller import Reader
from voicebench.serve.chat import BadRequest, ChatRequest
from voicebench.serve.models import make_model

pytestmark = pytest.mark.unit

PACK = load_pack("customer_support")
SCRIPT = PACK.cases["T2-H3"].caller
TASK = caller_task(SCRIPT, PACK.spec).model_dump_json(by_alias=True, exclude_defaults=True)
GREETING = "Thank you for calling. How can I help you?"


def chat(*turns: str) -> list[dict[str, Any]]:
    """The messages of a chat: what was heard and said in turn, beginning with the greeting."""
    roles = ["user", "assistant"] * (len(turns) + 1)
    spoken = [{"role": role, "content": text} for role, text in zip(roles, (GREETING, *turns), strict=False)]
    return [{"role": "system", "content": "You are the caller in a telephone call."}, *spoken]


def says(*turns: str, task: str | None = TASK) -> str:
    """What the caller says after these turns, its own opening and the agent's in turn."""
    return Reader().reply(ChatRequest("", tuple(chat(*turns)), caller=task)).say


OPENING = says()
WANT = "I want to send back the Corva Studio Headphones that I ordered last week."
AGAIN = "Sorry, could you say that again?"
BYE = "Okay, thank you. [HANG UP]"
ENDING = "I am transferring you to a person on our team now."


def test_it_plays_what_the_script_says() -> None:
    assert OPENING == "Hello, I want to send back the Corva Studio Headphones that I ordered last week."
    assert says(OPENING, "May I have your first and last name?") == "My name is Tomas Ferreira."
    assert says(OPENING, ENDING) == BYE


@pytest.mark.parametrize(
    ("written", "instead", "turns", "answer"),
    [
        ("Hello, I want to send back", "Hi, I would like to return", (), "Hi, I would like to return"),
        ("My name is Tomas Ferreira", "Ines Example", (OPENING, "What is your full name?"), "Ines Example."),
        ("Okay, thank you.", "So long.", (OPENING, ENDING), "So long. [HANG UP]"),
        (
            "I am sorry, this is not",
            "Well, it is not",
            (OPENING, "Grass?", *[AGAIN, "Grass?"] * 2),
            "Well, it is not",
        ),
    ],
)
def test_another_script_is_another_caller(written: str, instead: str, turns: tuple[str, ...], answer: str) -> None:
    assert written in TASK
    assert not says(*turns).startswith(answer)
    assert says(*turns, task=TASK.replace(written, instead)).startswith(answer)


def test_it_understands_the_agent_by_the_intents_that_it_is_handed() -> None:
    question = "Is it purple?"
    assert says(OPENING, question) == WANT
    assert says(OPENING, question, WANT, question) == AGAIN
    handed = json.loads(TASK)
    handed["intents"]["asked"]["return_reason"] = [r"\bpurple\b"]
    assert says(OPENING, question, task=json.dumps(handed)).startswith("They press on my ears")


@pytest.mark.parametrize("name", ["customer_support", "healthcare", "legal"])
def test_it_gets_of_each_task_what_the_scripted_caller_needs_and_no_more(name: str) -> None:
    pack = load_pack(name)
    for case in pack.cases.values():
        handed = caller_task(case.caller, pack.spec)
        assert CallerTask.model_validate_json(handed.model_dump_json(by_alias=True, exclude_defaults=True)) == handed
        assert handed.script == case.caller
        named = {rule.heard for rule in case.caller.answers if rule.heard} | {case.caller.hangs_up.heard}
        assert handed.intents.asked == pack.spec.intents.asked, case.id
        assert handed.intents.heard.keys() == named, case.id
        assert handed.facts.keys() <= case.caller.facts.keys()


@pytest.mark.parametrize("name", ["customer_support", "healthcare", "legal"])
def test_it_answers_as_the_scripted_caller_does(name: str) -> None:
    """Each question of the pack, asked of each caller right after its opening."""
    pack = load_pack(name)
    for case in pack.cases.values():
        handed = caller_task(case.caller, pack.spec).model_dump_json(by_alias=True, exclude_defaults=True)
        for fact in list(case.caller.facts)[:3]:
            question = pack.spec.facts[fact].question
            utterance = answer_of_script(case.caller, pack.spec, question)
            assert says(case.caller.opening, question, task=handed) == utterance, (case.id, question)


def answer_of_script(script: CallerScript, spec: PackSpec, question: str) -> str:
    decision = ScriptedCaller(script, spec).hear(question)
    if decision.utterance is None:
        return "[WAIT]"
    return decision.utterance.spoken + (" [HANG UP]" if decision.reason else "")


def test_without_a_script_there_is_no_caller() -> None:
    with pytest.raises(BadRequest, match=r"handed in metadata\.voicebench_caller, and there is none"):
        says(task=None)
    with pytest.raises(BadRequest, match=r"metadata\.voicebench_caller cannot be read"):
        says(task='{"script": {}}')
    with pytest.raises(BadRequest, match="begins with its part and ends with what it hears"):
        Reader().reply(ChatRequest("", tuple(chat(OPENING)), caller=TASK))


def test_a_fact_that_is_asked_for_again_is_said_in_the_next_way() -> None:
    ask = "What is the order number?"
    first = says(OPENING, ask)
    second = says(OPENING, ask, first, ask)
    assert (first, second) == (
        "order number K E, four four seven, nine zero, zero two.",
        "Kilo, Echo, forty-four, seventy-nine, zero zero two.",
    )


def test_it_waits_confirms_and_asks_again() -> None:
    assert says(OPENING, "One moment, please.") == "[WAIT]"
    given = says(OPENING, "What is the order number?")
    assert says(OPENING, "What is the order number?", given, "So that is KE-4479002.") == "Yes, that's right."
    assert says(OPENING, "[UNCLEAR]") == "Sorry, could you say that again?"


def test_the_endpoint_plays_what_a_request_hands_it_and_else_the_task_that_it_was_started_with() -> None:
    async def ask(url: str, metadata: dict[str, str]) -> str:
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            messages: Any = chat()
            answer = await client.chat.completions.create(model="reader", messages=messages, metadata=metadata)
            with pytest.raises(openai.BadRequestError, match="ends with what it hears"):
                await client.chat.completions.create(model="reader", messages=messages[:1], metadata=metadata)
            return str(answer.choices[0].message.content)

    with start_endpoint(AgentServerOptions(role="caller", task="legal/L1-E1", ttft_ms=0)) as endpoint:
        assert asyncio.run(ask(endpoint.url, {"voicebench_caller": TASK})) == OPENING
        assert asyncio.run(ask(endpoint.url, {})) == load_pack("legal").cases["L1-E1"].caller.opening


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"role": "caller", "model": "reference"}, "no caller 'reference'; there is reader"),
        ({"role": "caller", "caller_fault": "rude"}, "no kind 'rude'; there are opening, closing, value"),
        ({"role": "caller", "task": "T9-H9"}, "'T9-H9'"),
        ({"caller_fault": "value"}, "--caller-fault is for a caller; add --as caller"),
        ({"task": "T2-H3"}, "--task is for a caller; add --as caller"),
    ],
)
def test_wrong_options_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        make_model(AgentServerOptions(**options))
