from __future__ import annotations

import json
from typing import Any

import pytest

from voicebench.packs.models import Case, PackSnapshot
from voicebench.record.events import HangupEvent
from voicebench.record.json_types import JsonObject
from voicebench.record.spans import HandoffSpan, ToolSpan
from voicebench.record.state import StateDifference
from voicebench.record.verdict import MadeHandoff, MadeToolCall
from voicebench.verify import Evidence, Verification, evidence_from, verify_call

pytestmark = pytest.mark.unit

WRITES = {
    "identify_customer": False,
    "verify_identity": False,
    "check_return_eligibility": False,
    "escalate_to_human": True,
    "book_service_appointment": True,
    "cancel_service_appointment": True,
    "end_call": False,
}
TYPES = {
    "order_number": "id",
    "postal_code": "id",
    "card_last4": "id",
    "reason_code": "enum",
    "service_type": "enum",
    "issue": "prose",
    "date": "date",
    "appointment_id": "id",
}
STATE = {
    "escalations": {"key": ["escalation_id"], "ignore": ["escalation_id"], "types": {"reason_code": "enum"}},
    "service_appointments": {"key": ["appointment_id"], "ignore": ["appointment_id"]},
}

HEADPHONES: list[dict[str, Any]] = [
    {"hand_off": "transfer_to_verification"},
    {"call": "identify_customer", "with": {"order_number": "$fact.order_number"}},
    {"call": "verify_identity", "with": {"postal_code": "94110", "card_last4": "2208"}},
    {"hand_off": "transfer_to_returns"},
    {"call": "check_return_eligibility", "with": {"order_number": "$fact.order_number"}, "refused": "MARKETPLACE"},
    {"say": "..."},
    {"call": "escalate_to_human", "with": {"reason_code": "marketplace_seller"}},
]
HEADPHONES_EXPECT = {
    "handoffs": ["transfer_to_verification", "transfer_to_returns"],
    "rows": {"escalations": [{"added": {"reason_code": "marketplace_seller"}}]},
    "reads_required": {"check_return_eligibility": "the prompt demands it"},
}
LAPTOP: list[dict[str, Any]] = [
    {"hand_off": "transfer_to_service"},
    {
        "call": "book_service_appointment",
        "with": {"service_type": "bench", "issue": "does not charge", "date": {"one_of": [None, "2026-08-03"]}},
    },
    {
        "call": "cancel_service_appointment",
        "with": {"appointment_id": "$result.book_service_appointment.data.appointment_id"},
    },
]
LAPTOP_EXPECT = {
    "handoffs": ["transfer_to_service"],
    "rows": {"service_appointments": [{"added": {"service_type": "bench", "status": "cancelled"}}]},
}


def pack_with(solution: list[dict[str, Any]], expect: dict[str, Any]) -> tuple[PackSnapshot, Case]:
    case = {
        **dict.fromkeys(("title", "category", "measures", "why", "succeeds_when"), "x"),
        "id": "T2-H3",
        "difficulty": "hard",
        "caller": {
            **dict.fromkeys(("opening", "brief", "closing", "give_up"), "x"),
            "facts": {"order_number": {"value": "KE-4479002", "forms": ["a", "b", "c"]}},
            "answers": [],
            "hangs_up": {"heard": "done"},
        },
        "solution": solution,
        "expect": expect,
    }
    tool = {"description": "", "parameters": {}, "ends_call": False, "arg_types": TYPES}
    spec = {
        **dict.fromkeys(("name", "industry", "today", "greeting"), "x"),
        "company": {"name": "x"},
        "agents": [{"name": "desk", "prompt": "desk.md", "tools": list(WRITES)}],
        "state": STATE,
        "facts": {},
        "intents": {},
    }
    snapshot = PackSnapshot.model_validate(
        {
            **dict.fromkeys(("schema_sql", "seed_sql", "hash"), ""),
            "spec": spec,
            "cases": {"T2-H3": case},
            "prompts": {},
            "tools": {name: {**tool, "name": name, "writes": writes} for name, writes in WRITES.items()},
        }
    )
    return snapshot, snapshot.cases["T2-H3"]


def call(name: str, *, refused: Any = None, data: Any = None, **arguments: Any) -> MadeToolCall:
    result = {"ok": refused is None, "data": data, "error_code": refused, "caller_safe_message": None}
    return MadeToolCall(name=name, arguments=arguments, result=result, agent="desk", start_s=2.5, after_hangup=False)


def handoff(name: str) -> MadeHandoff:
    return MadeHandoff(name=name, from_agent="a", to_agent="b", start_s=1.0)


def added(table: str, *rows: dict[str, Any]) -> StateDifference:
    return StateDifference.model_validate({"tables": {table: {"added": rows}}})


