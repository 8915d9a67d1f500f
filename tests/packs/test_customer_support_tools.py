"""What the tools of Kestrel Electronics refuse: late fees, prices, tiers, appointments, security, and the law."""

from __future__ import annotations

from typing import Any

import pytest

from voicebench.packs import ToolContext, dump_state
from voicebench.packs.loader import Pack, load_pack
from voicebench.record.json_types import JsonObject

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("customer_support")


class Counter:
    """One desk and the customer who is verified at it."""

    def __init__(self, pack: Pack, customer: str) -> None:
        self.pack, self.desk = pack, pack.open_context()
        row = self.desk.one("SELECT * FROM customers WHERE customer_id = ?", customer)
        assert row is not None
        assert self("identify_customer", phone=row["phone"])["ok"]
        assert self("verify_identity", postal_code=row["postal_code"], card_last4=row["card_last4"])["ok"]

    def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.pack.tools[name].invoke(self.desk, arguments)

    def code(self, name: str, **arguments: Any) -> Any:
        return self(name, **arguments)["error_code"]

    def rows(self, table: str) -> list[dict[str, Any]]:
        return dump_state(self.desk.db, self.pack.spec)[table]


def tier(desk: ToolContext, customer: str, name: str) -> None:
    desk.db.execute("UPDATE memberships SET tier = ? WHERE customer_id = ?", (name, customer))


# ---- orders ---------------------------------------------------------------------------------------------------------


def test_a_late_change_costs_what_was_quoted_and_an_early_one_nothing(pack: Pack) -> None:
    late = Counter(pack, "cust_helen")
    order = {"order_number": "KE-4501948", "date": "2026-08-07"}
    assert late("get_delivery_days", order_number="KE-4501948")["data"]["change_fee"] == 25.0
    assert late.code("change_delivery_date", **order) == "FEE_NOT_QUOTED"
    assert late.code("change_delivery_date", **order, fee_quoted=9) == "FEE_MISMATCH"
    assert late("change_delivery_date", **order, fee_quoted="25 dollars")["ok"]
    assert [(row["kind"], row["amount"]) for row in late.rows("adjustments")] == [("late_delivery_change", 25.0)]
    assert late("change_delivery_date", order_number="KE-4501948", date="2026-08-12")["ok"]
    assert len(late.rows("adjustments")) == 1


def test_pro_never_pays_for_a_late_change(pack: Pack) -> None:
    desk = Counter(pack, "cust_helen")
    tier(desk.desk, "cust_helen", "pro")
    assert desk("get_delivery_days", order_number="KE-4501948")["data"]["spoken_change_fee"] == "zero dollars"
    assert desk("change_delivery_date", order_number="KE-4501948", date="2026-08-07")["ok"]


def test_dear_orders_are_handed_to_an_adult(pack: Pack) -> None:
    desk = Counter(pack, "cust_abigail")
    for instruction in ("neighbour", "leave_at_door"):
        wanted = {"order_number": "KE-4504419", "instruction": instruction}
        assert desk.code("set_delivery_instructions", **wanted) == "ADULT_SIGNATURE_REQUIRED"
    assert desk("set_delivery_instructions", order_number="KE-4504419", instruction="ring bell")["ok"]
    done = desk.code("set_delivery_instructions", order_number="KE-4495280", instruction="ring_bell")
    assert done == "NOT_ON_ITS_WAY"
    ines = Counter(pack, "cust_ines")
    assert ines("set_delivery_instructions", order_number="KE-4503850", instruction="neighbour")["ok"]


def test_a_search_needs_a_delivery_a_question_and_a_week_at_most(pack: Pack) -> None:
    desk = Counter(pack, "cust_rosa")
    assert desk.code("report_missing_delivery", order_number="KE-4493166", household_asked=True) == (
        "CLAIM_WINDOW_PASSED"
    )
    assert desk.code("report_missing_delivery", order_number="KE-4500284") == "QUESTION_MISSING"
    opened = desk("report_missing_delivery", order_number="KE-4500284", household_asked=True)["data"]
    assert opened["spoken_answer_by"] == "Wednesday, August fifth"
    assert desk.code("report_missing_delivery", order_number="KE-4500284", household_asked=True) == "CLAIM_EXISTS"


