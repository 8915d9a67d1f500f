"""Callers that break each rule on demand, in whole calls, and ones that break none."""

from __future__ import annotations

import pytest

from tests.caller.played import Lines, play
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
