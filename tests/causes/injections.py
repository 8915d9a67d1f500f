"""What is put into calls, by name, and the cause that has to be found; the calls over audio stand apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.causes.calls import Change, Injection, calls, instead_of, with_argument
from voicebench.caller import CallerDecision, ScriptedCaller, Utterance
from voicebench.errors import CallerInvalid
from voicebench.language.slots import Fact
from voicebench.packs.models import Case, RowChange
from voicebench.record.transcript import Cause
from voicebench.serve.chat import Action, Called, ChatRequest, ToolUse, history

__all__ = [
    "MOVED",
    "OVER_TEXT",
    "Expected",
    "HangsUp",
    "Misspeaks",
    "UnderstandsNothing",
    "called",
    "expecting",
    "expecting_another_day",
    "refusing",
    "without_rule",
]


@dataclass(frozen=True)
class Expected:
    """An injection, the cause that it is, and words that its sentence has to hold."""

    injection: Injection
    cause: Cause
    words: str


# ---- the model ----------------------------------------------------------------------------------------------------


MOVED = "The delivery of your order is now moved to Thursday, August sixth."
SORRY = "Sorry, could you say that again?"
NONSENSE = "Why is the weather in the mountains never as lovely as in spring?"


def _say(text: str) -> Action:
    return Action(text)


def _call(tool: str, **arguments: Any) -> Action:
    return Action(calls=(ToolUse(tool, arguments),))


def _once(tool: str, other: Action) -> Callable[[ChatRequest, Action], Action]:
    """Do something else before the first call of a tool, which then follows."""

    def change(request: ChatRequest, action: Action) -> Action:
        return other if calls(action, tool) and other.calls[0].name not in called(request) else action

    return change


def called(request: ChatRequest) -> list[str]:
    """The tools called so far."""
    return [event.name for event in history(request.messages) if isinstance(event, Called)]


def refusing(tool: str) -> Change:
    """An agent that has only words where it should call a tool; its caller may have had an answer to them before."""
    return instead_of(tool, _say("I am sorry, I cannot do that."))


def _speechless_after(turns: int) -> Callable[[ChatRequest, Action], Action]:
    return lambda request, action: Action() if [m["role"] for m in request.messages].count("user") > turns else action


def _nonsense(request: ChatRequest, action: Action) -> Action:
    return _say(NONSENSE) if action.say and not action.calls else action


def _books_again(request: ChatRequest, action: Action) -> Action:
    again = "cancelled" in action.say and called(request).count("book_service_appointment") == 1
    return _call("book_service_appointment", **_BENCH) if again else action


_BENCH = {"order_number": "KE-4471860", "service_type": "bench", "issue": "will not charge"}


def _guesses_the_day(request: ChatRequest, action: Action) -> Action:
    if "Which day" not in action.say:
        return action
    guessed = any(event == "change_delivery_date" for event in called(request))
    return _say(MOVED) if guessed else _call("change_delivery_date", order_number="KE-4502316", date="2026-08-07")


_MODEL = {
    "another day than the one it heard": Expected(
        Injection(model=with_argument("change_delivery_date", "date", "2026-08-07")),
        "model",
        "heard delivery_date 2026-08-06 right",
    ),
    "another card number than the one it heard": Expected(
        Injection(model=with_argument("verify_identity", "card_last4", "7350")), "model", "heard card_last4 7351 right"
    ),
    "another order than the one it heard": Expected(
        Injection("T2-H3", model=with_argument("check_return_eligibility", "order_number", "KE-4479003")),
        "model",
        "heard order_number KE-4479002 right",
    ),
    "a reason that is not the task's": Expected(
        Injection("T2-H3", model=with_argument("escalate_to_human", "reason_code", "caller_request")),
        "model",
        "with reason_code 'caller_request'",
    ),
    "says it is done, and does nothing": Expected(
        Injection(model=instead_of("change_delivery_date", _say(MOVED))), "model", "before it was true"
    ),
    "says that a person takes over, and escalates nothing": Expected(
        Injection(
            "T2-H3",
            model=instead_of("check_return_eligibility", _say("A person on our team takes over this call now.")),
        ),
        "model",
        "before it was true",
    ),
    "goes to the wrong desk": Expected(
        Injection(model=_once("transfer_to_orders", _call("transfer_to_fraud"))), "model", "took transfer_to_fraud"
    ),
    "takes a detour": Expected(
        Injection("T2-H3", model=_once("transfer_to_returns", _call("transfer_to_orders"))),
        "model",
        "took transfer_to_orders",
    ),
    "leaves another row": Expected(
        Injection(model=_once("change_delivery_date", _call("stop_recording"))),
        "model",
        "called stop_recording, which no step",
    ),
    "does what is forbidden": Expected(
        Injection(model=_once("change_delivery_date", _call("cancel_order", order_number="KE-4502316"))),
        "model",
        "called cancel_order",
    ),
    "books twice": Expected(Injection("T3-H4", model=_books_again), "model", "called book_service_appointment"),
    "falls silent": Expected(Injection(model=_speechless_after(2)), "model", "had nothing to say"),
    "talks nonsense": Expected(Injection(model=_nonsense), "model", "which answers nothing"),
    "refuses the last step": Expected(
        Injection("T1-H1", model=refusing("file_refusal")), "model", "to which the caller had nothing more to say"
    ),
    "ends the call": Expected(
        Injection(model=instead_of("verify_identity", _call("end_call", reason="done"))),
        "model",
        "ended the call, and never",
    ),
    "puts the caller through": Expected(
        Injection(
            model=instead_of("verify_identity", _call("escalate_to_human", reason_code="caller_request", summary="x"))
        ),
        "model",
        "called escalate_to_human, which no step",
    ),
    "uses a day that was never said": Expected(
        Injection(model=_guesses_the_day), "model", "before the caller had said it"
    ),
    "never asks for the day": Expected(
        Injection(model=lambda _, action: _say(MOVED) if "Which day" in action.say else action),
        "model",
        "before it was true",
    ),
}

# ---- the harness --------------------------------------------------------------------------------------------------

_HARNESS = {
    "a server that is down": Expected(Injection(fault=("503", 3)), "harness", "answered 503"),
    "a server that is broken": Expected(Injection(fault=("500", 4)), "harness", "answered 500"),
    "a limit of requests": Expected(Injection("T2-H3", fault=("429", 4)), "harness", "answered 429"),
    "a stream that is cut": Expected(Injection("T2-H3", fault=("stream-cut", 3)), "harness", "peer closed connection"),
    "an answer that is garbage": Expected(Injection(fault=("garbage", 2)), "harness", "no chat completion"),
}

# ---- the task -----------------------------------------------------------------------------------------------------


def expecting(**changes: Any) -> Callable[[Case], Case]:
    return lambda case: case.model_copy(update={"expect": case.expect.model_copy(update=changes)})


def _row(**row: Any) -> RowChange:
    return RowChange.model_validate(row)


def _step(tool: str, **changes: Any) -> Callable[[Case], Case]:
    """A task one of whose steps is another."""

    def change(case: Case) -> Case:
        steps = [step.model_copy(update=changes) if step.call == tool else step for step in case.solution]
        return case.model_copy(update={"solution": steps})

    return change


def knowing(**facts: Fact) -> Callable[[Case], Case]:
    """A task whose caller knows something else."""

    def change(case: Case) -> Case:
        known = {**case.caller.facts, **facts}
        return case.model_copy(update={"caller": case.caller.model_copy(update={"facts": known})})

    return change


def fact(value: str, *forms: str) -> Fact:
    return Fact(value=value, forms=list(forms))


_DAY = {"where": {"order_number": "KE-4502316"}, "set": {"delivery_date": "2026-08-05"}}
expecting_another_day = expecting(rows={"orders": [_row(changed=_DAY)]})
_CARD = ("seven three, five two", "the card ends in seven three, five two", "and the card, seventy-three, five two")

_GOLD = {
    "rows that expect another day": Expected(
        Injection(case=expecting_another_day),
        "task",
        "the rows left are not those expected",
    ),
    "no rows where there must be some": Expected(
        Injection(case=expecting(rows={})), "task", "the rows left are not those expected"
    ),
    "a row that no step makes": Expected(
        Injection(
            "T2-H3",
            case=lambda case: expecting(
                rows={**case.expect.rows, "refusals": [_row(added={"customer_id": "cust_tomas"})]}
            )(case),
        ),
        "task",
        "missing in refusals",
    ),
    "a booking that should stand though it was cancelled": Expected(
        Injection(
            "T3-H4",
            case=expecting(rows={"service_appointments": [_row(added={"service_type": "bench", "status": "booked"})]}),
        ),
        "task",
        "in service_appointments",
    ),
    "another path than the solution's": Expected(
        Injection(case=expecting(handoffs=["transfer_to_verification", "transfer_to_returns"])),
        "task",
        "not the path expected",
    ),
    "a forbidden tool that the solution calls": Expected(
        Injection(case=expecting(forbidden_tools=["change_delivery_date"])), "task", "a tool that the task forbids"
    ),
    "a reason that the tool does not have": Expected(
        Injection("T2-H3", case=_step("escalate_to_human", with_={"reason_code": "seller"})),
        "task",
        "INVALID_ARGUMENTS",
    ),
    "a refusal that does not come": Expected(
        Injection(case=_step("change_delivery_date", refused="DAY_FULL", because="Ask for the day.")),
        "task",
        "refused with DAY_FULL",
    ),
    "a success that is refused": Expected(
        Injection("T2-H3", case=_step("check_return_eligibility", refused=None)), "task", "MARKETPLACE_SELLER_POLICY"
    ),
    "a card that is not the customer's": Expected(
        Injection(case=knowing(card_last4=fact("7352", *_CARD))),
        "task",
        "called verify_identity as the task's solution says",
    ),
}

# ---- the caller ---------------------------------------------------------------------------------------------------


class HangsUp(ScriptedCaller):
    """Hangs up when asked for its name."""

    def hear(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        utterance = Utterance(self._script.closing, self._script.closing, "closing")
        return CallerDecision("hang_up", utterance, "closing")


class UnderstandsNothing(ScriptedCaller):
    """Understands nothing, says so twice, and gives up."""

    misses = 0

    def hear(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        self.misses += 1
        if self.misses > 2:
            return CallerDecision(
                "hang_up", Utterance(self._script.give_up, self._script.give_up, "give_up"), "give_up"
            )
        return CallerDecision("speak", Utterance(SORRY, SORRY, "sorry"))


class Misspeaks(ScriptedCaller):
    """Gives another day, another card or another order than its own."""

    SAYS: Mapping[str, str] = {"August": "Friday, August seventh."}

    def hear(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        decision = super().hear(text)
        said = decision.utterance
        for word, instead in self.SAYS.items():
            if said is not None and word in said.spoken:
                return replace(decision, utterance=replace(said, spoken=instead))
        return decision


class _BreaksOff(ScriptedCaller):
    """Is found out when asked for its name."""

    def hear(self, text: str, *, after_words: int | None = None) -> CallerDecision:
        raise CallerInvalid("it plays the agent")


def without_rule(*asked: str) -> Callable[[Case], Case]:
    def change(case: Case) -> Case:
        answers = [rule for rule in case.caller.answers if rule.asked not in asked]
        return case.model_copy(update={"caller": case.caller.model_copy(update={"answers": answers})})

    return change


_WRONG_ORDER = (
    "K E, four five zero, two three one seven",
    "order number Kilo, Echo, four five zero, two three one seven",
)

_CALLER = {
    "hangs up at once": Expected(Injection(caller=HangsUp), "caller", "broke its script: hung_up_early"),
    "understands nothing": Expected(
        Injection(caller=UnderstandsNothing), "caller", "which the simulated caller's task answers, and it gave up"
    ),
    "gives another day": Expected(Injection(caller=Misspeaks), "caller", "broke its script: "),
    "breaks its script": Expected(Injection("T2-H3", caller=_BreaksOff), "caller", "it plays the agent"),
    "speaks another number than it knows": Expected(
        Injection(case=knowing(order_number=fact("KE-4502316", *_WRONG_ORDER, _WRONG_ORDER[0]))),
        "caller",
        "where its script has KE-4502316",
    ),
    "has no answer to a question": Expected(
        Injection(case=without_rule("postal_code", "card_last4", "order_proof")),
        "caller",
        "simulated caller",
    ),
    "does not know which day": Expected(
        Injection(case=without_rule("which_date", "proceed")), "caller", "simulated caller"
    ),
}

OVER_TEXT = {**_MODEL, **_HARNESS, **_GOLD, **_CALLER}
"""Injections into calls over text."""
