from __future__ import annotations

import json
from typing import Any

import pytest

from voicebench.packs.models import Case, PackSnapshot
from voicebench.verify import Evidence, Hop, ToolCallRecord, Verdict, evidence_from, verify_call

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


def call(name: str, *, refused: Any = None, data: Any = None, **arguments: Any) -> ToolCallRecord:
    result = {"ok": refused is None, "data": data, "error_code": refused, "caller_safe_message": None}
    return ToolCallRecord(name, arguments, result, agent="desk", start_ns=2_500_000_000)


def added(table: str, *rows: dict[str, Any]) -> dict[str, Any]:
    return {"tables": {table: {"added": list(rows), "removed": [], "changed": []}}}


def headphones(calls: list[ToolCallRecord], hops: list[str], difference: dict[str, Any] | None) -> Verdict:
    evidence = Evidence(calls, [Hop(hop, "a", "b", 1_000_000_000) for hop in hops], difference)
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
    assert (verdict.missing, verdict.extra, verdict.parameter_miss, verdict.state_diff) == ([], [], [], [])


def test_one_that_never_reached_the_returns_desk_misses_desk_and_check_and_has_one_call_too_many() -> None:
    early = call("verify_identity", refused="NO_RECORD_SELECTED", postal_code="94110", card_last4="2208")
    verdict = headphones([early, IDENTIFY, VERIFY, ESCALATE], ["transfer_to_verification"], ESCALATED)
    assert verdict.missing == ["transfer_to_returns", "check_return_eligibility"]
    assert verdict.extra == ["verify_identity"]
    assert {name: gate.passed for name, gate in verdict.gates.items()} == {
        "tools": False,
        "handoffs": False,
        "database": True,
    }
    assert {name: gate.reward for name, gate in verdict.gates.items()} == {
        "tools": 0.5,
        "handoffs": 0.5,
        "database": 1.0,
    }
    assert verdict.reward == 0.25
    assert verdict.path == {
        "expected": ["transfer_to_verification", "transfer_to_returns"],
        "actual": ["transfer_to_verification"],
    }


def test_without_a_stored_database_nothing_passes() -> None:
    verdict = headphones(
        [IDENTIFY, VERIFY, ELIGIBILITY, ESCALATE], ["transfer_to_verification", "transfer_to_returns"], None
    )
    assert (verdict.passed, verdict.reward) == (False, 0.0)
    assert verdict.gates["tools"].passed


def test_hops_in_the_wrong_order_are_not_shown_as_taken() -> None:
    verdict = headphones([], ["transfer_to_returns", "transfer_to_verification"], ESCALATED)
    hops = [row for row in verdict.rows if row["kind"] == "handoff"]
    assert [row["satisfied"] for row in hops].count(True) == 1
    assert len([name for name in verdict.missing if name.startswith("transfer")]) == 1
    assert len(verdict.extra) == 1


def laptop(calls: list[ToolCallRecord], difference: dict[str, Any]) -> Verdict:
    evidence = Evidence(calls, [Hop("transfer_to_service")], difference)
    return verify_call(*pack_with(LAPTOP, LAPTOP_EXPECT), evidence)


def appointment(number: int) -> dict[str, Any]:
    return {"appointment_id": f"A-{number}", "service_type": "bench", "status": "cancelled"}


def book(number: int, **arguments: Any) -> ToolCallRecord:
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
    assert verdict.parameter_miss == ["book_service_appointment"]
    assert verdict.extra == ["book_service_appointment", "end_call"]
    assert verdict.rows[-1]["reason"] == "not expected; reason given: all done"


def test_booked_and_cancelled_twice_is_one_extra_row_and_nothing_else() -> None:
    calls = [
        book(1),
        call("cancel_service_appointment", appointment_id="A-1"),
        book(2),
        call("cancel_service_appointment", appointment_id="A-2"),
    ]
    verdict = laptop(calls, added("service_appointments", appointment(1), appointment(2)))
    assert [name for name, gate in verdict.gates.items() if not gate.passed] == ["database"]
    (row,) = verdict.state_diff
    assert (row["kind"], row["table"], row["count"]) == ("extra", "service_appointments", 1)
    assert row["actual"] == appointment(2)
    assert verdict.gates["database"].reward == 0.5


def test_a_verdict_is_json_as_it_stands() -> None:
    stored = laptop([call("cancel_service_appointment", appointment_id="A-1")], {"tables": {}}).as_json()
    assert json.loads(json.dumps(stored)) == stored
    assert set(stored) == {"gates", "reward", "tool_calls", "path", "state_diff"}
    assert stored["tool_calls"]["missing"] == ["book_service_appointment"]
    assert stored["state_diff"][0]["kind"] == "missing"


def test_evidence_is_read_from_the_stored_files() -> None:
    trace: list[dict[str, Any]] = [
        {
            "type": "span",
            "name": "handoff",
            "start_ns": 5,
            "end_ns": 5,
            "attributes": {"tool": "transfer_to_service", "from": "reception", "to": "service"},
        },
        {"type": "event", "name": "hangup", "time_ns": 9, "attributes": {"reason": "caller_hung_up"}},
        {
            "type": "span",
            "name": "tool",
            "start_ns": 7,
            "end_ns": 8,
            "attributes": {
                "gen_ai.tool.name": "get_order",
                "gen_ai.tool.call.arguments": {"order_number": "1"},
                "gen_ai.tool.call.result": {"ok": False, "error_code": "ORDER_NOT_FOUND"},
                "agent": "service",
                "after_hangup": True,
            },
        },
    ]
    evidence = evidence_from(trace, {"final": {}, "difference": {"tables": {}}})
    assert evidence.hops == [Hop("transfer_to_service", "reception", "service", 5)]
    (made,) = evidence.tool_calls
    assert (made.name, made.ok, made.error_code, made.after_hangup) == ("get_order", False, "ORDER_NOT_FOUND", True)
    assert evidence.difference == {"tables": {}}
    assert evidence_from(trace, None).difference is None
