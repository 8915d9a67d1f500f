"""What the tools of the law firm refuse, and what they leave behind when they do not."""

from __future__ import annotations

from typing import Any

import pytest

from voicebench.packs import dump_state
from voicebench.packs.loader import Pack, load_pack

pytestmark = pytest.mark.unit

JOAN = {"matter_number": "253147", "date_of_birth": "1968-04-09", "phone_code": "58214"}
HENRY = {"matter_number": "238604", "date_of_birth": "1951-08-12", "phone_code": "96031"}
LAURA = {"matter_number": "249751", "date_of_birth": "1994-01-28", "phone_code": "82416"}
OSCAR = {"matter_number": "254068", "date_of_birth": "1963-03-19", "phone_code": "17539"}
NINA = {"matter_number": "257319", "date_of_birth": "1983-06-25", "phone_code": "31748"}
NAMES = {"caller_name": "Gary Lund", "other_party": "Maple Hotel", "details_held_back": True}
PHONE = "218-555-0101"


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("legal")


class Line:
    """One call's desk and its tools."""

    def __init__(self, pack: Pack) -> None:
        self.pack, self.desk = pack, pack.open_context()

    def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.pack.tools[name].invoke(self.desk, arguments)

    def data(self, name: str, **arguments: Any) -> dict[str, Any]:
        answer = self(name, **arguments)
        assert answer["ok"], answer
        found: dict[str, Any] = answer["data"]
        return found

    def code(self, name: str, **arguments: Any) -> Any:
        return self(name, **arguments)["error_code"]

    def rows(self, table: str) -> list[dict[str, Any]]:
        return dump_state(self.desk.db, self.pack.spec)[table]

    def screen(self) -> None:
        self.data("run_conflict_check", **NAMES)
        self.data("record_screening", has_lawyer=False)

    def take_in(self, incident: str = "2026-06-01", state: str = "minnesota") -> None:
        self.screen()
        self.data("check_practice_area", area="personal_injury", state=state)
        self.data("compute_deadline", incident_date=incident, public_body=False)
        self.data("open_intake", phone=PHONE, summary="fell", not_clients_yet_told=True)


@pytest.fixture
def line(pack: Pack) -> Line:
    return Line(pack)


# ---- screening ------------------------------------------------------------------------------------------------------


def test_the_story_is_held_back_before_names_are_checked(line: Line) -> None:
    assert line.code("run_conflict_check", caller_name="Gary Lund", other_party="Maple Hotel") == "DETAILS_NOT_STOPPED"
    assert line.code("record_screening", has_lawyer=False) == "NAMES_NOT_CLEARED"
    line.screen()
    assert line.code("record_screening", has_lawyer=False) == "ALREADY_SCREENED"
    row = line.rows("screenings")[-1]
    assert (row["caller_name"], row["other_party"], row["outcome"]) == ("Gary Lund", "Maple Hotel", "clear")


def test_a_second_name_is_screened_beside_the_first(line: Line) -> None:
    line.take_in()
    line.data("run_conflict_check", **{**NAMES, "other_party": "Otto Berg"})
    line.data("record_screening", has_lawyer=False)
    assert [row["other_party"] for row in line.rows("screenings")] == ["Maple Hotel", "Otto Berg"]
    assert line.code("run_conflict_check", **{**NAMES, "other_party": "Dennis Walsh"}) == "POSSIBLE_MATCH"
    assert line.code("record_screening", has_lawyer=False) == "NAMES_NOT_CLEARED"


def test_who_has_a_lawyer_is_declined_once_and_urged_to_see_one(line: Line) -> None:
    line.data("run_conflict_check", **NAMES)
    assert line.code("decline_matter", reason_code="represented", other_lawyer_urged=True) == "REASON_NOT_ESTABLISHED"
    assert line.code("record_screening", has_lawyer=True) == "REPRESENTED"
    assert line.code("decline_matter", reason_code="represented") == "NOT_URGED"
    assert line.code("decline_matter", reason_code="conflict", other_lawyer_urged=True) == "REASON_NOT_ESTABLISHED"
    assert line("decline_matter", reason_code="represented", other_lawyer_urged="yes")["ok"]
    assert line.code("decline_matter", reason_code="represented", other_lawyer_urged=True) == "ALREADY_DECLINED"
    assert line.rows("declined_matters")[-1]["caller_name"] == "Gary Lund"


