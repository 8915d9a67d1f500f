"""What was said beside what was done: shown with the verdict of whole calls, and without a say in it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.causes.calls import Change, Injection, calls, healthy, hold, instead_of
from tests.causes.injections import MOVED
from tests.hard.calls import Held
from voicebench.agent.conversation import Conversation
from voicebench.packs.models import AnswerRule, Case
from voicebench.serve.chat import Action, ChatRequest

HERE = Path()
GATES = {"tools": True, "handoffs": True, "database": True}


def gates(held: Held) -> dict[str, bool]:
    return {name: gate["passed"] for name, gate in held.call["gates"].items()}


def beside(held: Held) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = held.call["claim_checks"]
    return found


def says_first(text: str, *, before: str) -> Change:
    """An agent that says something of its own, once, before it calls a tool."""

    def change(request: ChatRequest, action: Action) -> Action:
        said = any(text in str(message.get("content")) for message in request.messages)
        return Action(text) if calls(action, before) and not said else action

    return change


def adds(text: str, *, to: str) -> Change:
    """An agent that puts a sentence before one of its own."""
    return lambda _, action: Action(f"{text} {action.say}", action.calls) if to in action.say else action


OPEN = "I see that your return is now open. Is it that one?"

# ---- claims -------------------------------------------------------------------------------------------------------


@pytest.mark.unit
def test_a_confirmation_without_its_write_is_shown_with_the_words() -> None:
    held = hold(Injection(model=instead_of("change_delivery_date", Action(MOVED))), HERE)
    [claim] = beside(held)
    assert claim["kind"] == "claim_without_write"
    assert MOVED in claim["sentence"]
    assert "change_delivery_date" in claim["tools"]
    [speech] = [line for line in held.lines("agent.speech") if line["attributes"]["spoken"] == MOVED]
    assert claim["evidence"] == [speech["span_id"]]


@pytest.mark.unit
def test_a_claim_does_not_gate() -> None:
    held = hold(Injection(model=adds("Your old appointment is now cancelled.", to="first and last name")), HERE)
    assert [one["kind"] for one in beside(held)] == ["claim_without_write"]
    assert (held.call["verdict"], gates(held), held.call["reward"]) == ("passed", GATES, 1.0)


@pytest.mark.unit
@pytest.mark.parametrize("task", ["T1-E1", "T2-E1", "T2-H3", "T3-H4"])
def test_an_agent_that_does_what_it_says_is_left_alone(task: str) -> None:
    assert beside(healthy(Injection(task))) == []


@pytest.mark.unit
def test_what_the_agent_has_read_to_be_so_is_no_claim() -> None:
    told = hold(Injection("T1-E1", model=says_first(OPEN, before="identify_customer")), HERE)
    assert [one["kind"] for one in beside(told)] == ["claim_without_write"]
    assert beside(hold(Injection("T2-E2", model=says_first(OPEN, before="cancel_return")), HERE)) == []


# ---- read-backs ---------------------------------------------------------------------------------------------------


@pytest.mark.unit
def test_a_number_read_back_wrong_is_shown_with_both_values() -> None:
    held = hold(Injection(model=says_first("I have KE-4502317, is that right?", before="identify_customer")), HERE)
    [back] = beside(held)
    assert (back["kind"], back["fact"], back["said"], back["meant"]) == (
        "read_back_wrong",
        "order_number",
        "KE4502317",
        "KE-4502316",
    )
    assert held.call["verdict"] == "passed"


@pytest.mark.unit
def test_a_name_read_back_wrong_is_shown() -> None:
    held = hold(Injection(model=says_first("Am I speaking with Martha Gomez?", before="identify_customer")), HERE)
    assert [(one["kind"], one["fact"], one["said"]) for one in beside(held)] == [
        ("read_back_wrong", "full_name", "Martha Gomez")
    ]


@pytest.mark.unit
@pytest.mark.parametrize("text", ["I have KE-4502316, is that right?", "Am I speaking with Dana Whitfield?"])
def test_what_is_read_back_right_is_not(text: str) -> None:
    held = hold(Injection(model=says_first(text, before="identify_customer")), HERE)
    assert (beside(held), held.call["verdict"]) == ([], "passed")


# ---- words that nobody heard --------------------------------------------------------------------------------------

LONG = (
    "May I have your first and last name, so that I can find the order, and then I need the number of the order, "
    "which is printed at the top of the letter that came with the receipt?"
)


def _breaks_in(case: Case) -> Case:
    rule = AnswerRule(asked="full_name", say="Wait, one more thing.", interrupt_after_words=8, times=1)
    answers = [rule, *case.caller.answers]
    return case.model_copy(update={"caller": case.caller.model_copy(update={"answers": answers})})


def _long_question(_: ChatRequest, action: Action) -> Action:
    return Action(LONG) if "first and last name" in action.say else action


def cut_off(*, remembers_all: bool, text: bool = True) -> Held:
    """A call in which the agent is cut off; one that remembers all has words in its context that nobody heard."""
    injection = Injection(text=text, model=_long_question, case=_breaks_in)
    with mock.patch.object(Conversation, "_cut") if remembers_all else contextlib.nullcontext():
        return hold(injection, HERE)


@pytest.mark.unit
def test_words_that_the_model_remembers_and_the_caller_never_heard() -> None:
    held = cut_off(remembers_all=True)
    [unheard] = beside(held)
    assert unheard["kind"] == "unheard_in_context"
    assert "so that I can find the order" in unheard["sentence"]
    [llm] = [line for line in held.lines("llm") if line["span_id"] in unheard["evidence"]]
    assert llm["start_ns"] / 1e9 >= unheard["at_s"]


@pytest.mark.unit
def test_an_agent_that_forgets_what_was_cut_off_is_left_alone() -> None:
    held = cut_off(remembers_all=False)
    assert [span["interrupted"] for span in held.attributes("agent.speech")].count(True) == 1
    assert beside(held) == []


@pytest.mark.audio
@pytest.mark.long
@pytest.mark.parametrize(("remembers_all", "kinds"), [(True, ["unheard_in_context"]), (False, [])])
def test_over_the_telephone_the_words_are_counted_by_what_was_played(remembers_all: bool, kinds: list[str]) -> None:
    held = cut_off(remembers_all=remembers_all, text=False)
    assert True in [span["interrupted"] for span in held.attributes("agent.speech")]
    assert [one["kind"] for one in beside(held)] == kinds