@pytest.mark.parametrize(
    ("customer", "order", "competitor", "offer", "price", "code"),
    [
        ("cust_peter", "KE-4501673", "brightway", "new", 1079, None),
        ("cust_peter", "KE-4501673", "brightway", "new", 1149, "PRICE_NOT_LOWER"),
        ("cust_peter", "KE-4501673", "online marketplace", "new", 900, "COMPETITOR_NOT_MATCHED"),
        ("cust_peter", "KE-4501673", "parkline", "clearance", 900, "OFFER_EXCLUDED"),
        ("cust_ines", "KE-4503850", "parkline", "new", 400, "CLASS_NOT_MATCHED"),
        ("cust_samuel", "KE-4490572", "parkline", "new", 250, "MATCH_WINDOW_PASSED"),
        ("cust_tomas", "KE-4479002", "parkline", "new", 200, "MARKETPLACE_SELLER_POLICY"),
    ],
)
def test_what_is_matched_and_what_is_not(
    pack: Pack, customer: str, order: str, competitor: str, offer: str, price: float, code: str | None
) -> None:
    desk = Counter(pack, customer)
    wanted = {"order_number": order, "competitor": competitor, "offer": offer, "price": price}
    assert desk.code("check_price_match", **wanted) == code
    assert desk.code("apply_price_match", **wanted, credit_quoted=1) == (code or "CREDIT_NOT_QUOTED")


def test_a_price_is_matched_once(pack: Pack) -> None:
    desk = Counter(pack, "cust_peter")
    wanted = {"order_number": "KE-4501673", "competitor": "brightway", "offer": "new", "price": 1079}
    assert desk("apply_price_match", **wanted, credit_quoted=70)["data"]["spoken_credit"] == "seventy dollars"
    assert desk.rows("adjustments")[-1]["amount"] == -70.0
    assert desk.code("apply_price_match", **wanted, credit_quoted=70) == "ALREADY_MATCHED"


# ---- returns and service --------------------------------------------------------------------------------------------


def test_a_sealed_box_has_no_fee_and_a_battery_does_not_travel_by_mail(pack: Pack) -> None:
    desk = Counter(pack, "cust_nadia")
    drone = {"order_number": "KE-4499860", "reason_code": "changed_mind", "method": "mail"}
    assert desk.code("open_return", **drone, fee_quoted=112.35, opened=False) == "FEE_MISMATCH"
    assert desk("open_return", **drone, fee_quoted=0, opened=False)["data"]["refund_amount"] == 749.0
    battery = {"order_number": "KE-4497904", "reason_code": "changed_mind", "fee_quoted": 0}
    assert desk.code("open_return", **battery, method="mail") == "MAIL_NOT_ALLOWED"
    assert desk("open_return", **battery, method="store")["ok"]


def test_a_return_is_cancelled_while_it_is_open(pack: Pack) -> None:
    desk = Counter(pack, "cust_helen")
    assert desk.code("get_return_status", order_number="KE-4460983") == "RETURN_NOT_FOUND"
    assert desk("get_return_status", order_number="KE-4494402")["data"]["status"] == "open"
    assert desk("cancel_return", order_number="KE-4494402")["ok"]
    assert desk.code("cancel_return", order_number="KE-4494402") == "RETURN_NOT_OPEN"
    assert Counter(pack, "cust_priya").code("cancel_return", order_number="KE-4497361") == "RETURN_NOT_OPEN"


def test_a_tier_bought_today_opens_no_window(pack: Pack) -> None:
    desk = Counter(pack, "cust_rosa")
    assert desk.code("check_return_eligibility", order_number="KE-4493166") == "WINDOW_PASSED"
    due = desk("quote_tier_change", tier="pro")["data"]["amount_due"]
    assert desk("change_membership", tier="pro", amount_quoted=due)["ok"]
    assert desk.code("check_return_eligibility", order_number="KE-4493166") == "WINDOW_PASSED"


