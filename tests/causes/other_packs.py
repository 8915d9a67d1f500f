"""What is put into calls of the clinic and of the law firm, over text: each kind of cause that there can be."""

from __future__ import annotations

from typing import Any

from tests.causes.calls import Injection, calls, instead_of, with_argument
from tests.causes.injections import Expected, HangsUp, UnderstandsNothing, expecting, refusing, without_rule
from tests.hard.calls import shipped
from voicebench.serve.chat import Action, ChatRequest, ToolUse

__all__ = ["IN_OTHER_PACKS"]

_BOOKED = "Your yearly exam is booked for Thursday."
_DAY = shipped("legal").spec.facts["consult_date"].question
_END = Action(calls=(ToolUse("end_call", {"reason": "done"}),))


def _clinic(task: str = "H1-E1", **what: Any) -> Injection:
    return Injection(task, pack="healthcare", **what)


def _asks_too_early(request: ChatRequest, action: Action) -> Action:
    """An agent that asks for the day while its caller still believes in the old one, and then ends the call."""
    if not calls(action, "get_hold"):
        return action
    return _END if any(message.get("content") == _DAY for message in request.messages) else Action(_DAY)


def _firm(task: str = "L5-E2", **what: Any) -> Injection:
    return Injection(task, pack="legal", **what)


_CLINIC = {
    "refuses the last step": Expected(
        _clinic("H1-H1", model=refusing("join_waiting_list")), "model", "to which the caller had nothing more to say"
    ),
    "another day of birth than the one it heard": Expected(
        _clinic(model=with_argument("confirm_identity", "date_of_birth", "1979-02-17")),
        "model",
        "heard date_of_birth 1979-02-16 right",
    ),
    "says it is booked, and books nothing": Expected(
        _clinic(model=instead_of("book_visit", Action(_BOOKED))), "model", "before it was true"
    ),
    "takes the patient for somebody else, and finds the chart closed": Expected(
        _clinic(model=with_argument("confirm_identity", "calling_for", "other")), "model", "with calling_for 'other'"
    ),
    "a server that is down": Expected(_clinic(fault=("503", 3)), "harness", "answered 503"),
    "no rows where there must be some": Expected(
        _clinic(case=expecting(rows={})), "task", "the rows left are not those expected"
    ),
    "the caller hangs up at once": Expected(_clinic(caller=HangsUp), "caller", "broke its script: hung_up_early"),
    "the caller understands nothing": Expected(
        _clinic(caller=UnderstandsNothing), "caller", "which the simulated caller's task answers, and it gave up"
    ),
    "the caller has no answer to a question": Expected(
        _clinic(case=without_rule("date_of_birth")),
        "caller",
        "simulated caller",
    ),
}

_FIRM = {
    "refuses the last step": Expected(
        _firm("L5-M2", model=refusing("leave_message")), "model", "to which the caller had nothing more to say"
    ),
    "another name in a lookup that no gate looks at": Expected(
        _firm("L1-E2", model=with_argument("run_conflict_check", "other_party", "Cedar Managers")),
        "model",
        "heard other_party Cedar Management right",
    ),
    "three months instead of four": Expected(
        _firm(model=with_argument("arrange_installments", "months", 3)), "model", "with months 3"
    ),
    "ends the call": Expected(
        _firm(model=instead_of("verify_client", _END)), "model", "ended the call, and never took"
    ),
    "asks for a day before its time, and gets another answer": Expected(
        _firm("L3-M1", model=_asks_too_early), "model", "ended the call, and never called"
    ),
    "a stream that is cut": Expected(_firm(fault=("stream-cut", 3)), "harness", "peer closed connection"),
    "another path than the solution's": Expected(
        _firm(case=expecting(handoffs=["transfer_to_screening", "transfer_to_intake"])),
        "task",
        "not the path expected",
    ),
    "the caller hangs up at once": Expected(_firm(caller=HangsUp), "caller", "broke its script: hung_up_early"),
    "the caller understands nothing": Expected(
        _firm(caller=UnderstandsNothing), "caller", "which the simulated caller's task answers, and it gave up"
    ),
    "the caller has no answer to a question": Expected(
        _firm(case=without_rule("phone_code", "identity", "other_proof", "had_matter")),
        "caller",
        "simulated caller",
    ),
}

IN_OTHER_PACKS = {
    **{f"{name}, at the clinic": expected for name, expected in _CLINIC.items()},
    **{f"{name}, at the law firm": expected for name, expected in _FIRM.items()},
}
