"""The local caller: all that it says comes out of the prompt, and without a part of it there is no call."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import openai
import pytest

from voicebench.caller.prompt import HEADINGS, caller_prompt
from voicebench.caller.script import forbids_of
from voicebench.errors import ConfigError
from voicebench.language.intents import Intents
from voicebench.packs import load_pack
from voicebench.packs.models import CallerScript
from voicebench.serve import AgentServerOptions, start_endpoint
from voicebench.serve.chat import BadRequest, ChatRequest
from voicebench.serve.models import make_model
from voicebench.serve.part import read_part
from voicebench.serve.reader import Reader

pytestmark = pytest.mark.unit

PACK = load_pack("customer_support")
PROMPT = caller_prompt(PACK.cases["T2-H3"].caller, PACK.spec)
GREETING = "Thank you for calling. How can I help you?"
NEEDED = [heading for heading in HEADINGS if heading not in ("How you talk", "Waiting and hanging up")]


def chat(*turns: str, prompt: str = PROMPT) -> list[dict[str, Any]]:
    """The messages of a chat: what was heard and said in turn, beginning with the greeting."""
    roles = ["user", "assistant"] * (len(turns) + 1)
    spoken = [{"role": role, "content": text} for role, text in zip(roles, (GREETING, *turns), strict=False)]
    return [{"role": "system", "content": prompt}, *spoken]


def says(*turns: str, prompt: str = PROMPT) -> str:
    """What the caller says after these turns, its own opening and the agent's in turn."""
    return Reader().reply(ChatRequest("", tuple(chat(*turns, prompt=prompt)))).say


def without(heading: str) -> str:
    return re.sub(rf"## {heading}\n.*?(?=\n## |\Z)", "", PROMPT, flags=re.DOTALL)


OPENING = says()
AGAIN = "Sorry, could you say that again?"
BYE = "Okay, thank you. [HANG UP]"


def test_it_plays_what_the_prompt_says() -> None:
    assert OPENING == "Hello, I want to send back the Corva Studio Headphones that I ordered last week."
    assert says(OPENING, "May I have your first and last name?") == "My name is Tomas Ferreira."
    ending = "A person on our team takes over this call now."
    assert says(OPENING, ending) == "Okay, thank you. [HANG UP]"


@pytest.mark.parametrize(
    ("written", "instead", "turns", "told"),
    [
        ("Hello, I want to send back", "Hi, I would like to return", (), "Hi, I would like to return"),
        (
            "1. My name is Tomas Ferreira",
            "1. Ines Example",
            (OPENING, "May I have your first and last name?"),
            "Ines Example.",
        ),
        ("Which seller is that,", "Who sells that,", (OPENING, "The seller owns the policy."), "Who sells that,"),
        ("Okay, thank you.", "So long.", (OPENING, "A person takes over."), "So long. [HANG UP]"),
        ("(person takes over).", "(parcel is lost).", (OPENING, "Your parcel is lost."), BYE),
        ("(return reason)", "(favorite color)", (OPENING, "What is your favorite color?"), "They press on my ears"),
        ("I am sorry, this is not", "Well, it is not", (OPENING, "Grass.", *[AGAIN, "Grass."] * 2), "Well, it is not"),
    ],
)
def test_another_prompt_is_another_caller(written: str, instead: str, turns: tuple[str, ...], told: str) -> None:
    assert written in PROMPT
    assert not says(*turns).startswith(told)
    assert says(*turns, prompt=PROMPT.replace(written, instead)).startswith(told)


@pytest.mark.parametrize("heading", NEEDED)
def test_without_a_section_there_is_no_caller(heading: str) -> None:
    assert f"## {heading}" in PROMPT
    with pytest.raises(BadRequest, match=re.escape(f"no section {heading!r}")):
        says(prompt=without(heading))


@pytest.mark.parametrize("name", ["customer_support", "healthcare", "legal"])
def test_it_finds_each_rule_of_each_task_in_the_prompt(name: str) -> None:
    pack = load_pack(name)
    for case in pack.cases.values():
        script, part = case.caller, read_part(caller_prompt(case.caller, pack.spec))
        heard_first = sorted(script.answers, key=lambda rule: rule.heard is None)
        for rule, line in zip(heard_first, part.lines, strict=True):
            assert (line.kind, line.trigger) == ("heard" if rule.heard else "asked", plain(rule.heard or rule.asked))
            assert (line.give, line.say) == (tuple(map(plain, rule.give)), rule.say or ""), case.id
            assert (line.times, line.break_in) == (rule.times, rule.interrupt_after_words), case.id
            assert line.after == tuple(sentences(script, mark) for mark in rule.needs), case.id
        ending = part.hangs_up
        assert (ending.trigger, len(ending.after)) == (plain(script.hangs_up.heard), len(script.hangs_up.needs))
        forbids = forbids_of(script, pack.spec, Intents(pack.spec.intents))
        assert part.forbidden == tuple(plain(forbid.said) for forbid in forbids)


def plain(name: str | None) -> str:
    return re.sub(r"(?<=[a-z])(?=\d)", " ", (name or "").replace("_", " "))


def sentences(script: CallerScript, mark: str) -> tuple[str, ...]:
    """By what one knows that a mark is set: the sentence of a rule that sets it, or any form of what it gives."""
    said = [
        text
        for rule in script.answers
        if rule.sets == mark
        for text in ([rule.say] if rule.say else [form for name in rule.give for form in script.facts[name].forms])
    ]
    return tuple(dict.fromkeys(said))


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


def test_the_endpoint_serves_it_and_needs_no_metadata() -> None:
    async def ask(url: str) -> str:
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            messages: Any = chat(OPENING, "What is the order number?")
            answer = await client.chat.completions.create(model="reader", messages=messages)
            with pytest.raises(openai.BadRequestError, match="finds no section"):
                await client.chat.completions.create(
                    model="reader", messages=[{"role": "system", "content": "Hi."}, {"role": "user", "content": "Hi."}]
                )
            return str(answer.choices[0].message.content)

    with start_endpoint(AgentServerOptions(role="caller", ttft_ms=0)) as endpoint:
        assert asyncio.run(ask(endpoint.url)) == "order number K E, four four seven, nine zero, zero two."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"role": "caller", "model": "reference"}, "no caller 'reference'; there is reader"),
        ({"role": "caller", "caller_fault": "rude"}, "no kind 'rude'; there are opening, closing, value"),
        ({"caller_fault": "value"}, "--caller-fault is for a caller; add --as caller"),
    ],
)
def test_wrong_options_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        make_model(AgentServerOptions(**options))