def test_a_conflict_that_comes_late_withdraws_the_intake(line: Line) -> None:
    line.take_in()
    late = {**NAMES, "other_party": "Dennis Walsh", "other_town": "Iron River"}
    assert line.code("run_conflict_check", **late) == "CONFLICT_FOUND"
    line.data("decline_matter", reason_code="conflict", other_lawyer_urged=True)
    assert line.rows("intakes")[-1]["status"] == "withdrawn"
    assert line.code("hold_slot", mode="phone") == "NO_INTAKE"
    assert line.code("check_practice_area", area="housing", state="minnesota") == "NOT_SCREENED"


def test_an_intake_is_found_only_by_number_and_name_together(line: Line) -> None:
    assert line.code("find_intake", phone="218-555-0164", caller_name="Ruth Turner") == "INTAKE_NOT_FOUND"
    assert line.code("find_intake", phone="218-555-0115", caller_name="Rachel Turner") == "INTAKE_NOT_FOUND"
    found = line.data(
        "find_intake", phone="two one eight, five five five, zero one six four", caller_name="Rachel Turner"
    )
    assert found == {"intake_found": True, "area": "employment", "state": "minnesota"}


def test_other_offices_leave_word_and_learn_nothing(line: Line) -> None:
    word = {"sender": "court", "caller_name": "Ida Moe", "callback": PHONE}
    assert line.code("take_outside_message", **word) == "CONFIDENTIALITY_NOT_TOLD"
    assert line.data("take_outside_message", **word, nothing_confirmed=True)["spoken_recipient"] == "the lawyer on duty"
    assert line.rows("outside_messages")[-1]["callback"] == "2185550101"


# ---- intake ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("area", "state", "code"),
    [
        ("criminal", "minnesota", "AREA_NOT_TAKEN"),
        ("tax", "elsewhere", "AREA_NOT_TAKEN"),
        ("personal_injury", "elsewhere", "STATE_NOT_TAKEN"),
        ("family", "wisconsin", "STATE_NOT_TAKEN"),
        ("housing", "wisconsin", "STATE_NOT_TAKEN"),
        ("employment", "wisconsin", None),
    ],
)
def test_fields_and_states_that_are_taken_and_not(line: Line, area: str, state: str, code: str | None) -> None:
    line.screen()
    assert line.code("check_practice_area", area=area, state=state) == code
    expected = "AREA_NOT_CHECKED" if code else "DEADLINE_NOT_COMPUTED"
    assert line.code("open_intake", phone=PHONE, summary="x", not_clients_yet_told=True) == expected


def test_an_intake_needs_its_steps_in_order(line: Line) -> None:
    opening = {"phone": PHONE, "summary": "She fell."}
    assert line.code("open_intake", **opening) == "NOT_SCREENED"
    line.screen()
    assert line.code("compute_deadline", incident_date="2026-06-01", public_body=False) == "AREA_NOT_CHECKED"
    line.data("check_practice_area", area="personal_injury", state="minnesota")
    for day in ("some day in May", "2026-09-15"):
        assert line.code("compute_deadline", incident_date=day, public_body=False) == "INVALID_DATE"
    line.data("compute_deadline", incident_date="June 1st, 2026", public_body=False)
    assert line.code("open_intake", **opening) == "NOTICE_NOT_GIVEN"
    assert line.data("open_intake", **opening, not_clients_yet_told=True) == {"intake_opened": True, "urgent": False}
    assert line.code("open_intake", **opening, not_clients_yet_told=True) == "INTAKE_EXISTS"
    assert line.code("page_duty_lawyer", reason_code="time_limit", phone=PHONE) == "NOT_URGENT"