def test_the_tier_takes_its_part_off_what_nobody_covers(pack: Pack) -> None:
    desk = Counter(pack, "cust_owen")
    issue = {"order_number": "KE-4487159", "issue": "it fell and the hinge is off"}
    assert desk("check_coverage", **issue)["data"]["spoken_fees"]["bench"] == "forty-four dollars and ten cents"
    tier(desk.desk, "cust_owen", "pro")
    assert desk("check_coverage", **issue)["data"]["fees"]["bench"] == 39.2
    warranty = desk("check_coverage", order_number="KE-4487159", issue="the fan is loud")["data"]
    assert (warranty["covered_by"], warranty["fees"]["bench"]) == ("the maker's warranty", 0.0)


def test_an_appointment_of_tomorrow_moves_for_a_fee(pack: Pack) -> None:
    desk = Counter(pack, "cust_walter")
    moved = {"appointment_id": "APT-S301", "date": "2026-08-05"}
    assert desk.code("reschedule_service_appointment", appointment_id="APT-S301", date="soon") == "INVALID_DATE"
    assert desk.code("reschedule_service_appointment", appointment_id="APT-S301", date="2026-08-04") == "NO_FREE_SLOT"
    assert desk.code("reschedule_service_appointment", **moved) == "FEE_NOT_QUOTED"
    answer = desk("reschedule_service_appointment", **moved, fee_quoted=15)["data"]
    assert answer["spoken_when"] == "Wednesday, August fifth, at eleven in the morning"
    later = {"appointment_id": "APT-S301", "date": "2026-08-07"}
    assert desk("reschedule_service_appointment", **later)["data"]["fee"] == 0
    assert desk.code("reschedule_service_appointment", appointment_id="APT-S303", date="2026-08-05") == (
        "APPOINTMENT_NOT_FOUND"
    )


# ---- membership -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("customer", "code"),
    [
        ("cust_leah", None),
        ("cust_dana", "NO_RENEWAL_CHARGE"),
        ("cust_yusuf", "RENEWAL_REFUND_WINDOW_PASSED"),
        ("cust_abigail", "BENEFIT_USED"),
    ],
)
def test_a_fee_comes_back_within_two_weeks_and_unused(pack: Pack, customer: str, code: str | None) -> None:
    desk = Counter(pack, customer)
    assert desk.code("request_renewal_refund") == (code or "AMOUNT_NOT_QUOTED")
    done = desk("request_renewal_refund", amount_quoted=59)
    assert (done["ok"], done["error_code"]) == (code is None, code)


# ---- security -------------------------------------------------------------------------------------------------------


def test_a_hold_stops_changes(pack: Pack) -> None:
    desk = Counter(pack, "cust_elliot")
    assert desk("get_customer_summary")["data"]["account_on_hold"] is True
    assert desk.code("change_delivery_date", order_number="KE-4503377", date="2026-08-06") == "ACCOUNT_ON_HOLD"
    assert desk.code("cancel_order", order_number="KE-4503377") == "ACCOUNT_ON_HOLD"
    assert desk.code("change_membership", tier="pro", amount_quoted=0) == "ACCOUNT_ON_HOLD"


def test_security_acts_wait_for_what_must_be_said(pack: Pack) -> None:
    desk = Counter(pack, "cust_dana")
    assert desk.code("dispute_order", order_number="KE-4504702") == "QUESTION_MISSING"
    assert desk("dispute_order", order_number="KE-4504702", household_asked=True)["ok"]
    assert desk.code("dispute_order", order_number="KE-4504702", household_asked=True) == "DISPUTE_EXISTS"
    scam = {"channel": "text", "asked_for": "gift cards", "gave_away": "no"}
    assert desk.code("report_scam", **scam) == "WARNING_NOT_SPOKEN"
    assert desk("report_scam", **scam, warned=True)["ok"]
    assert desk.rows("scam_reports")[-1]["gave_away"] == 0
    assert desk.code("sign_out_everywhere") == "DISCLOSURE_MISSING"
    assert desk("sign_out_everywhere", disclosed=True)["ok"]


# ---- the law, and refusals ------------------------------------------------------------------------------------------


