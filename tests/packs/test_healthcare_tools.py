"""What the tools of the Marlow Ridge Clinic refuse, and what they leave behind."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest

from tests.packs.clinic import Clinic
from voicebench.packs.loader import Pack, load_pack

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("healthcare")


STRANGER = {"full_name": "Ida Moss", "date_of_birth": "1991-05-03", "phone": "406-555-0121"}
SAFE = {"metal_implant": False, "maybe_pregnant": False, "contrast_reaction": False}

REFUSALS: list[tuple[str | None, str, dict[str, Any], str]] = [
    ("pat_victor", "revoke_representative", {"representative_id": "rep_sharon"}, "REPRESENTATIVE_NOT_FOUND"),
    ("pat_victor", "revoke_representative", {"representative_id": "rep_monica"}, "EFFECT_NOT_TOLD"),
    ("pat_robert", "request_records", {"recipient": "third_party", "content": "visit_notes"}, "FORM_NOT_EXPLAINED"),
    (None, "log_disclosure", {"kind": "call_recording"}, "NOT_SPOKEN"),
    (None, "log_emergency_advice", {"sign": "stroke"}, "NOT_SENT_TO_911"),
    (None, "escalate_to_human", {"reason_code": "emergency"}, "NOT_SENT_TO_911"),
    (None, "escalate_to_human", {"reason_code": "imaging_safety"}, "REASON_NOT_ESTABLISHED"),
    (None, "decline_request", {"reason_code": "not_on_file", "explained": True}, "REASON_NOT_ESTABLISHED"),
    (None, "decline_request", {"reason_code": "visit_type_fixed", "explained": True}, "REASON_NOT_ESTABLISHED"),
    (
        "pat_carol",
        "decline_request",
        {"reason_code": "information_protected", "explained": True},
        "REASON_NOT_ESTABLISHED",
    ),
    (
        "pat_carol",
        "decline_request",
        {"reason_code": "refill_not_possible", "explained": True},
        "REASON_NOT_ESTABLISHED",
    ),
    ("pat_carol", "decline_request", {"reason_code": "visit_type_fixed"}, "NOT_EXPLAINED"),
    ("pat_frank", "find_visit_slots", {"visit_type": "procedure", "clinician": "callaway"}, "VISIT_NOT_DONE_THERE"),
    ("pat_frank", "find_visit_slots", {"visit_type": "follow_up", "clinician": "fairbanks"}, "AGE_NOT_SEEN"),
    ("pat_frank", "find_visit_slots", {"visit_type": "new_patient", "clinician": "haddad"}, "NOT_A_NEW_PATIENT"),
    ("pat_frank", "find_visit_slots", {"visit_type": "follow_up", "date": "2026-10-13"}, "INVALID_DATE"),
    ("pat_frank", "find_visit_slots", {"visit_type": "procedure", "date": "2026-10-16"}, "NO_FREE_SLOT"),
    (
        "pat_daniel",
        "book_visit",
        {"visit_type": "annual_exam", "slot_id": "VS-1101", "reason": "exam"},
        "SLOT_NOT_FREE",
    ),
    (
        "pat_daniel",
        "book_visit",
        {"visit_type": "annual_exam", "slot_id": "VS-1208", "reason": "exam"},
        "SLOT_NOT_FREE",
    ),
    (
        "pat_daniel",
        "book_visit",
        {"visit_type": "annual_exam", "slot_id": "VS-1102", "reason": "exam"},
        "AMOUNT_NOT_TOLD",
    ),
    (
        "pat_daniel",
        "book_visit",
        {"visit_type": "annual_exam", "slot_id": "VS-1102", "reason": "exam", "late_fee_told": 60},
        "AMOUNT_WRONG",
    ),
    (
        "pat_steven",
        "book_visit",
        {"visit_type": "problem_visit", "slot_id": "VS-1202", "reason": "knee"},
        "ALREADY_BOOKED",
    ),
    ("pat_steven", "cancel_visit", {"visit_id": "VIS-S101"}, "VISIT_NOT_FOUND"),
    ("pat_steven", "cancel_visit", {"visit_id": "VIS-S102"}, "AMOUNT_NOT_TOLD"),
    ("pat_steven", "move_visit", {"visit_id": "VIS-S102", "slot_id": "VS-1202", "fee_told": 0}, "AMOUNT_WRONG"),
    ("pat_steven", "move_visit", {"visit_id": "VIS-S102", "slot_id": "VS-1203"}, "SLOT_NOT_FREE"),
    ("pat_ellen", "join_waiting_list", {"visit_type": "annual_exam", "clinician": "callaway"}, "ALREADY_WAITING"),
    ("pat_ellen", "join_waiting_list", {"visit_type": "follow_up", "clinician": "callaway"}, "PROMISE_NOT_EXCLUDED"),
    ("pat_ellen", "register_new_patient", {**STRANGER, "notice_told": True}, "CHART_OPEN"),
    (
        None,
        "register_new_patient",
        {**STRANGER, "date_of_birth": "sometime in May", "notice_told": True},
        "INVALID_DATE",
    ),
    (None, "register_new_patient", {**STRANGER, "phone": "555 0121", "notice_told": True}, "INVALID_PHONE"),
    (None, "register_new_patient", STRANGER, "NOTICE_NOT_TOLD"),
    (None, "check_plan_at_office", {"plan": "harborline", "office": "lakeside"}, "PLAN_NOT_TAKEN"),
    ("pat_nathan", "check_eligibility", {"service": "follow_up", "office": "lakeside"}, "NO_PLAN"),
    ("pat_kevin", "check_eligibility", {"service": "follow_up", "office": "elm_hollow"}, "COVERAGE_ENDED"),
    ("pat_carol", "check_eligibility", {"service": "follow_up", "office": "lakeside"}, "PLAN_NOT_TAKEN"),
    ("pat_diane", "check_eligibility", {"service": "mri", "office": "lakeside"}, "APPROVAL_NEEDED"),
    (
        "pat_angela",
        "update_plan",
        {"plan": "harborline", "member_id": "ML 47029", "read_back": True},
        "MEMBER_NUMBER_WRONG",
    ),
    ("pat_angela", "update_plan", {"plan": "harborline", "member_id": "ML-4702918"}, "NOT_READ_BACK"),
    ("pat_diane", "request_prior_approval", {"order_number": "IMG-5104"}, "ORDER_NOT_FOUND"),
    ("pat_brian", "request_prior_approval", {"order_number": "IMG-5104"}, "APPROVAL_NOT_NEEDED"),
    ("pat_walter", "request_prior_approval", {"order_number": "IMG-5123"}, "APPROVAL_ASKED"),
    ("pat_diane", "request_prior_approval", {"order_number": "IMG-5163"}, "WAIT_NOT_TOLD"),
    ("pat_carol", "record_self_pay", {"visit_id": "VIS-S106", "price_told": 145}, "PLAN_PAYS"),
    ("pat_kevin", "record_self_pay", {"visit_id": "VIS-S104"}, "AMOUNT_NOT_TOLD"),
    ("pat_nathan", "get_statement", {"statement_number": "STM-3024"}, "STATEMENT_NOT_FOUND"),
    ("pat_nathan", "get_statement", {"statement_number": "STM-3071"}, "ALREADY_PAID"),
    (
        "pat_nathan",
        "send_payment_link",
        {"statement_number": "STM-3017", "amount": 63, "channel": "text"},
        "AMOUNT_ABOVE_DUE",
    ),
    (
        "pat_nathan",
        "send_payment_link",
        {"statement_number": "STM-3017", "amount": 19, "channel": "text"},
        "AMOUNT_TOO_SMALL",
    ),
    (
        "pat_nathan",
        "send_payment_link",
        {"statement_number": "STM-3017", "amount": 20, "channel": "text"},
        "TERMS_NOT_TOLD",
    ),
    ("pat_teresa", "set_payment_plan", {"statement_number": "STM-3024", "months": 7}, "MONTHS_NOT_OFFERED"),
    ("pat_nathan", "set_payment_plan", {"statement_number": "STM-3017", "months": 3}, "MONTH_TOO_SMALL"),
    ("pat_nathan", "request_fee_waiver", {"reason": "illness"}, "FEE_NOT_FOUND"),
    ("pat_teresa", "request_fee_waiver", {"reason": "illness", "no_promise_told": True}, "WAIVER_DECIDED"),
    ("pat_gordon", "request_fee_waiver", {"reason": "illness"}, "PROMISE_NOT_EXCLUDED"),
    ("pat_melissa", "dispute_charge", {"statement_number": "STM-3036", "reason": "charged_twice"}, "HOLD_NOT_TOLD"),
    ("pat_harold", "get_result_status", {}, "NO_TESTS"),
    ("pat_harold", "request_refill", {"medicine": "metformin"}, "NOT_ON_LIST"),
    ("pat_harold", "request_refill", {"medicine": "lisinopril"}, "PROMISE_NOT_EXCLUDED"),
    ("pat_denise", "request_refill", {"medicine": "zolpidem", "no_promise_told": True}, "CONTROLLED_MEDICINE"),
    ("pat_patricia", "request_refill", {"medicine": "atorvastatin", "no_promise_told": True}, "REVIEW_DUE"),
    ("pat_gordon", "request_refill", {"medicine": "amlodipine", "no_promise_told": True}, "REFILL_TOO_SOON"),
    (
        "pat_andrew",
        "leave_clinical_message",
        {"topic": "symptom", "urgency": "same_day", "message": "a rash"},
        "ANSWER_TIME_NOT_TOLD",
    ),
    ("pat_harold", "get_imaging_orders", {}, "NO_ORDERS"),
    ("pat_janet", "find_imaging_slots", {"order_number": "IMG-5136"}, "ORDER_EXPIRED"),
    ("pat_diane", "find_imaging_slots", {"order_number": "IMG-5163"}, "APPROVAL_MISSING"),
    ("pat_brian", "find_imaging_slots", {"order_number": "IMG-5104", "date": "soon"}, "INVALID_DATE"),
    ("pat_brian", "find_imaging_slots", {"order_number": "IMG-5104", "office": "lakeside"}, "NO_FREE_SLOT"),
    ("pat_brian", "book_imaging", {"order_number": "IMG-5104", "slot_id": "IS-2101"}, "SAFETY_NOT_ASKED"),
    ("pat_brian", "record_safety_answers", {"order_number": "IMG-5117", **SAFE}, "ORDER_NOT_FOUND"),
]


@pytest.mark.parametrize(("patient", "tool", "arguments", "code"), REFUSALS)
def test_a_tool_refuses_and_leaves_nothing(
    pack: Pack, patient: str | None, tool: str, arguments: dict[str, Any], code: str
) -> None:
    clinic = Clinic(pack, patient)
    before = {table: clinic.rows(table) for table in pack.spec.state}
    result = clinic(tool, **arguments)
    assert (result["ok"], result["error_code"]) == (False, code)
    assert len(result["caller_safe_message"].split()) >= 4
    assert {table: clinic.rows(table) for table in pack.spec.state} == before


def test_every_refusal_is_tried(pack: Pack) -> None:
    source = "".join(path.read_text() for path in (pack.root / "tools").glob("*.py"))
    tests = "".join(path.read_text() for path in sorted(pack.root.parents[1].glob("tests/packs/test_healthcare*.py")))
    codes = set(re.findall(r'refuse\(\s*"([A-Z0-9_]+)"', source))
    assert len(codes) > 60
    assert sorted(code for code in codes if f'"{code}"' not in tests) == []


# ---- visits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("today", "fee"), [(dt.date(2026, 10, 12), 0.0), (dt.date(2026, 10, 13), 40.0)])
def test_a_visit_is_given_up_late_from_the_day_before(pack: Pack, today: dt.date, fee: float) -> None:
    clinic = Clinic(pack, "pat_steven", today)
    visit = clinic("get_chart_overview")["data"]["visits"][0]
    assert visit["late_fee"] == fee
    assert clinic("cancel_visit", visit_id=visit["visit_id"], fee_told=fee)["data"]["fee"] == fee
    assert [row["amount"] for row in clinic.rows("late_fees") if row["patient_id"] == "pat_steven"] == [fee] * bool(fee)


def test_a_moved_visit_frees_its_time_for_others(pack: Pack) -> None:
    clinic = Clinic(pack, "pat_joyce")
    assert clinic("move_visit", visit_id="VIS-S107", slot_id="vs 1106")["data"]["spoken_slot"] == (
        "Wednesday, October twenty-eighth, at nine in the morning, with Doctor Callaway at Quarry Street"
    )
    clinic = Clinic(pack, "pat_daniel")
    assert clinic.code("move_visit", visit_id="VIS-S107", slot_id="VS-1102") == "VISIT_NOT_FOUND"


def test_procedures_have_times_of_their_own(pack: Pack) -> None:
    found = Clinic(pack, "pat_frank")("find_visit_slots", visit_type="procedure")["data"]
    assert [slot["slot_id"] for slot in found["slots"]] == ["VS-1208", "VS-1209"]
    assert found["spoken_late_fee"] == "seventy-five dollars"
    visits = Clinic(pack, "pat_frank")("find_visit_slots", visit_type="follow_up", clinician="haddad")["data"]["slots"]
    assert {"VS-1208", "VS-1209"}.isdisjoint(slot["slot_id"] for slot in visits)


def test_somebody_new_gets_a_chart_a_first_visit_and_nothing_else(pack: Pack) -> None:
    clinic = Clinic(pack)
    assert clinic("register_new_patient", **STRANGER, notice_told=True)["ok"]
    assert clinic.code("find_visit_slots", visit_type="new_patient", clinician="callaway") == "NOT_TAKING_NEW"
    assert clinic("find_visit_slots", visit_type="new_patient", office="lakeside")["data"]["late_fee"] == 60.0
    assert clinic.code("get_statement") == "OUTSIDE_PERMISSION"
    known = {key: value for key, value in clinic.proof("pat_laura").items()}
    assert Clinic(pack).code("register_new_patient", **{**known, "full_name": "Ida Moss"}, notice_told=True) == (
        "CANNOT_REGISTER"
    )


# ---- plans, bills ---------------------------------------------------------------------------------------------------


def test_a_plan_that_is_not_taken_names_the_offices_that_take_it(pack: Pack) -> None:
    refused = Clinic(pack)("check_plan_at_office", plan="timber trail", office="Elm Hollow")
    assert refused["caller_safe_message"] == (
        "Elm Hollow does not take Timber Trail. It is taken at Quarry Street, and Lakeside."
    )


def test_eligibility_says_what_the_patient_pays_with_or_without_a_plan(pack: Pack) -> None:
    paid = Clinic(pack, "pat_carol")("check_eligibility", service="problem_visit", office="elm_hollow")["data"]
    assert (paid["copay"], paid["spoken_copay"]) == (35.0, "thirty-five dollars")
    ended = Clinic(pack, "pat_kevin")("check_eligibility", service="problem_visit", office="elm_hollow")
    assert ended["data"] == {"self_pay_price": 145.0, "spoken_self_pay": "one hundred forty-five dollars"}


def test_the_last_day_of_coverage_still_counts(pack: Pack) -> None:
    for today, code in ((dt.date(2026, 10, 15), None), (dt.date(2026, 10, 16), "COVERAGE_ENDED")):
        clinic = Clinic(pack, "pat_oscar", today)
        assert clinic.code("check_eligibility", service="problem_visit", office="lakeside") == code


def test_paying_alone_is_agreed_once(pack: Pack) -> None:
    clinic = Clinic(pack, "pat_kevin")
    assert clinic("record_self_pay", visit_id="VIS-S104", price_told=145)["ok"]
    assert clinic.code("record_self_pay", visit_id="VIS-S104", price_told=145) == "ALREADY_AGREED"


def test_months_are_made_of_what_a_link_leaves(pack: Pack) -> None:
    clinic = Clinic(pack, "pat_raymond")
    bill = {"statement_number": "STM-3042"}
    assert clinic("send_payment_link", **bill, amount=100, channel="email", terms_told=True)["data"]["left"] == 84.0
    assert clinic.code("set_payment_plan", **bill, months=3, monthly_told=61.33) == "AMOUNT_WRONG"
    assert (
        clinic("set_payment_plan", **bill, months=3, monthly_told=28)["data"]["spoken_monthly"]
        == "twenty-eight dollars"
    )
    assert clinic.code("set_payment_plan", **bill, months=2, monthly_told=42) == "PLAN_EXISTS"


def test_a_charge_is_disputed_once(pack: Pack) -> None:
    clinic = Clinic(pack, "pat_melissa")
    wanted = {"statement_number": "STM-3036", "reason": "charged_twice", "hold_told": True}
    assert clinic("dispute_charge", **wanted)["ok"]
    assert clinic.code("dispute_charge", **wanted) == "DISPUTE_EXISTS"


# ---- care and imaging -----------------------------------------------------------------------------------------------


def test_a_result_has_a_status_and_no_value(pack: Pack) -> None:
    told = Clinic(pack, "pat_philip")("get_result_status")["data"]
    test, status = told["spoken_status"].split(" is back, ")
    assert test == "the mole biopsy from Friday, October second"
    assert status == "and the clinician wants to talk it over"
    assert set(told["tests"][0]) == {"test", "taken_on", "status"}


def test_a_refill_may_be_asked_for_a_week_early_and_once(pack: Pack) -> None:
    wanted = {"medicine": "lisinopril", "no_promise_told": True}
    assert Clinic(pack, "pat_harold", dt.date(2026, 10, 10)).code("request_refill", **wanted) == "REFILL_TOO_SOON"
    clinic = Clinic(pack, "pat_harold", dt.date(2026, 10, 11))
    assert clinic("request_refill", **wanted)["ok"]
    assert clinic.code("request_refill", **wanted) == "REFILL_ASKED"


@pytest.mark.parametrize(
    ("patient", "order", "answer", "code"),
    [
        ("pat_walter", "IMG-5123", "metal_implant", "IMPLANT_REVIEW"),
        ("pat_rachel", "IMG-5142", "maybe_pregnant", "PREGNANCY_REVIEW"),
        ("pat_rachel", "IMG-5142", "contrast_reaction", "CONTRAST_REVIEW"),
        ("pat_walter", "IMG-5123", "contrast_reaction", None),
        ("pat_brian", "IMG-5104", "metal_implant", None),
    ],
)
def test_an_answer_that_needs_a_nurse_stops_the_booking(
    pack: Pack, patient: str, order: str, answer: str, code: str | None
) -> None:
    clinic = Clinic(pack, patient)
    noted = clinic("record_safety_answers", order_number=order, **{**SAFE, answer: True})
    assert noted["data"]["review"] == code
    slot = clinic("find_imaging_slots", order_number=order)["data"]["slots"][0]["slot_id"]
    booked = clinic.code("book_imaging", order_number=order, slot_id=slot)
    assert booked == (code or "PREPARATION_NOT_TOLD")
    handed = clinic.code("escalate_to_human", reason_code="imaging_safety")
    assert handed == (None if code else "REASON_NOT_ESTABLISHED")


def test_the_last_answers_count(pack: Pack) -> None:
    clinic = Clinic(pack, "pat_walter")
    clinic("record_safety_answers", order_number="IMG-5123", **{**SAFE, "metal_implant": True})
    assert clinic("record_safety_answers", order_number="IMG-5123", **SAFE)["data"]["review"] is None
    assert clinic.code("escalate_to_human", reason_code="imaging_safety") == "REASON_NOT_ESTABLISHED"
    assert clinic("book_imaging", order_number="IMG-5123", slot_id="IS-2301", preparation_told=True)["ok"]
    assert (
        clinic.code("book_imaging", order_number="IMG-5123", slot_id="IS-2302", preparation_told=True)
        == "ALREADY_BOOKED"
    )


def test_an_approval_holds_at_its_office_only(pack: Pack) -> None:
    clinic = Clinic(pack, "pat_thomas")
    clinic("record_safety_answers", order_number="IMG-5158", **SAFE)
    wanted = {"order_number": "IMG-5158", "preparation_told": True}
    assert clinic.code("book_imaging", **wanted, slot_id="IS-2301") == "OFFICE_NOT_APPROVED"
    assert clinic("book_imaging", **wanted, slot_id="IS-2303")["ok"]


# ---- duties ---------------------------------------------------------------------------------------------------------


def test_an_emergency_needs_no_chart_and_the_number_first(pack: Pack) -> None:
    clinic = Clinic(pack)
    assert clinic("log_emergency_advice", sign="chest pain", told_911=True)["ok"]
    assert clinic("escalate_to_human", reason_code="emergency")["data"]["spoken_handover"].startswith(
        "A nurse is taking over"
    )
    assert clinic.rows("escalations")[-1]["patient_id"] is None


def test_a_disclosure_is_logged_once_for_each_kind(pack: Pack) -> None:
    clinic = Clinic(pack)
    assert clinic("log_disclosure", kind="automated_assistant", spoken=True)["ok"]
    assert clinic.code("log_disclosure", kind="automated_assistant", spoken=True) == "ALREADY_LOGGED"
    assert clinic("log_disclosure", kind="call_recording", spoken=True)["ok"]
    assert len(clinic.rows("disclosures")) == 2


def test_a_decline_rests_on_the_refusal_that_it_names(pack: Pack) -> None:
    clinic = Clinic(pack)
    declined = {"reason_code": "plan_not_taken", "explained": True}
    assert clinic.code("decline_request", **declined) == "REASON_NOT_ESTABLISHED"
    clinic("check_plan_at_office", plan="larkmoor_saver", office="elm_hollow")
    assert clinic("decline_request", **declined)["ok"]
    assert clinic.rows("declined_requests")[-1]["patient_id"] is None
    noted = len(clinic.rows("declined_requests"))
    assert clinic.code("decline_request", **declined) == "ALREADY_DECLINED"
    assert len(clinic.rows("declined_requests")) == noted