def headphones(calls: list[MadeToolCall], path: list[str], difference: StateDifference | None) -> Verification:
    evidence = Evidence(calls, [handoff(name) for name in path], difference)
    return verify_call(*pack_with(HEADPHONES, HEADPHONES_EXPECT), evidence)


ESCALATED = added("escalations", {"escalation_id": "E-1", "reason_code": "marketplace_seller"})
IDENTIFY = call("identify_customer", order_number="KE 4479002")
VERIFY = call("verify_identity", postal_code="94110", card_last4="2208")
ELIGIBILITY = call("check_return_eligibility", refused="MARKETPLACE", order_number="KE4479002")
ESCALATE = call("escalate_to_human", reason_code="Marketplace seller")


def test_a_call_that_does_all_of_it_passes() -> None:
    verdict = headphones(
        [IDENTIFY, VERIFY, ELIGIBILITY, ESCALATE], ["transfer_to_verification", "transfer_to_returns"], ESCALATED
    )
    assert (verdict.passed, verdict.reward) == (True, 1.0)
    shown = verdict.tool_calls
    assert (shown.missing, shown.extra, shown.parameter_miss, verdict.state_diff) == ((), (), (), ())


def test_one_that_never_reached_the_returns_desk_misses_desk_and_check_and_has_one_call_too_many() -> None:
    early = call("verify_identity", refused="NO_RECORD_SELECTED", postal_code="94110", card_last4="2208")
    verdict = headphones([early, IDENTIFY, VERIFY, ESCALATE], ["transfer_to_verification"], ESCALATED)
    assert verdict.tool_calls.missing == ("transfer_to_returns", "check_return_eligibility")
    assert verdict.tool_calls.extra == ("verify_identity",)
    assert {name: gate.passed for name, gate in verdict.gates.by_name().items()} == {
        "tools": False,
        "handoffs": False,
        "database": True,
    }
    assert {name: gate.reward for name, gate in verdict.gates.by_name().items()} == {
        "tools": 0.5,
        "handoffs": 0.5,
        "database": 1.0,
    }
    assert verdict.reward == 0.25
    assert verdict.path.to_json() == {
        "expected": ["transfer_to_verification", "transfer_to_returns"],
        "actual": ["transfer_to_verification"],
    }


def test_without_a_stored_database_nothing_passes() -> None:
    verdict = headphones(
        [IDENTIFY, VERIFY, ELIGIBILITY, ESCALATE], ["transfer_to_verification", "transfer_to_returns"], None
    )
    assert (verdict.passed, verdict.reward) == (False, 0.0)
    assert verdict.gates.tools.passed


def test_handoffs_in_the_wrong_order_are_not_shown_as_taken() -> None:
    verdict = headphones([], ["transfer_to_returns", "transfer_to_verification"], ESCALATED)
    handoffs = [row for row in verdict.tool_calls.rows if row.kind == "handoff"]
    assert [row.satisfied for row in handoffs].count(True) == 1
    assert len([name for name in verdict.tool_calls.missing if name.startswith("transfer")]) == 1
    assert len(verdict.tool_calls.extra) == 1


def laptop(calls: list[MadeToolCall], difference: StateDifference) -> Verification:
    evidence = Evidence(calls, [handoff("transfer_to_service")], difference)
    return verify_call(*pack_with(LAPTOP, LAPTOP_EXPECT), evidence)


def appointment(number: int) -> dict[str, Any]:
    return {"appointment_id": f"A-{number}", "service_type": "bench", "status": "cancelled"}


def book(number: int, **arguments: Any) -> MadeToolCall:
    data = {"appointment_id": f"A-{number}"}
    return call("book_service_appointment", data=data, service_type="bench", issue="will not charge", **arguments)


def test_a_first_booking_refused_and_a_second_cancelled_passes_with_its_misses_shown() -> None:
    first = call("book_service_appointment", refused="INVALID_DATE", service_type="bench", date="first available")
    calls = [
        first,
        book(1, date="2026-08-03"),
        call("cancel_service_appointment", appointment_id="a 1"),
        call("end_call", reason="all done"),
    ]
    verdict = laptop(calls, added("service_appointments", appointment(1)))
    assert verdict.passed
    assert verdict.tool_calls.parameter_miss == ("book_service_appointment",)
    assert verdict.tool_calls.extra == ("book_service_appointment", "end_call")
    assert verdict.tool_calls.rows[-1].reason == "not expected; reason given: all done"