def test_time_that_has_run_out_is_declined_without_a_word_of_it(line: Line) -> None:
    line.screen()
    line.data("check_practice_area", area="personal_injury", state="wisconsin")
    assert line.code("decline_matter", reason_code="time_limit", other_lawyer_urged=True) == "REASON_NOT_ESTABLISHED"
    assert line.code("compute_deadline", incident_date="2023-08-02", public_body=False) == "DEADLINE_PASSED"
    assert line.code("open_intake", phone=PHONE, summary="x", not_clients_yet_told=True) == "DEADLINE_NOT_COMPUTED"
    line.data("decline_matter", reason_code="time_limit", other_lawyer_urged=True)


def test_an_urgent_intake_is_seen_by_a_lawyer_before_anything_is_held(line: Line) -> None:
    assert line.code("page_duty_lawyer", reason_code="time_limit", phone=PHONE) == "NOBODY_KNOWN"
    line.take_in("2023-09-20", "wisconsin")
    assert line.code("hold_slot", mode="phone") == "DUTY_LAWYER_FIRST"
    assert line.data("page_duty_lawyer", reason_code="time_limit", phone=PHONE)["spoken_answer_by"] == "today"
    assert line.code("page_duty_lawyer", reason_code="time_limit", phone=PHONE) == "ALREADY_PAGED"
    assert line("hold_slot", mode="phone")["ok"]


def test_consent_is_ones_own_or_a_childs(line: Line) -> None:
    consent = {"kind": "medical_records", "whose": "own"}
    assert line.code("record_consent", **consent, scope_read=True) == "NO_INTAKE"
    line.take_in()
    assert line.code("log_refused_request", kind="consent_for_another", explained=True) == "REASON_NOT_ESTABLISHED"
    assert line.code("record_consent", kind="police_report", whose="other_adult", scope_read=True) == (
        "NOT_THEIRS_TO_GIVE"
    )
    assert line.code("record_consent", **consent) == "SCOPE_NOT_READ"
    line.data("record_consent", **consent, scope_read=True)
    assert line.code("record_consent", **consent, scope_read=True) == "CONSENT_EXISTS"
    line.data("record_consent", kind="medical_records", whose="minor child", scope_read=True)
    assert line("log_refused_request", kind="consent_for_another", explained=True)["ok"]


def test_an_interpreter_is_free_and_comes_once(line: Line) -> None:
    line.take_in()
    assert line.code("request_interpreter", language="somali") == "FREE_NOT_TOLD"
    line.data("request_interpreter", language="somali", free_told=True)
    assert line.code("request_interpreter", language="hmong", free_told=True) == "INTERPRETER_EXISTS"


# ---- consultations --------------------------------------------------------------------------------------------------


def test_a_fee_is_said_before_a_booking_even_if_it_is_nothing(line: Line) -> None:
    line.take_in()
    assert line.code("book_consultation", fee_quoted=0, terms_told=True) == "NO_HOLD"
    assert line.data("hold_slot", mode="office")["spoken_fee"] == "zero dollars"
    assert line.code("book_consultation", terms_told=True) == "FEE_NOT_QUOTED"
    assert line.code("book_consultation", fee_quoted=45, terms_told=True) == "FEE_MISMATCH"
    assert line.code("book_consultation", fee_quoted=0) == "TERMS_NOT_TOLD"
    booked = line.data("book_consultation", fee_quoted="0 dollars", terms_told=True)
    assert booked["spoken_when"] == "Friday, September eighteenth, at two in the afternoon"


