"""The pack of Kestrel Electronics: its graph, its prompts, its seed, and what its tools refuse."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any

import pytest

from voicebench.packs import ToolContext
from voicebench.packs.database import dump_state
from voicebench.packs.loader import Pack, load_pack

pytestmark = pytest.mark.unit

BEFORE_VERIFICATION = {
    "identify_customer",
    "verify_identity",
    "file_refusal",
    "log_disclosure",
    "stop_recording",
    "log_safety_warning",
    "escalate_to_human",
    "end_call",
}


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("customer_support")


@pytest.fixture
def desk(pack: Pack) -> ToolContext:
    return pack.open_context()


def call(pack: Pack, desk: ToolContext, name: str, **arguments: Any) -> dict[str, Any]:
    return pack.tools[name].invoke(desk, arguments)


def verify(pack: Pack, desk: ToolContext, customer: str) -> None:
    """Verify as a customer of the seed, by what the seed says of them."""
    row = desk.one("SELECT * FROM customers WHERE customer_id = ?", customer)
    assert row is not None
    assert call(pack, desk, "identify_customer", phone=row["phone"])["ok"]
    assert call(pack, desk, "verify_identity", postal_code=row["postal_code"], card_last4=row["card_last4"])["ok"]


# ---- what the pack is -----------------------------------------------------------------------------------------------


def test_it_has_seven_agents(pack: Pack) -> None:
    assert [agent.name for agent in pack.spec.agents] == [
        "reception",
        "verification",
        "orders",
        "returns",
        "service",
        "membership",
        "fraud",
    ]
    assert pack.today == dt.date(2026, 7, 31)


def test_verification_reaches_every_desk_and_reception_reaches_none(pack: Pack) -> None:
    reached = {agent.name: {target.to for target in agent.handoffs.values()} for agent in pack.spec.agents}
    assert reached["reception"] == {"verification"}
    assert reached["verification"] == {"orders", "returns", "service", "membership", "fraud"}
    for desk_name in reached["verification"]:
        assert reached[desk_name] == reached["verification"] - {desk_name}


def test_every_tool_belongs_to_an_agent(pack: Pack) -> None:
    assert {tool for agent in pack.spec.agents for tool in agent.tools} == set(pack.tools)


def test_the_seed_has_a_dozen_customers_and_no_slot_held_twice(pack: Pack) -> None:
    db = pack.open_database()
    assert db.execute("SELECT count(*) FROM customers").fetchone()[0] >= 12
    held = [row[0] for row in db.execute("SELECT slot_id FROM service_appointments WHERE status = 'booked'")]
    assert len(held) == len(set(held))
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []


# ---- prompts --------------------------------------------------------------------------------------------------------


def test_prompts_have_production_length(pack: Pack) -> None:
    for agent in pack.spec.agents:
        own = (pack.root / "prompts" / agent.prompt).read_text().replace("{{ include _core.md }}", "")
        assert len(own.split()) >= 700, agent.name
        assert 1500 <= len(pack.prompts[agent.name].split()) <= 2300, agent.name


def test_a_prompt_names_only_tools_that_its_agent_has(pack: Pack) -> None:
    handoffs = {name for agent in pack.spec.agents for name in agent.handoffs}
    for agent in pack.spec.agents:
        named = set(re.findall(r"\b[a-z]+(?:_[a-z0-9]+)+\b", pack.prompts[agent.name])) & (handoffs | set(pack.tools))
        assert named <= set(agent.tools) | set(agent.handoffs), agent.name


def test_a_prompt_explains_every_tool_and_handoff_of_its_agent(pack: Pack) -> None:
    for agent in pack.spec.agents:
        for name in [*agent.tools, *agent.handoffs]:
            assert name in pack.prompts[agent.name] or name == "get_customer_summary", (agent.name, name)


def test_a_prompt_explains_every_refusal_of_its_agents_tools(pack: Pack) -> None:
    source = "".join(path.read_text() for path in (pack.root / "tools").glob("*.py"))
    codes = set(re.findall(r'refuse\(\s*"([A-Z_]+)"', source)) - {"NOT_VERIFIED"}
    explained = {code for prompt in pack.prompts.values() for code in codes if code in prompt}
    assert codes == explained
    assert all("NOT_VERIFIED" in prompt and "INVALID_ARGUMENTS" in prompt for prompt in pack.prompts.values())


def test_no_prompt_or_tool_text_holds_a_value_of_a_task(pack: Pack) -> None:
    def plain(text: str) -> str:
        return re.sub(r"[^a-z0-9]", "", text.lower())

    texts = [*pack.prompts.values(), *(json.dumps(tool.spec.model_dump()) for tool in pack.tools.values())]
    for case in pack.cases.values():
        for fact in case.caller.facts.values():
            for text in texts:
                assert plain(fact.value) not in plain(text), (case.id, fact.value)
                assert not any(form.lower() in text.lower() for form in fact.forms)
        for text in texts:
            assert not {"2026-08-03", "August third", "44.85", "254.15"} & set(re.findall(r"[\w.-]+", text)), case.id


def test_a_demanded_read_is_demanded_by_a_prompt_on_the_path(pack: Pack) -> None:
    for case in pack.cases.values():
        for tool, sentence in case.expect.reads_required.items():
            assert tool in sentence
            assert any(sentence in prompt for prompt in pack.prompts.values()), (case.id, tool)


# ---- tools ----------------------------------------------------------------------------------------------------------

ARGUMENTS: dict[str, Any] = {
    "order_number": "KE-4490572",
    "date": "2026-08-06",
    "reason_code": {"open_return": "changed_mind", "place_account_hold": "lost_card"},
    "method": "store",
    "issue": "it will not charge",
    "service_type": "bench",
    "appointment_id": "APT-S301",
    "tier": "plus",
    "amount_quoted": 59.0,
    "price": 20.0,
    "credit_quoted": 1.0,
    "competitor": "brightway",
    "offer": "new",
    "opened": True,
    "instruction": "ring_bell",
    "household_asked": True,
    "remedy": "refund",
    "notice_read": True,
    "channel": "phone",
    "allowed": False,
    "kind": "copy",
    "asked_for": "password",
    "gave_away": False,
    "warned": True,
    "enabled": True,
    "disclosed": True,
    "fee_quoted": 0,
}


def test_nothing_works_before_verification(pack: Pack, desk: ToolContext) -> None:
    before = dump_state(desk.db, pack.spec)
    call(pack, desk, "identify_customer", order_number="KE-4490572")
    for name in pack.tools.keys() - BEFORE_VERIFICATION:
        values = {argument.name: ARGUMENTS[argument.name] for argument in pack.tools[name].arguments}
        values = {key: value[name] if isinstance(value, dict) else value for key, value in values.items()}
        result = call(pack, desk, name, **values)
        assert (name, result["ok"], result["error_code"], result["data"]) == (name, False, "NOT_VERIFIED", None)
    assert dump_state(desk.db, pack.spec) == before


def test_a_customer_is_found_by_number_and_never_by_name(pack: Pack, desk: ToolContext) -> None:
    assert call(pack, desk, "identify_customer", full_name="Priya Raman")["error_code"] == "NEED_ORDER_OR_PHONE"
    for spoken in ("KE-4466029", "K E 4 4 6 6 0 2 9", "ke4466029", "K E, four four six, six zero two nine"):
        found = call(pack, desk, "identify_customer", order_number=spoken, full_name="Pria Ramen")
        assert found["ok"], spoken
        assert found["data"]["name_agrees"] is True
    assert "Priya" not in json.dumps(found)
    assert call(pack, desk, "identify_customer", phone="(415) 555 0163")["ok"]
    for wrong in ("KE-4466028", "KE-446602", "4466029"):
        assert call(pack, desk, "identify_customer", order_number=wrong)["error_code"] == "CUSTOMER_NOT_FOUND"
    other = call(pack, desk, "identify_customer", order_number="KE-4466029", full_name="Walter Nakamura")
    assert other["data"]["name_agrees"] is False


def test_identity_needs_a_record_both_values_and_at_most_three_tries(pack: Pack, desk: ToolContext) -> None:
    right = {"postal_code": "94117", "card_last4": "9084"}
    assert call(pack, desk, "verify_identity", **right)["error_code"] == "NO_RECORD_SELECTED"
    call(pack, desk, "identify_customer", order_number="KE-4466029")
    for wrong in ({"card_last4": "9085"}, {"postal_code": "9411"}):
        assert call(pack, desk, "verify_identity", **{**right, **wrong})["error_code"] == "IDENTITY_MISMATCH"
    assert call(pack, desk, "verify_identity", **{**right, "card_last4": "84"})["error_code"] == "IDENTITY_LOCKED"
    assert call(pack, desk, "verify_identity", **right)["error_code"] == "IDENTITY_LOCKED"
    call(pack, desk, "identify_customer", order_number="KE-4481204")
    assert call(pack, desk, "get_customer_summary")["error_code"] == "NOT_VERIFIED"


def test_spoken_proof_is_understood(pack: Pack, desk: ToolContext) -> None:
    call(pack, desk, "identify_customer", order_number="KE-4466029")
    proof = call(pack, desk, "verify_identity", postal_code="nine four one, one seven", card_last4="9 0 8 4")
    assert proof["data"] == {"verified": True, "full_name": "Priya Raman", "tier": "pro"}


def test_looking_up_another_record_ends_the_verification(pack: Pack, desk: ToolContext) -> None:
    verify(pack, desk, "cust_priya")
    assert call(pack, desk, "get_order", order_number="KE-4466029")["ok"]
    call(pack, desk, "identify_customer", order_number="KE-4481204")
    assert call(pack, desk, "get_order", order_number="KE-4481204")["error_code"] == "NOT_VERIFIED"


def test_orders_of_others_are_not_found(pack: Pack, desk: ToolContext) -> None:
    verify(pack, desk, "cust_priya")
    more: dict[str, dict[str, Any]] = {
        "get_order": {},
        "check_return_eligibility": {},
        "check_coverage": {"issue": "dead"},
        "cancel_order": {},
        "get_delivery_days": {},
        "place_account_hold": {"reason_code": "unknown_order", "disclosed": True},
    }
    for name, arguments in more.items():
        assert call(pack, desk, name, order_number="KE-4504419", **arguments)["error_code"] == "ORDER_NOT_FOUND"
    taken = call(pack, desk, "cancel_service_appointment", appointment_id="APT-S301")
    assert taken["error_code"] == "APPOINTMENT_NOT_FOUND"


def test_a_delivery_moves_only_before_it_ships_and_only_to_a_day_with_room(pack: Pack, desk: ToolContext) -> None:
    verify(pack, desk, "cust_abigail")
    order = "KE-4504419"
    days = call(pack, desk, "get_delivery_days", order_number=order)["data"]["days"]
    assert days[:3] == ["2026-08-04", "2026-08-06", "2026-08-07"]
    refused = {"2026-08-08": "DAY_NOT_OFFERED", "2026-07-31": "INVALID_DATE", "next week": "INVALID_DATE"}
    for day, code in refused.items():
        assert call(pack, desk, "change_delivery_date", order_number=order, date=day)["error_code"] == code
    moved = call(pack, desk, "change_delivery_date", order_number=order, date="August 7")
    assert moved["data"]["spoken_day"] == "Friday, August seventh"
    assert call(pack, desk, "cancel_order", order_number=order)["data"]["status"] == "cancelled"
    assert call(pack, desk, "change_delivery_date", order_number=order, date="2026-08-06")["ok"] is False


@pytest.mark.parametrize(
    ("customer", "order", "code"),
    [
        ("cust_tomas", "KE-4479002", "MARKETPLACE_SELLER_POLICY"),
        ("cust_tomas", "KE-4475518", "WINDOW_PASSED"),
        ("cust_abigail", "KE-4495280", "FINAL_SALE"),
        ("cust_abigail", "KE-4504419", "NOT_DELIVERED"),
        ("cust_priya", "KE-4497361", "RETURN_EXISTS"),
    ],
)
def test_what_may_not_come_back_is_refused_twice(
    pack: Pack, desk: ToolContext, customer: str, order: str, code: str
) -> None:
    verify(pack, desk, customer)
    assert call(pack, desk, "check_return_eligibility", order_number=order)["error_code"] == code
    opened = call(pack, desk, "open_return", order_number=order, reason_code="defective", method="mail", fee_quoted=0)
    assert opened["error_code"] == code


def test_the_last_day_of_a_window_is_in_it(pack: Pack) -> None:
    for today, ok in ((dt.date(2026, 8, 4), True), (dt.date(2026, 8, 5), False)):
        desk = ToolContext(pack.open_database(), today)
        verify(pack, desk, "cust_samuel")
        assert call(pack, desk, "check_return_eligibility", order_number="KE-4490572")["ok"] is ok


def test_the_fee_must_be_quoted_and_right(pack: Pack, desk: ToolContext) -> None:
    verify(pack, desk, "cust_samuel")
    wanted = {"order_number": "KE-4490572", "reason_code": "changed_mind", "method": "mail"}
    assert call(pack, desk, "open_return", **wanted)["error_code"] == "FEE_NOT_QUOTED"
    for wrong in (0, 44.84, 44.9):
        assert call(pack, desk, "open_return", **wanted, fee_quoted=wrong)["error_code"] == "FEE_MISMATCH"
    opened = call(pack, desk, "open_return", **wanted, fee_quoted="$44.85")
    assert opened["data"]["spoken_refund_amount"] == "two hundred fifty-four dollars and fifteen cents"
    assert call(pack, desk, "open_return", **wanted, fee_quoted=44.85)["error_code"] == "RETURN_EXISTS"


def test_some_states_and_all_defects_are_free_of_the_fee(pack: Pack, desk: ToolContext) -> None:
    verify(pack, desk, "cust_marcus")
    assert call(pack, desk, "check_return_eligibility", order_number="KE-4488736")["data"]["restocking_fee"] == 0
    verify(pack, desk, "cust_samuel")
    wanted = {"order_number": "KE-4490572", "reason_code": "defective", "method": "mail"}
    assert call(pack, desk, "open_return", **wanted, fee_quoted=44.85)["error_code"] == "FEE_MISMATCH"
    assert call(pack, desk, "open_return", **wanted, fee_quoted=0)["data"]["refund_amount"] == 299.0


def test_coverage_follows_plan_fault_and_warranty(pack: Pack, desk: ToolContext) -> None:
    verify(pack, desk, "cust_grace")
    laptop, phone = "KE-4471860", "KE-4468315"

    def cover(order: str, issue: str) -> Any:
        return call(pack, desk, "check_coverage", order_number=order, issue=issue)["data"]["covered_by"]

    assert cover(laptop, "it does not charge any more") == "Complete Care"
    assert cover(laptop, "it was stolen") is None
    assert cover(phone, "the screen is cracked") == "Screen Guard"
    assert cover(phone, "no sound") is None
    verify(pack, desk, "cust_peter")
    assert cover("KE-4501673", "the fan is loud") == "the maker's warranty"
    assert cover("KE-4501673", "I dropped it") is None


def test_a_booking_needs_coverage_checked_and_a_real_day_or_none(pack: Pack, desk: ToolContext) -> None:
    verify(pack, desk, "cust_grace")
    wanted = {"order_number": "KE-4471860", "service_type": "bench", "issue": "it does not charge"}
    assert call(pack, desk, "book_service_appointment", **wanted)["error_code"] == "COVERAGE_NOT_CHECKED"
    call(pack, desk, "check_coverage", order_number="KE-4471860", issue="it does not charge")
    refused = {
        "first available": "INVALID_DATE",
        "Monday": "INVALID_DATE",
        "2026-07-30": "INVALID_DATE",
        "2026-08-01": "NO_FREE_SLOT",
        "2026-08-04": "NO_FREE_SLOT",
    }
    for date, code in refused.items():
        assert call(pack, desk, "book_service_appointment", **wanted, date=date)["error_code"] == code, date
    booked = call(pack, desk, "book_service_appointment", **wanted)["data"]
    assert booked["spoken_when"] == "Monday, August third, at ten in the morning"
    assert call(pack, desk, "book_service_appointment", **wanted)["error_code"] == "ALREADY_BOOKED"
    cancelled = call(pack, desk, "cancel_service_appointment", appointment_id=booked["appointment_id"].lower())
    assert cancelled["ok"]
    again = call(pack, desk, "cancel_service_appointment", appointment_id=booked["appointment_id"])
    assert again["error_code"] == "NOT_OPEN"
    assert call(pack, desk, "book_service_appointment", **wanted, date="August 3")["data"]["store"] == "Cedar Hills"


def test_a_service_that_nobody_pays_for_must_be_priced_aloud(pack: Pack, desk: ToolContext) -> None:
    verify(pack, desk, "cust_helen")
    assert call(pack, desk, "cancel_service_appointment", appointment_id="APT-S302")["ok"]
    wanted = {"order_number": "KE-4460983", "service_type": "in_home", "issue": "no picture"}
    checked = call(pack, desk, "check_coverage", order_number="KE-4460983", issue="no picture")["data"]
    assert (checked["covered"], checked["fees"]["in_home"]) == (False, 99.0)
    assert call(pack, desk, "book_service_appointment", **wanted)["error_code"] == "FEE_NOT_QUOTED"
    assert call(pack, desk, "book_service_appointment", **wanted, fee_quoted=49)["error_code"] == "FEE_MISMATCH"
    assert call(pack, desk, "book_service_appointment", **wanted, fee_quoted=99)["data"]["fee"] == 99.0


def test_unsafe_devices_are_never_booked(pack: Pack, desk: ToolContext) -> None:
    verify(pack, desk, "cust_yusuf")
    recalled = call(pack, desk, "check_coverage", order_number="KE-4492048", issue="it is slow")
    assert recalled["error_code"] == "RECALLED_DEVICE"
    verify(pack, desk, "cust_grace")
    for issue, code in {
        "The battery is swollen": "HAZARD_REPORTED",
        "it gets hot and there is smoke.": "HAZARD_REPORTED",
        "it will not charge, no smoke": None,
    }.items():
        assert call(pack, desk, "check_coverage", order_number="KE-4471860", issue=issue)["error_code"] == code
    wanted = {"order_number": "KE-4471860", "service_type": "mail_in", "issue": "sparks"}
    assert call(pack, desk, "book_service_appointment", **wanted)["error_code"] == "HAZARD_REPORTED"


def test_membership_changes_only_after_price_or_consequence_was_said(pack: Pack, desk: ToolContext) -> None:
    verify(pack, desk, "cust_walter")
    assert call(pack, desk, "change_membership", tier="plus", amount_quoted=59)["error_code"] == "ALREADY_ON_TIER"
    for price in (None, 59, 149):
        refused = call(pack, desk, "change_membership", tier="pro", amount_quoted=price)
        assert refused["error_code"] == "AMOUNT_NOT_QUOTED"
    assert call(pack, desk, "set_auto_renewal", enabled=True)["error_code"] == "DISCLOSURE_MISSING"
    on = call(pack, desk, "set_auto_renewal", enabled=True, disclosed=True)
    assert on["data"]["spoken_renews_on"] == "Wednesday, October twenty-eighth"
    quote = call(pack, desk, "quote_tier_change", tier="pro")["data"]
    assert (quote["days_left"], quote["credit"], quote["amount_due"]) == (89, 14.39, 134.61)
    changed = call(pack, desk, "change_membership", tier="pro", amount_quoted=134.61)
    assert changed["data"] == {"tier": "pro", "renews_on": "2027-07-31", "amount_charged": 134.61}
    assert call(pack, desk, "quote_tier_change", tier="plus")["error_code"] == "DOWNGRADE_AT_RENEWAL"
    assert call(pack, desk, "change_membership", tier="basic", amount_quoted=0)["data"]["renews_on"] is None
    off = call(pack, desk, "set_auto_renewal", enabled=False, disclosed=True)
    assert off["error_code"] == "NOTHING_TO_RENEW"


def test_a_hold_is_disclosed_and_placed_once(pack: Pack, desk: ToolContext) -> None:
    verify(pack, desk, "cust_ines")
    assert call(pack, desk, "place_account_hold", reason_code="lost_card")["error_code"] == "DISCLOSURE_MISSING"
    assert call(pack, desk, "place_account_hold", reason_code="lost_card", disclosed=True)["ok"]
    again = call(pack, desk, "place_account_hold", reason_code="lost_card", disclosed=True)
    assert again["error_code"] == "HOLD_EXISTS"


def test_anybody_may_be_handed_to_a_person_for_a_known_reason(pack: Pack, desk: ToolContext) -> None:
    assert pack.tools["escalate_to_human"].ends_call
    assert call(pack, desk, "escalate_to_human", reason_code="boredom")["error_code"] == "INVALID_ARGUMENTS"
    unwarned = call(pack, desk, "escalate_to_human", reason_code="safety", summary="smoke")
    assert unwarned["error_code"] == "SAFETY_WARNING_NOT_LOGGED"
    silent = call(pack, desk, "log_safety_warning", hazard="heat_or_smoke")
    assert silent["error_code"] == "WARNING_NOT_SPOKEN"
    assert call(pack, desk, "log_safety_warning", hazard="heat_or_smoke", warning_given=True)["ok"]
    assert call(pack, desk, "escalate_to_human", reason_code="safety", summary="smoke")["data"]["escalation_id"]
    rows = dump_state(desk.db, pack.spec)["escalations"]
    assert {"customer_id": None, "reason_code": "safety", "summary": "smoke"}.items() <= rows[-1].items()
