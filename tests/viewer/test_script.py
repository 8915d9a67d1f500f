"""The locked script as text: nothing of what the caller may say is left out."""

from __future__ import annotations

import pytest

from voicebench.packs import load_pack
from voicebench.viewer.script import script_text

pytestmark = pytest.mark.unit

PACK = load_pack("customer_support")
CASES = PACK.cases


@pytest.mark.parametrize("task", sorted(CASES))
def test_every_sentence_and_fact_of_the_caller_is_in_it(task: str) -> None:
    caller = CASES[task].caller
    text = script_text(caller, PACK.spec)
    sentences = [caller.opening, caller.closing, caller.give_up, caller.brief.strip()]
    sentences += [rule.say for rule in caller.answers if rule.say]
    sentences += [fact.value for fact in caller.facts.values()]
    assert [sentence for sentence in sentences if sentence not in text] == []


def test_conditions_and_limits_are_said() -> None:
    lines = script_text(CASES["T3-H4"].caller, PACK.spec).splitlines()
    assert "- hears booked day and time: “I cannot make that one, so please cancel it.” (at most 1 time)" in lines
    assert "- hears asks to cancel, once booked: “Yes, please cancel that appointment.”" in lines
    assert "- asked for identity: gives full name, order number" in lines
    assert "- ask cancel before booked, except in the opening" in lines
    assert "- accept callback" in lines
    assert "when it hears: cancel confirmed, once booked" in lines