def test_a_recall_is_registered_after_its_notice(pack: Pack) -> None:
    desk = Counter(pack, "cust_yusuf")
    bank = "KE-4492048"
    assert desk.code("check_return_eligibility", order_number=bank) == "RECALLED_DEVICE"
    assert "overheat" in desk("get_recall", order_number=bank)["data"]["spoken_notice"]
    assert desk.code("register_recall", order_number=bank, remedy="refund") == "NOTICE_NOT_READ"
    assert desk("register_recall", order_number=bank, remedy="refund", notice_read=True)["ok"]
    assert desk.code("register_recall", order_number=bank, remedy="refund", notice_read=True) == "ALREADY_REGISTERED"
    other = Counter(pack, "cust_grace")
    assert other.code("get_recall", order_number="KE-4471860") == "NOT_RECALLED"


def test_an_account_is_deleted_only_when_nothing_is_open(pack: Pack) -> None:
    desk = Counter(pack, "cust_helen")
    refused = desk("file_data_request", kind="deletion", disclosed=True)
    assert refused["error_code"] == "OPEN_BUSINESS"
    assert "an order on its way, an open return, and a service appointment" in refused["caller_safe_message"]
    free = Counter(pack, "cust_walter")
    assert free.code("file_data_request", kind="copy", disclosed=True) == "REQUEST_EXISTS"
    leah = Counter(pack, "cust_leah")
    assert leah.code("file_data_request", kind="deletion") == "DISCLOSURE_MISSING"
    assert leah("file_data_request", kind="deletion", disclosed=True)["ok"]


def test_advertising_is_set_by_channel(pack: Pack) -> None:
    desk = Counter(pack, "cust_dana")
    assert desk("set_contact_preference", channel="phone", allowed=False)["ok"]
    assert desk.code("set_contact_preference", channel="phone", allowed=False) == "ALREADY_SET"
    rows = [row for row in desk.rows("contact_preferences") if row["customer_id"] == "cust_dana"]
    assert {row["channel"]: row["allowed"] for row in rows} == {"phone": 0, "text": 1, "email": 1}


def test_anybody_may_stop_the_recording_once(pack: Pack) -> None:
    desk = pack.open_context()
    assert pack.tools["log_disclosure"].invoke(desk, {"kind": "call_recording"})["error_code"] == "DISCLOSURE_MISSING"
    told: JsonObject = {"kind": "call_recording", "spoken": True}
    assert pack.tools["log_disclosure"].invoke(desk, told)["ok"]
    assert pack.tools["log_disclosure"].invoke(desk, told)["error_code"] == "ALREADY_LOGGED"
    codes = [pack.tools["stop_recording"].invoke(desk, {})["error_code"] for _ in range(2)]
    assert codes == [None, "ALREADY_STOPPED"]


def test_a_refusal_is_filed_for_what_was_refused_and_explained(pack: Pack) -> None:
    desk = Counter(pack, "cust_priya")
    phone = {"reason_code": "window_passed", "order_number": "KE-4496713"}
    assert desk.code("file_refusal", **phone, explained=True) == "REASON_NOT_ESTABLISHED"
    desk("check_return_eligibility", order_number="KE-4496713")
    assert desk.code("file_refusal", **phone) == "EXPLANATION_MISSING"
    assert desk.code("file_refusal", reason_code="identity_not_proved", explained=True) == "REASON_NOT_ESTABLISHED"
    assert desk("file_refusal", **phone, explained=True)["ok"]
    assert desk.rows("refusals")[-1]["order_number"] == "KE-4496713"
    filed = len(desk.rows("refusals"))
    assert desk.code("file_refusal", **phone, explained=True) == "ALREADY_FILED"
    assert len(desk.rows("refusals")) == filed


def test_without_identity_only_that_is_refused(pack: Pack) -> None:
    desk = pack.open_context()
    refuse = pack.tools["file_refusal"].invoke
    other = refuse(desk, {"reason_code": "information_protected", "explained": True})
    assert other["error_code"] == "REASON_NOT_ESTABLISHED"
    assert refuse(desk, {"reason_code": "identity_not_proved", "explained": True})["ok"]
    assert dump_state(desk.db, pack.spec)["refusals"][-1]["customer_id"] is None
