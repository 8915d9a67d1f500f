"""Ends of a call that fail it though every gate passes: the caller had not been told what it waits for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.causes.calls import Change, Injection, hold
from tests.causes.injections import UnderstandsNothing
from tests.hard.calls import SHOP, Held, shipped
from voicebench.caller import CallerDecision, ScriptedCaller
from voicebench.caller.shadow import was_told
from voicebench.record.spans import AgentSpeechSpan
from voicebench.serve.chat import Action, ChatRequest, ToolUse, history
from voicebench.viewer.why import why

pytestmark = pytest.mark.unit

END = ToolUse("end_call", {"reason": "done"})
MOVED = "The delivery of your order is now moved to Thursday, August sixth."


def after_the_change(*actions: Action) -> Change:
    """An agent that does all that it must, and from then on only these things; the last again and again."""
    left = list(actions)

    def change(request: ChatRequest, action: Action) -> Action:
        done = any(getattr(event, "name", "") == "change_delivery_date" for event in history(request.messages))
        if not done:
            return action
        return left.pop(0) if len(left) > 1 else left[0]

    return change


def ending_with(*actions: Action) -> Held:
    return hold(Injection(model=after_the_change(*actions)), Path())


def gates(held: Held) -> set[bool]:
    return {gate["passed"] for gate in held.call["gates"].values()}


@pytest.mark.parametrize(
    ("actions", "reason", "cause"),
    [
        ([Action("Mountains are lovely in spring.")], "caller_gave_up", "“Mountains are lovely in spring.”"),
        ([Action("The order comes some other day.")], "caller_gave_up", "“The order comes some other day.”"),
        ([Action(calls=(END,))], "agent_ended", "ended the call, and had not told the caller what it waits for"),
        ([Action("Good. Goodbye.", (END,))], "agent_ended", "had not told the caller"),
    ],
)
def test_who_leaves_the_caller_without_an_answer_has_failed(actions: list[Action], reason: str, cause: str) -> None:
    held = ending_with(*actions)
    assert (*held.outcome, held.call["reason"], gates(held)) == ("failed", reason, reason, {True})
    assert held.call["reward"] == 0.0
    assert held.call["attribution"]["cause"] == "model"
    assert cause in held.call["attribution"]["sentence"]
    assert why(held.artifacts.call).startswith("A call fails whatever the gates say when the ")


class DeafToItsName(UnderstandsNothing):
    """Understands everything but a question for its name at the end, and gives up at the third."""

    def hear(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        is_last = text.startswith("One last thing")
        return super().hear(text) if is_last else ScriptedCaller.hear(self, text, after_words=after_words)


def test_a_caller_that_gives_up_since_it_did_not_understand_is_void_as_before() -> None:
    asks = Action("One last thing: may I have your first and last name?")
    held = hold(Injection(model=after_the_change(asks), caller=DeafToItsName), Path())
    assert (held.outcome, held.call["void_kind"], gates(held)) == (("void", "caller_gave_up"), "comprehension", {True})


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ([(1, MOVED)], True),
        ([(1, "Your delivery is now moved"), (1, "to Thursday, August sixth. Goodbye.")], True),
        ([(1, "I move the delivery"), (2, "Shall I tell you the day?")], False),
        ([(1, "")], False),
    ],
)
def test_a_caller_who_is_cut_off_in_its_closing_had_been_told(said: list[tuple[int, str]], told: bool) -> None:
    script, spec = shipped(SHOP).cases["T1-E1"].caller, shipped(SHOP).spec
    trace = [
        AgentSpeechSpan(start_ns=0, end_ns=0, turn=turn, agent="a", intended=text, spoken=text, interrupted=False)
        for turn, text in said
    ]
    assert was_told(script, spec, trace) is told
