"""The care itself: how far a result is, refills that are asked for, messages to the team, copies of the records."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
from typing import Annotated

from voicebench.packs import Bool, Desk, Enum, Prose, Result, ok, refuse, spoken_day, spoken_list, tool

from .common import opened, patient

EARLY_DAYS = 7
STATUSES = {
    "in_lab": "still at the lab",
    "waiting_for_review": "back from the lab and not yet seen by the clinician",
    "released": "released, and waiting in the patient portal",
    "to_be_discussed": "back, and the clinician wants to talk it over",
}


@tool(writes=False)
@opened("clinical")
def get_result_status(desk: Desk) -> Result:
    """How far the patient's tests are. It never holds a value or a finding."""
    rows = desk.all("SELECT * FROM lab_tests WHERE patient_id = ? ORDER BY taken_on DESC", patient(desk))
    if not rows:
        return refuse("NO_TESTS", "I don't see any test in progress.")
    spoken = [
        f"the {row['spoken']} from {spoken_day(dt.date.fromisoformat(row['taken_on']))} is {STATUSES[row['status']]}"
        for row in rows
    ]
    tests = [{"test": row["spoken"], "taken_on": row["taken_on"], "status": row["status"]} for row in rows]
    return ok({"tests": tests, "spoken_status": spoken_list(spoken)})


@tool(writes=True)
@opened("clinical")
def request_refill(
    desk: Desk,
    medicine: Annotated[
        str,
        Enum(
            "amlodipine",
            "atorvastatin",
            "levothyroxine",
            "lisinopril",
            "metformin",
            "sertraline",
            "zolpidem",
            "other",
        ),
    ],
    no_promise_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Ask the clinician to renew a medicine. The clinician decides.

    Args:
        medicine: which one.
        no_promise_told: true once you said that the clinician decides within two working days.
    """
    row = desk.one("SELECT * FROM medicines WHERE patient_id = ? AND medicine = ?", patient(desk), medicine)
    if row is None:
        return refuse("NOT_ON_LIST", "That medicine isn't on the current list.")
    if row["controlled"]:
        return refuse("CONTROLLED_MEDICINE", "That medicine can only be renewed at a visit, never by phone.")
    if row["review_due"] < desk.today.isoformat():
        return refuse("REVIEW_DUE", "The yearly review of that medicine is due, so it needs a medication visit first.")
    ends = dt.date.fromisoformat(row["filled_on"]) + dt.timedelta(days=row["days_supply"])
    if (ends - desk.today).days > EARLY_DAYS:
        return refuse("REFILL_TOO_SOON", f"The last fill should last until {spoken_day(ends)}.")
    if desk.one("SELECT 1 FROM refill_requests WHERE patient_id = ? AND medicine = ?", patient(desk), medicine):
        return refuse("REFILL_ASKED", "The clinician has already been asked for that.")
    if not no_promise_told:
        return refuse("PROMISE_NOT_EXCLUDED", "First I have to say who decides that.")
    request_id = desk.new_id("RFL-")
    desk.insert("refill_requests", request_id=request_id, patient_id=patient(desk), medicine=medicine, status="waiting")
    return ok({"request_id": request_id, "medicine": medicine})


@tool(writes=True)
@opened("clinical")
def leave_clinical_message(
    desk: Desk,
    topic: Annotated[str, Enum("symptom", "medicine", "result", "imaging_order", "form", "other")],
    urgency: Annotated[str, Enum("routine", "same_day")],
    message: Annotated[str, Prose()],
    answer_time_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Write to the patient's care team.

    Args:
        topic: what it is about.
        urgency: same_day for a symptom that is new or getting worse, routine for everything else.
        message: the caller's words, without advice or guesses of yours.
        answer_time_told: true once you said when the team answers: today before six, or within two working days.
    """
    if not answer_time_told:
        return refuse("ANSWER_TIME_NOT_TOLD", "First I have to tell you when the team answers.")
    message_id = desk.new_id("MSG-")
    desk.insert(
        "clinical_messages",
        message_id=message_id,
        patient_id=patient(desk),
        topic=topic,
        urgency=urgency,
        message=message,
    )
    return ok({"message_id": message_id, "urgency": urgency})


@tool(writes=True)
@opened("patient_only")
def request_records(
    desk: Desk,
    recipient: Annotated[str, Enum("patient", "other_clinic", "third_party")],
    content: Annotated[str, Enum("visit_notes", "test_results", "immunizations", "everything")],
    form_explained: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Ask for copies from the chart, at the patient's own wish.

    Args:
        recipient: the patient, a clinic that treats the patient, or anybody else: employers, lawyers, insurers.
        content: no more than the caller named.
        form_explained: for a third party, true once you said that nothing leaves the clinic before the patient has
            signed the release form that we send.
    """
    if recipient == "third_party" and not form_explained:
        return refuse("FORM_NOT_EXPLAINED", "First I have to tell you about the release form.")
    status = "waiting_for_form" if recipient == "third_party" else "open"
    request_id = desk.new_id("REC-")
    desk.insert(
        "records_requests",
        request_id=request_id,
        patient_id=patient(desk),
        recipient=recipient,
        content=content,
        status=status,
    )
    return ok({"request_id": request_id, "status": status})
