"""Rarer things put into calls over text: what is left out, invented, mixed up or done twice, and odd callers."""

from __future__ import annotations

from dataclasses import replace

from tests.causes.calls import Change, Injection, calls, instead_of, with_argument
from tests.causes.injections import MOVED, Expected, called, expecting
from voicebench.caller import CallerDecision, ScriptedCaller
from voicebench.serve.chat import Action, BadRequest, ChatRequest, ToolUse

__all__ = ["NEVER_LOOKS", "RARER", "speechless_after"]

_REFUSAL = ToolUse("file_refusal", {"reason_code": "price_not_matched", "explained": True})
_WHICH_DAY = "Which day would suit you?"
_MOVE = ToolUse("change_delivery_date", {"order_number": "KE-4502316", "date": "2026-08-06"})
_END = ToolUse("end_call", {"reason": "done"})


def _never_looks(request: ChatRequest, action: Action) -> Action:
    """An agent that does all that is wanted, without the look at the calendar that has to come before."""
    if not calls(action, "get_delivery_days"):
        return action
    asked = any(message.get("content") == _WHICH_DAY for message in request.messages)
    if not asked:
        return Action(_WHICH_DAY)
    return Action(MOVED) if "change_delivery_date" in called(request) else Action(calls=(_MOVE,))


def _refuses_twice(request: ChatRequest, action: Action) -> Action:
    once = called(request).count("file_refusal") == 1 and action.say and not action.calls
    return Action(calls=(_REFUSAL,)) if once else action


def speechless_after(turns: int) -> Change:
    """An agent that has nothing more to say once the caller has spoken so often."""
    return lambda request, action: Action() if [m["role"] for m in request.messages].count("user") > turns else action


def _in_vain(use: ToolUse, *, when: str) -> Change:
    """An agent that does something else instead of asking for something, is refused, and ends the call."""

    def change(request: ChatRequest, action: Action) -> Action:
        if use.name in called(request):
            return Action("I am sorry, that did not work. Goodbye.", (_END,))
        return Action(calls=(use,)) if when in action.say or calls(action, when) else action

    return change


def _mixes_up(request: ChatRequest, action: Action) -> Action:
    """An agent that takes one number for the other."""
    mixed = {"postal_code": "7351", "card_last4": "60614"}
    uses = [replace(use, arguments=mixed) if use.name == "verify_identity" else use for use in action.calls]
    return replace(action, calls=tuple(uses))


def _is_filtered(request: ChatRequest, action: Action) -> Action:
    """A provider that refuses what it is asked, with a status that is not worth another try."""
    if calls(action, "verify_identity"):
        raise BadRequest("the request was refused by the content filter")
    return action


class _Says(ScriptedCaller):
    """Says more than its script has, where it gives the postal code."""

    MORE = ""

    def hear(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        decision = super().hear(text)
        said = decision.utterance
        if said is None or "postal_code" not in [fact.name for fact in said.facts]:
            return decision
        more = replace(said, spoken=f"{said.spoken} {self.MORE}", intended=f"{said.intended} {self.MORE}")
        return replace(decision, utterance=more)


class _Claims(_Says):
    MORE = "And the voucher that you owe me has the number 491772."


class _WantsMore(_Says):
    MORE = "And please cancel the order altogether."


_MADE_UP = ToolUse("verify_identity", {"postal_code": "60614", "card_last4": "1234"})

NEVER_LOOKS = "never looks, and what it says is true"

RARER = {
    NEVER_LOOKS: Expected(
        Injection(
            case=expecting(reads_required={"get_delivery_days": "Look at the days that are free."}), model=_never_looks
        ),
        "model",
        "never called get_delivery_days",
    ),
    "files the refusal once more without its order": Expected(
        Injection("T1-H1", model=_refuses_twice), "model", "called file_refusal, which no step"
    ),
    "falls silent late in the call": Expected(
        Injection("T1-H1", model=speechless_after(5)), "model", "had nothing to say"
    ),
    "ends the call before it books, at the clinic": Expected(
        Injection("H1-E1", pack="healthcare", model=instead_of("book_visit", Action("All done. Goodbye.", (_END,)))),
        "model",
        "ended the call, and never called book_visit",
    ),
    "makes up a card number": Expected(
        Injection(model=_in_vain(_MADE_UP, when="postal code")), "model", "before the caller had said it"
    ),
    "calls a tool that there is not": Expected(
        Injection(model=_in_vain(ToolUse("move_delivery", {"day": "2026-08-06"}), when="change_delivery_date")),
        "model",
        "never called change_delivery_date",
    ),
    "takes one number for the other": Expected(Injection(model=_mixes_up), "model", "right and gave verify_identity"),
    "writes the day as it was said": Expected(
        Injection(model=with_argument("change_delivery_date", "date", "the sixth")),
        "model",
        "heard delivery_date 2026-08-06 right",
    ),
    "asks for the same thing without end": Expected(
        Injection(model=lambda _, action: Action("May I have your first and last name?")), "model", "The agent"
    ),
    "a provider that wants a rest": Expected(Injection(fault=("429-retry-after", 3)), "harness", "answered 429"),
    "a filter of what may be asked": Expected(Injection(model=_is_filtered), "harness", "answered 400"),
    "the caller claims what its task does not say": Expected(
        Injection(caller=_Claims), "caller", "broke its script: value"
    ),
    "the caller wants what its task forbids": Expected(
        Injection(caller=_WantsMore), "caller", "broke its script: forbidden"
    ),
}