def test_one_hold_at_a_time_and_none_that_has_run_out(line: Line) -> None:
    line.data("find_intake", phone="2185550162", caller_name="Angela Price")
    hold = line.data("get_hold")
    assert (hold["expired"], hold["spoken_through"]) == (True, "Friday, September eleventh")
    assert line.code("book_consultation", fee_quoted=45, terms_told=True) == "HOLD_EXPIRED"
    assert line.code("release_hold") == "HOLD_EXPIRED"
    assert line.code("hold_slot", mode="phone", day="2026-09-16") == "NO_FREE_SLOT"
    assert line.code("hold_slot", mode="phone", day="today") == "INVALID_DATE"
    assert line.data("hold_slot", mode="office", day="September 17")["spoken_through"] == "Tuesday, September fifteenth"
    assert line.code("hold_slot", mode="phone") == "HOLD_EXISTS"
    line.data("release_hold")
    assert line.data("get_hold")["expired"]


def test_a_slot_that_somebody_holds_is_offered_to_nobody_else(line: Line) -> None:
    line.data("find_intake", phone="7155550138", caller_name="George Palmer")
    days = [slot["day"] for slot in line.data("get_consultation_slots", mode="office")["slots"]]
    assert days == ["2026-09-25"]
    assert line.code("get_consultation_slots", day="2026-09-14") == "INVALID_DATE"


def test_a_change_costs_nothing_until_the_working_day_before(line: Line) -> None:
    assert line.code("get_consultation") == "NO_INTAKE"
    line.data("find_intake", phone="2185550175", caller_name="Walter Hughes")
    assert line.data("get_consultation")["spoken_change_fee"] == "fifty dollars"
    assert line.code("move_consultation", day="2026-09-17", fee_quoted=50) == "NO_FREE_SLOT"
    assert line.code("move_consultation", day="2026-09-25") == "FEE_NOT_QUOTED"
    assert line.code("cancel_consultation", fee_quoted=0) == "FEE_MISMATCH"
    line.data("move_consultation", day="2026-09-25", fee_quoted=50)
    line.data("cancel_consultation", fee_quoted=0)
    assert line.code("cancel_consultation", fee_quoted=0) == "NO_CONSULTATION"


# ---- people on a file -----------------------------------------------------------------------------------------------


def test_a_message_goes_to_who_works_on_the_matter(line: Line) -> None:
    assert line.code("leave_message", recipient="lawyer", topic="progress", callback=PHONE) == "NOT_VERIFIED"
    line.data("verify_client", **JOAN)
    names = [one["full_name"] for one in line.data("get_matter_team")["team"]]
    assert names == ["Ruth Halvorsen", "Karen Lindell", "Thomas Webb", "Maria Ortiz"]
    offer = {"recipient": "lawyer", "topic": "settlement_offer", "callback": PHONE}
    assert line.code("leave_message", **offer) == "NOT_READ_BACK"
    away = line("leave_message", **offer, read_back=True)
    assert (away["error_code"], away["data"]["stands_in"]) == ("RECIPIENT_AWAY", "Peter Nolan")
    line.data("leave_message", **offer, read_back=True, to_stand_in=True)
    line.data("leave_message", **{**offer, "recipient": "records"}, read_back=True)
    assert [row["recipient"] for row in line.rows("messages")] == ["st_nolan", "st_ortiz"]


def test_coming_to_court_is_confirmed_once_after_day_and_place(line: Line) -> None:
    line.data("verify_client", **NINA)
    assert line.data("get_court_dates")["court_dates"][0]["confirmed"] is False
    assert line.code("confirm_attendance") == "DATE_NOT_TOLD"
    line.data("confirm_attendance", told_when_and_where=True)
    assert line.code("confirm_attendance", told_when_and_where=True) == "ALREADY_CONFIRMED"
    other = Line(line.pack)
    other.data("verify_client", **HENRY)
    assert other.code("confirm_attendance", told_when_and_where=True) == "NO_COURT_DATE"


