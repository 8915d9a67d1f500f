from __future__ import annotations

import json
from typing import Any

import pytest

from voicebench.errors import ConfigError
from voicebench.packs import Case, PackSnapshot, list_packs, load_pack
from voicebench.packs.reference_task import ReferenceTask, reference_task

pytestmark = pytest.mark.unit

CASE: dict[str, Any] = {
    "id": "T2-H3",
    "title": "Headphone return",
    "category": "returns",
    "difficulty": "hard",
    "measures": "m",
    "why": "w",
    "succeeds_when": "s",
    "caller": {
        "facts": {
            "order_number": {"value": "KE-4479002", "forms": ["K E, four four seven, nine zero zero two", "b", "c"]},
            "card_last4": {"value": "2208", "forms": ["two two, zero eight", "b", "c"]},
            "phone": {"value": "541-555-0146", "forms": ["five four one, five five five, zero one four six", "b", "c"]},
        },
        "opening": "I want to return the headphones that I ordered last week.",
        "brief": "You are Tomas.",
        "answers": [{"asked": "order_number", "give": ["order_number"]}],
        "closing": "Okay, thank you.",
        "hangs_up": {"heard": "person_takes_over"},
        "give_up": "I will call again.",
    },
    "solution": [
        {"ask": ["order_number"]},
        {
            "call": "identify",
            "with": {"order_number": "$fact.order_number", "quiet": True},
            "alternatives": [{"with": {"phone": "$fact.phone"}}],
        },
        {"say": "That order is with the seller."},
    ],
    "expect": {"handoffs": []},
}


def pack() -> PackSnapshot:
    question = {"type": "id", "question": "What is it?"}
    return PackSnapshot.model_validate(
        {
            "spec": {
                "name": "shop",
                "industry": "retail",
                "company": {"name": "Kestrel"},
                "today": "2026-08-01",
                "greeting": "Hello.",
                "agents": [{"name": "reception", "prompt": "reception.md", "tools": ["identify"]}],
                "state": {},
                "facts": {
                    "order_number": {"type": "id", "question": "What is the order number?", "format": r"KE\d{7}"},
                    "phone": {"type": "phone", "question": "What is the phone number?"},
                    "card_last4": question,
                },
                "intents": {},
            },
            "cases": {},
            "prompts": {},
            "tools": {
                name: {
                    "name": name,
                    "description": "d",
                    "parameters": {},
                    "writes": False,
                    "ends_call": False,
                    "arg_types": {"order_number": "id"},
                }
                for name in ("identify", "cancel")
            },
            "schema_sql": "",
            "seed_sql": "",
            "hash": "0",
        }
    )


def case(*steps: dict[str, Any]) -> Case:
    return Case.model_validate({**CASE, "solution": [*steps] or CASE["solution"]})


def test_the_view_holds_steps_questions_and_types_but_no_value() -> None:
    text = reference_task(case(), pack(), seed=7)
    assert json.loads(text) == {
        "steps": CASE["solution"],
        "facts": {
            "order_number": {
                "type": "id",
                "question": "What is the order number?",
                "format": r"KE\d{7}",
            },
            "phone": {"type": "phone", "question": "What is the phone number?"},
        },
        "today": "2026-08-01",
        "seed": 7,
        "tools": {"identify": {"order_number": "id"}},
    }
    for fact in case().caller.facts.values():
        assert fact.value not in text
        assert fact.forms[0] not in text
    assert ReferenceTask.model_validate_json(text).steps == case().solution


@pytest.mark.parametrize(
    "value", ["KE-4479002", "ke 4479002", {"one_of": [None, "KE4479002"]}, ["KE-4479002"]], ids=str
)
def test_a_constant_that_is_a_value_is_refused(value: Any) -> None:
    with pytest.raises(ConfigError, match=r"T2-H3, step 1: .* write \$fact\.order_number"):
        reference_task(case({"call": "identify", "with": {"order_number": value}}), pack(), seed=0)


@pytest.mark.parametrize(
    "words",
    [
        "I have the card ending in 2208.",
        "The card ends in two two oh eight.",
        "Your number is five four one, 555 0146?",
    ],
)
def test_words_that_speak_a_value_are_refused(words: str) -> None:
    with pytest.raises(ConfigError, match=r"T2-H3, step 1: 'say' speaks the value of the fact"):
        reference_task(case({"say": words}), pack(), seed=0)


def test_digits_of_another_number_are_no_value() -> None:
    assert json.loads(reference_task(case({"say": "Plan 92208 costs 22.80 dollars."}), pack(), seed=0))["facts"] == {}


def test_an_unknown_fact_is_named() -> None:
    with pytest.raises(ConfigError, match=r"'birthday', which is not among the caller's facts"):
        reference_task(case({"ask": "birthday"}), pack(), seed=0)


def test_no_shipped_task_tells_the_reference_a_value() -> None:
    seen = 0
    for shipped in map(load_pack, list_packs()):
        for task in shipped.cases.values():
            text = reference_task(task, shipped.snapshot(), seed=0)
            assert [name for name, fact in task.caller.facts.items() if f'"{fact.value}"' in text] == []
            seen += 1
    assert seen > 0
