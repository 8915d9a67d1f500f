"""The policy of a caller that a model plays: what it sends, and what it makes of what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal

import pytest

from tests.caller.played import Direct, Lines
from voicebench.caller import CallerDecision, LlmCaller, SpokenFact
from voicebench.caller.caller_task import caller_task
from voicebench.packs import Pack, load_pack
from voicebench.packs.models import AnswerRule

pytestmark = pytest.mark.unit

GREETING = "Kestrel Electronics, hello."
OPENING = "Hello, I want to send back the Corva Studio Headphones that I ordered last week."

Make = Callable[..., tuple[LlmCaller, Direct]]


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("customer_support")


@pytest.fixture
def caller(pack: Pack) -> Make:
    def make(*replies: str, extra: Sequence[AnswerRule] = ()) -> tuple[LlmCaller, Direct]:
        model = Direct(Lines(replies))
        script = pack.cases["T2-H3"].caller
        script = script.model_copy(update={"answers": [*script.answers, *extra]})
        return LlmCaller(script, pack.spec, model), model

    return make


def turns(policy: LlmCaller, *texts: str) -> list[CallerDecision]:
    """Begin, and hear these turns."""

    async def hear() -> list[CallerDecision]:
        return [await policy.begin(GREETING), *[await policy.answer(text) for text in texts]]

    return asyncio.run(hear())


def chat(model: Direct) -> list[tuple[str, str]]:
    """The last chat that was sent, without the prompt."""
    return [(message["role"], message["content"]) for message in model.chats[-1][1:]]


def said(decision: CallerDecision) -> tuple[str, str, str]:
    assert decision.utterance is not None
    return decision.action, decision.utterance.rule, decision.utterance.spoken


def test_it_hears_as_the_user_and_speaks_as_the_assistant(caller: Make) -> None:
    policy, model = caller(OPENING, "Tomas Ferreira.", "Okay, thank you. [HANG UP]")
    decisions = turns(policy, "Your name?", "A person takes over.")
    assert [said(decision) for decision in decisions] == [
        ("speak", "opening", OPENING),
        ("speak", "model", "Tomas Ferreira."),
        ("hang_up", "closing", "Okay, thank you."),
    ]
    assert model.chats[0][0]["role"] == "system"
    assert chat(model) == [
        ("user", GREETING),
        ("assistant", OPENING),
        ("user", "Your name?"),
        ("assistant", "Tomas Ferreira."),
        ("user", "A person takes over."),
    ]


def test_what_it_answers_and_which_facts_it_gave_are_noted(caller: Make) -> None:
    policy, _ = caller(
        OPENING, "My name is Tomas Ferreira, KE-4479002.", "Order number K E, four four seven, nine zero, zero two."
    )
    _, first, second = turns(policy, "Order number?", "Again, please?")
    assert first.utterance is not None
    assert second.utterance is not None
    assert first.utterance.answers == "Order number?"
    assert set(first.utterance.facts) == {SpokenFact("full_name", 0), SpokenFact("order_number", None)}
    assert second.utterance.facts == (SpokenFact("order_number", 0),)


def test_a_value_as_it_is_written_gets_a_spoken_form(caller: Make) -> None:
    policy, _ = caller(OPENING, "It's KE-4479002, and XKE-4479002 is another.")
    _, decision = turns(policy, "Order number?")
    assert decision.utterance is not None
    assert decision.utterance.intended == "It's KE-4479002, and XKE-4479002 is another."
    assert decision.utterance.spoken == (
        "It's order number K E, four four seven, nine zero, zero two, and XKE-4479002 is another."
    )


def test_turns_for_which_it_waits_become_one(caller: Make) -> None:
    policy, model = caller(OPENING, "[WAIT]", "[WAIT]", "Tomas Ferreira.")
    _, first, second, third = turns(policy, "One moment.", "One moment. Still here.", "Your name?")
    assert (first, second) == (CallerDecision("wait"), CallerDecision("wait"))
    assert third.utterance is not None
    assert third.utterance.answers == "One moment. Still here. Your name?"
    assert chat(model)[2:] == [("user", "One moment. Still here. Your name?")]


def test_a_turn_that_is_taken_back_leaves_nothing(caller: Make) -> None:
    policy, model = caller(OPENING, "What?", "Tomas Ferreira.")

    async def hear() -> None:
        await policy.begin(GREETING)
        await policy.answer("Your")
        policy.retract()
        await policy.answer("Your name?")

    asyncio.run(hear())
    assert chat(model) == [("user", GREETING), ("assistant", OPENING), ("user", "Your name?")]


def test_a_greeting_that_goes_on_is_answered_anew(caller: Make) -> None:
    policy, model = caller(OPENING, OPENING)

    async def hear() -> None:
        await policy.begin("Kestrel")
        await policy.begin(GREETING)

    asyncio.run(hear())
    assert chat(model) == [("user", GREETING)]


def test_what_cannot_be_made_out_is_told_as_that(caller: Make) -> None:
    policy, model = caller(OPENING, "Sorry, could you say that again?")
    turns(policy, "")
    assert chat(model)[-1] == ("user", "[UNCLEAR]")


def test_it_may_break_in_where_its_part_says_so(caller: Make) -> None:
    rule = AnswerRule(heard="refund_promised", say="No promises, please.", interrupt_after_words=6)
    policy, model = caller(OPENING, "[WAIT]", "No promises, please.", extra=[rule])

    async def hear() -> list[CallerDecision]:
        await policy.begin(GREETING)
        return [
            await policy.answer(text, after_words=6)
            for text in ("I will see what we can", "I can promise you a refund")
        ]

    waited, broke_in = asyncio.run(hear())
    assert policy.interrupt_points() == (6,)
    assert waited == CallerDecision("wait")
    assert broke_in.utterance is not None
    assert (broke_in.utterance.interrupts, broke_in.utterance.answers) == (True, "I can promise you a refund")
    assert chat(model)[2:] == [("user", "[STILL SPEAKING] I can promise you a refund")]
    assert ", break in after 6 words" in model.chats[0][0]["content"]


@pytest.mark.parametrize(
    ("reply", "reason", "spoken"),
    [
        ("[HANG UP]", "closing", ""),
        ("Bye. [HANG UP]", "closing", "Bye."),
        (
            "I am sorry, this is not working on the phone. I will write to you instead. [HANG UP]",
            "give_up",
            "I am sorry, this is not working on the phone. I will write to you instead.",
        ),
    ],
)
def test_how_it_hangs_up(caller: Make, reply: str, reason: str, spoken: str) -> None:
    policy, _ = caller(OPENING, reply)
    _, decision = turns(policy, "Hm.")
    assert (decision.reason, said(decision)) == (reason, ("hang_up", reason, spoken))


def test_hello_is_not_for_the_model(caller: Make) -> None:
    policy, model = caller(OPENING)
    turns(policy)
    assert policy.still_there().rule == "hello"
    asked: list[Any] = model.chats
    assert len(asked) == 1


@pytest.mark.parametrize("by", ["meaning", "rules"])
def test_the_local_caller_is_told_how_it_understands(by: Literal["meaning", "rules"]) -> None:
    pack = load_pack("customer_support")
    task = caller_task(pack.cases["T2-H3"].caller, pack.spec, by)
    assert task.understanding == by
    assert task.intents.unless.keys() <= pack.spec.intents.unless.keys()