def test_papers_leave_the_house_by_the_ways_that_are_open(line: Line) -> None:
    line.data("verify_client", **OSCAR)
    assert line.code("log_refused_request", kind="kept_back_paper", explained=True) == "REASON_NOT_ESTABLISHED"
    assert line.code("request_document", kind="expert_report", channel="mail") == "KEPT_BACK"
    assert line.code("request_document", kind="will_draft", channel="mail") == "NO_SUCH_DOCUMENT"
    assert line.data("request_document", kind="deposition", channel="mail")["spoken_arrival"] == "within a week"
    assert line("log_refused_request", kind="kept_back_paper", explained=True)["ok"]
    laura = Line(line.pack)
    laura.data("verify_client", **LAURA)
    assert laura.code("request_document", kind="engagement_letter", channel="mail") == "CONTACT_RULE"
    assert laura.data("request_document", kind="engagement_letter", channel="portal")["spoken_arrival"] == "tomorrow"


def test_a_contact_rule_is_explained_and_set_once(line: Line) -> None:
    line.data("verify_client", **LAURA)
    assert line.code("set_contact_rule", rule="no_mail", effect_told=True) == "RULE_EXISTS"
    assert line.code("set_contact_rule", rule="no_voicemail") == "EFFECT_NOT_TOLD"
    line.data("set_contact_rule", rule="no voicemail", effect_told=True)
    rules = {row["rule"] for row in line.rows("contact_rules") if row["matter_number"] == "249751"}
    assert rules == {"no_mail", "no_voicemail"}


def test_a_bill_is_paid_in_equal_parts_that_were_said(line: Line) -> None:
    line.data("verify_client", **HENRY)
    assert line.data("get_invoice")["spoken_monthly"]["4"] == "three hundred fifteen dollars"
    assert line.code("arrange_installments", months=9, monthly_quoted=140) == "MONTHS_NOT_OFFERED"
    assert line.code("arrange_installments", months=4) == "FEE_NOT_QUOTED"
    assert line.code("arrange_installments", months=4, monthly_quoted=300) == "FEE_MISMATCH"
    line.data("arrange_installments", months="four", monthly_quoted=315)
    assert line.code("arrange_installments", months=2, monthly_quoted=630) == "PLAN_EXISTS"
    nina = Line(line.pack)
    nina.data("verify_client", **NINA)
    assert nina.code("get_invoice") == "NO_OPEN_INVOICE"
    martin = Line(line.pack)
    martin.data("verify_client", matter_number="246382", date_of_birth="1975-11-23", phone_code="40967")
    assert martin.code("arrange_installments", months=2, monthly_quoted=75) == "BALANCE_TOO_SMALL"


# ---- duties ---------------------------------------------------------------------------------------------------------


def test_what_is_asked_of_the_desk_is_answered_and_filed_once(line: Line) -> None:
    assert line.code("note_disclosure", kind="not_recorded") == "NOT_SAID_YET"
    line.data("note_disclosure", kind="not_recorded", spoken=True)
    assert line.code("note_disclosure", kind="not_recorded", spoken=True) == "ALREADY_NOTED"
    assert line.code("log_refused_request", kind="legal_advice") == "NOT_EXPLAINED"
    line.data("log_refused_request", kind="legal_advice", explained=True)
    assert line.code("log_refused_request", kind="legal_advice", explained=True) == "ALREADY_LOGGED"


def test_a_client_is_not_refused_what_is_on_the_own_file(line: Line) -> None:
    line.data("verify_client", **NINA)
    assert line.code("log_refused_request", kind="file_information", explained=True) == "REASON_NOT_ESTABLISHED"


def test_danger_is_met_before_it_is_handed_on(line: Line) -> None:
    assert line.pack.tools["escalate_to_human"].ends_call
    assert line.code("escalate_to_human", reason_code="safety") == "SAFETY_FIRST"
    assert line.code("log_safety_advice", hazard="violence") == "NOT_TOLD_911"
    line.data("log_safety_advice", hazard="violence", told_911=True)
    assert line.code("log_safety_advice", hazard="violence", told_911=True) == "ALREADY_NOTED"
    spoken = line.data("escalate_to_human", reason_code="safety")["spoken_handover"]
    assert spoken == "Somebody from our front office takes over this call now."
