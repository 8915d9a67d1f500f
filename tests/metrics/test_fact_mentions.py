"""Each mention of a fact: which form, what was heard, whether that is right, and what the agent made of it."""

from __future__ import annotations

from functools import lru_cache

import pytest

from tests.metrics.spans import agent, asr, caller, heard, tool
from voicebench.metrics import find_fact_mentions, transcript
from voicebench.packs import Pack, load_pack
from voicebench.record.trace import TraceRecord
from voicebench.record.transcript import FactMention

pytestmark = pytest.mark.unit

FORMS = (
    "order number K E, four four seven, nine zero, zero two",
    "Kilo, Echo, forty-four, seventy-nine, zero zero two",
)


@lru_cache
def shop() -> Pack:
    return load_pack("customer_support")


def gives(turn: int, start_s: float, spoken: str, *, end_s: float | None = None, **forms: int) -> TraceRecord:
    until_s = start_s + 2 if end_s is None else end_s
    return caller(turn, start_s, until_s, spoken, facts=list(forms), form=list(forms.values()), rule="asked:x")


def found(*trace: TraceRecord) -> list[FactMention]:
    return find_fact_mentions(transcript(trace), trace, shop().cases["T2-H3"], shop().spec)


def test_a_fact_heard_wrong_and_said_again_is_two_mentions_each_with_its_use() -> None:
    first, second = found(
        gives(1, 1.0, FORMS[0], order_number=0),
        asr(3.3, 3.6, "Order number KE 4479052."),
        tool(4.0, "identify_customer", order_number="KE4479052"),
        gives(2, 6.0, FORMS[1], order_number=1),
        asr(8.3, 8.6, "Kilo Echo 44 79 002"),
        tool(9.0, "identify_customer", order_number="KE-4479002"),
    )
    assert (first.fact, first.form, first.said) == ("order_number", 0, FORMS[0])
    assert (first.understood, first.right, first.used) == ("KE4479052", False, "KE4479052")
    assert (second.form, second.understood, second.right) == (1, "KE4479002", True)
    assert second.used == "KE-4479002"
    assert second.heard_span_ids == ("asr@8.3",)


def test_of_two_facts_said_together_each_is_judged() -> None:
    both = found(
        gives(1, 1.0, "nine four one, ten, two, two, zero, eight.", postal_code=0, card_last4=0),
        asr(3.3, 3.6, "94110 2209"),
    )
    assert [(one.fact, one.understood, one.right) for one in both] == [
        ("postal_code", "94110", True),
        ("card_last4", "2209", False),
    ]


def test_a_fact_in_other_words_than_the_script_s_is_found_in_what_was_spoken() -> None:
    [one] = found(gives(1, 1.0, "It is about K E 447 9002, you know."), asr(3.3, 3.6, "It is about KE 4479, you know."))
    assert (one.fact, one.form, one.speaker, one.right) == ("order_number", None, "caller", False)


def test_what_the_agent_reads_back_is_heard_on_the_other_leg() -> None:
    [one] = found(
        agent(1, 1.0, 3.0, "Is your order number K E 4 4 7 9 0 0 2?"), heard(1.1, 3.1, "Order number KE 4479002?")
    )
    assert (one.fact, one.leg, one.right, one.used) == ("order_number", "agent_to_caller", True, None)


def test_where_no_recognizer_listened_nothing_is_right_or_wrong() -> None:
    [one] = found(gives(1, 1.0, FORMS[0], order_number=0))
    assert (one.heard, one.understood, one.right, one.rule) == (None, None, None, None)