def test_booked_and_cancelled_twice_is_one_extra_row_and_nothing_else() -> None:
    calls = [
        book(1),
        call("cancel_service_appointment", appointment_id="A-1"),
        book(2),
        call("cancel_service_appointment", appointment_id="A-2"),
    ]
    verdict = laptop(calls, added("service_appointments", appointment(1), appointment(2)))
    assert [name for name, gate in verdict.gates.by_name().items() if not gate.passed] == ["database"]
    (row,) = verdict.state_diff
    assert (row.kind, row.table, row.count) == ("extra", "service_appointments", 1)
    assert row.actual == appointment(2)
    assert verdict.gates.database.reward == 0.5


def test_a_row_has_what_was_made_and_when() -> None:
    verdict = laptop([call("cancel_service_appointment", appointment_id="A-1")], StateDifference())
    stored = json.loads(json.dumps(verdict.tool_calls.to_json()))
    assert stored["missing"] == ["book_service_appointment"]
    assert [(row["kind"], row["gating"], row["satisfied"]) for row in stored["rows"]] == [
        ("handoff", True, True),
        ("tool", True, False),
        ("tool", True, False),
    ]
    assert stored["rows"][0]["actual"] == {"name": "transfer_to_service", "from": "a", "to": "b", "start_s": 1.0}
    assert stored["rows"][2]["actual"]["arguments"] == {"appointment_id": "A-1"}
    assert verdict.state_diff[0].kind == "missing"


def test_each_step_that_does_something_has_one_row_in_the_order_of_the_solution() -> None:
    verdict = headphones(
        [IDENTIFY, VERIFY, ELIGIBILITY, ESCALATE], ["transfer_to_verification", "transfer_to_returns"], ESCALATED
    )
    assert [row.expected.name for row in verdict.tool_calls.rows if row.expected] == [
        step.get("hand_off") or step["call"] for step in HEADPHONES if "say" not in step
    ]
    assert len(verdict.tool_calls.rows) == 6


def test_a_call_over_is_shown_as_one_that_nothing_hangs_on() -> None:
    snapshot, case = pack_with(LAPTOP, {**LAPTOP_EXPECT, "forbidden_tools": ["escalate_to_human"]})
    verdict = verify_call(snapshot, case, Evidence([IDENTIFY, call("escalate_to_human", reason="he asked for it")]))
    over = [row for row in verdict.tool_calls.rows if row.expected is None]
    assert [row.reason for row in over] == ["not expected", "forbidden; reason given: he asked for it"]
    assert not any(row.gating or row.satisfied for row in over)


@pytest.mark.parametrize(
    ("allowed", "reason"),
    [
        ({}, "not on the expected path"),
        ({"allow_hops": ["transfer_to_billing"]}, "not on the expected path"),
        ({"allow_hops": ["transfer_to_sales"]}, "an allowed detour"),
        ({"allow_hops": ["transfer_to_sales"], "exact_path": True}, "not on the expected path"),
    ],
)
def test_a_handoff_over_is_a_detour_only_where_the_task_allows_it(allowed: dict[str, Any], reason: str) -> None:
    evidence = Evidence(handoffs=[handoff("transfer_to_service"), handoff("transfer_to_sales")])
    verdict = verify_call(*pack_with(LAPTOP, {**LAPTOP_EXPECT, **allowed}), evidence)
    rows = [row for row in verdict.tool_calls.rows if row.kind == "handoff"]
    assert [(row.reason, row.gating, row.satisfied) for row in rows] == [("taken", True, True), (reason, False, False)]


def test_a_handoff_that_was_not_taken_is_shown_so() -> None:
    [row, *_] = headphones([], [], ESCALATED).tool_calls.rows
    assert (row.reason, row.actual, row.gating, row.satisfied) == ("never taken in its place", None, True, False)


def test_evidence_is_read_from_the_trace() -> None:
    made: dict[str, Any] = {"call_id": "c", "arguments": {"order_number": "1"}, "end_ns": 8}
    refusal: JsonObject = {"ok": False, "error_code": "ORDER_NOT_FOUND"}
    evidence = evidence_from(
        [
            HandoffSpan(
                tool="transfer_to_service", from_agent="reception", to_agent="service", start_ns=5, result={}, **made
            ),
            HangupEvent(time_ns=9, reason="caller_hung_up"),
            ToolSpan(tool="get_order", agent="service", after_hangup=True, start_ns=7, result=refusal, **made),
        ],
        None,
    )
    [taken] = evidence.handoffs
    assert (taken.name, taken.from_agent, taken.to_agent, taken.start_s) == (
        "transfer_to_service",
        "reception",
        "service",
        5e-9,
    )
    [called] = evidence.tool_calls
    assert (called.name, called.arguments, called.ok) == ("get_order", {"order_number": "1"}, False)
    assert (called.error_code, called.start_s, called.after_hangup) == ("ORDER_NOT_FOUND", 7e-9, True)
