"""Callers that break each rule on demand, in whole calls, and ones that break none."""

from __future__ import annotations

import pytest

from tests.caller.caller_trace import CallerTrace, breaches_in_answer
from tests.caller.played import Lines, play
from tests.metrics.spans import agent, caller
from voicebench.caller import breaches
from voicebench.language.intents import Intents
from voicebench.packs import Pack, load_pack
from voicebench.serve.caller import CALLER_FAULTS, Reader

pytestmark = pytest.mark.unit

TASKS = ("T2-H3", "T3-H4")
BROKEN = {"silent": "unanswered", "gave_up": "hung_up_early"}
"""What kinds of faults break, where that is not their own name."""


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("customer_support")


@pytest.mark.parametrize("task", TASKS)
def test_the_local_caller_keeps_to_its_part(pack: Pack, task: str) -> None:
    played = play(pack, task, Reader())
    assert (played.end_reason, played.breaches) == ("caller_hung_up", [])
    assert played.said[0] == pack.cases[task].caller.opening
    assert played.said[-1] == pack.cases[task].caller.closing


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("kind", CALLER_FAULTS)
def test_each_rule_finds_the_caller_that_breaks_it(pack: Pack, task: str, kind: str) -> None:
    played = play(pack, task, Reader(fault=kind))
    assert played.rules[0] == BROKEN.get(kind, kind)
    spans = {line.span_id for line in played.trace}
    assert {breach.span_id for breach in played.breaches} <= spans


@pytest.mark.parametrize("agent", ["silent", "refuse", "transfer_all", "call_all", "random"])
def test_no_agent_however_bad_makes_a_fair_caller_break_its_script(pack: Pack, agent: str) -> None:
    for task in TASKS:
        assert play(pack, task, Reader(), agent).breaches == []


@pytest.mark.parametrize(("answers", "early"), [(2, True), (3, False)])
def test_who_hangs_up_after_the_agent_has_ended_the_call_is_not_early(pack: Pack, answers: int, early: bool) -> None:
    """The reference asks three times for an order number that it does not get, and ends the call."""
    script = pack.cases["T3-H4"].caller
    played = play(pack, "T3-H4", Lines([script.opening, *["I am Grace."] * answers, f"{script.closing} [HANG UP]"]))
    assert played.end_reason == "caller_hung_up"
    assert ("hung_up_early" in played.rules) == early


# ---- where a rule begins --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heard", "turns", "early"),
    [("Do purple monkeys sing?", 2, True), ("Do purple monkeys sing?", 3, False), ("Please hold the line.", 5, True)],
)
def test_a_caller_may_give_up_at_the_third_misunderstanding_and_not_before(
    pack: Pack, heard: str, turns: int, early: bool
) -> None:
    """What it said does not count, and being asked to hold is no misunderstanding."""
    script = pack.cases["T2-H3"].caller
    trace = CallerTrace(pack.spec.greeting, script.opening)
    for _ in range(turns - 1):
        trace.turn(heard, "I am Tomas.")
    trace.turn(heard, script.give_up, "give_up")
    rules = [one.rule for one in breaches(script, pack.spec, trace.records(), end_reason="caller_gave_up")]
    assert ("hung_up_early" in rules) == early


@pytest.mark.parametrize(
    ("heard", "rules"), [("Purple monkeys sing.", []), ("What is the order number?", ["unanswered"])]
)
def test_who_did_not_understand_may_wait_and_who_was_asked_may_not(pack: Pack, heard: str, rules: list[str]) -> None:
    """To the first the scripted caller too would only have said that it did not understand."""
    script = pack.cases["T2-H3"].caller
    trace = CallerTrace(pack.spec.greeting, script.opening)
    trace.turn(heard, None)
    trace.hello()
    found = breaches(script, pack.spec, trace.records(), end_reason="limit_call_s")
    assert [one.rule for one in found] == rules


@pytest.mark.parametrize(("turns", "rules"), [((1, 1), []), ((1, 2), ["hung_up_early"])])
def test_what_the_agent_says_in_pieces_of_one_turn_counts_as_one(
    pack: Pack, turns: tuple[int, int], rules: list[str]
) -> None:
    script, intents = pack.cases["T1-E1"].caller, Intents(pack.spec.intents)
    pieces = ("The delivery of your order is now moved", "to Thursday, August sixth.")
    assert not any(intents.match("heard", script.hangs_up.heard, piece) for piece in pieces)
    trace = [
        agent(0, 0.0, 2.0, pack.spec.greeting),
        caller(1, 3.0, 5.0, script.opening, rule="opening"),
        agent(turns[0], 6.0, 7.0, pieces[0]),
        agent(turns[1], 8.0, 9.0, pieces[1]),
        caller(2, 10.0, 12.0, script.closing, rule="closing", answers="Delivered."),
    ]
    assert [one.rule for one in breaches(script, pack.spec, trace, end_reason="caller_hung_up")] == rules


@pytest.mark.parametrize(("said", "rules"), [("K, maybe.", ["unanswered"]), ("K E, maybe.", [])])
def test_one_letter_does_not_give_a_fact_and_two_begin_it(pack: Pack, said: str, rules: list[str]) -> None:
    found = breaches_in_answer(pack, "T2-H3", "What is the order number?", said)
    assert [one.rule for one in found] == rules


@pytest.mark.parametrize(
    ("pack", "task", "heard", "said"),
    [
        ("healthcare", "H1-E2", "Canceling it now is free. Should I do that?", "Yes, please cancel it."),
        ("legal", "L3-E1", "The first one is Wednesday. Should I hold it for you?", "Yes, please hold it for me."),
        (
            "legal",
            "L4-E2",
            "It is the hearing on Monday, September twenty-eighth. Will you be there?",
            "Okay, I'll be there. Please put that down.",
        ),
        ("legal", "L2-M1", "What day did it happen?", "they told me on December eleventh, twenty twenty-five."),
    ],
)
def test_lines_of_the_script_break_nothing_where_they_are_due(pack: str, task: str, heard: str, said: str) -> None:
    assert breaches_in_answer(load_pack(pack), task, heard, said) == []
