"""More of what is put into calls over text: two faults in a row, agents that go round in circles, callers that fail."""

from __future__ import annotations

from typing import Any

from tests.causes.calls import Change, Injection, calls
from tests.causes.injections import Expected, called
from voicebench.caller import CallerDecision, ScriptedCaller, Utterance
from voicebench.serve.chat import Action, ChatRequest, ToolUse

__all__ = ["MORE"]

_END = Action("Goodbye.", (ToolUse("end_call", {"reason": "done"}),))


def _first(tool: str, other: str, **arguments: Any) -> Change:
    """An agent that calls something else before a tool."""

    def change(request: ChatRequest, action: Action) -> Action:
        other_first = calls(action, tool) and other not in called(request)
        return Action(calls=(ToolUse(other, arguments),)) if other_first else action

    return change


def _says_always(text: str) -> Change:
    return lambda _, action: Action(text)


def _asks_eight_times(request: ChatRequest, action: Action) -> Action:
    asked = [message["role"] for message in request.messages].count("user")
    return _END if asked > 8 else Action("May I have your first and last name?")


class _GivesUpAtOnce(ScriptedCaller):
    """Gives up when it is asked the first time."""

    def hear(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        last = self._script.give_up
        return CallerDecision("hang_up", Utterance(last, last, "give_up"), "give_up")


class _SaysNothing(ScriptedCaller):
    """Says nothing after its opening."""

    def hear(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        return CallerDecision("wait")


MORE = {
    "a wrong desk, and then a server that is broken": Expected(
        Injection(model=_first("identify_customer", "transfer_to_fraud"), fault=("500", 4)),
        "model",
        "took transfer_to_fraud",
    ),
    "a wrong desk, and then a server that is down": Expected(
        Injection(model=_first("identify_customer", "transfer_to_fraud"), fault=("503", 4)),
        "model",
        "took transfer_to_fraud",
    ),
    "asks eight times for what it was told, and hangs up": Expected(
        Injection(model=_asks_eight_times), "model", "ended the call"
    ),
    "falls silent at once": Expected(Injection(model=lambda _, action: Action()), "model", "had nothing to say"),
    "says only that it is at work": Expected(
        Injection(model=_says_always("One moment, please.")), "model", "The agent"
    ),
    "says goodbye at once": Expected(Injection(model=lambda _, action: _END), "model", "ended the call"),
    "the caller gives up at once": Expected(Injection(caller=_GivesUpAtOnce), "caller", "hung_up_early"),
    "the caller says nothing": Expected(Injection(caller=_SaysNothing), "caller", "broke its script: unanswered"),
    "falls silent at once, at the clinic": Expected(
        Injection("H1-E1", pack="healthcare", model=lambda _, action: Action()), "model", "had nothing to say"
    ),
    "asks eight times, at the law firm": Expected(
        Injection("L5-E2", pack="legal", model=_asks_eight_times), "model", "ended the call"
    ),
    "the caller gives up at once, at the clinic": Expected(
        Injection("H1-E1", pack="healthcare", caller=_GivesUpAtOnce), "caller", "hung_up_early"
    ),
    "the caller says nothing, at the law firm": Expected(
        Injection("L5-E2", pack="legal", caller=_SaysNothing), "caller", "broke its script: unanswered"
    ),
}
