"""Visits: who may see whom for what, openings, the late fee, the waiting list."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated, Any

from voicebench.packs import (
    Bool,
    Date,
    Desk,
    Enum,
    Id,
    Number,
    Prose,
    Result,
    ok,
    refuse,
    spoken_list,
    spoken_money,
    spoken_when,
    tool,
)

from .common import OFFICES, acting, age, iso_day, opened, patient, told_wrongly

VisitType = Enum(
    "annual_exam", "problem_visit", "follow_up", "medication_visit", "new_patient", "procedure", "child_checkup"
)
Clinician = Enum("callaway", "haddad", "fairbanks", "petersen")
Office = Enum(*OFFICES)
SHOWN = 4


def visits_of(desk: Desk) -> list[sqlite3.Row]:
    """The booked visits of the open chart with their slot and type, earliest first."""
    return desk.all(
        """SELECT v.*, s.clinician, s.office, s.starts_at, c.title, t.spoken, t.late_days, t.late_fee
           FROM visits v JOIN visit_slots s USING (slot_id) JOIN clinicians c ON c.clinician = s.clinician
           JOIN visit_types t USING (visit_type) WHERE v.patient_id = ? AND v.status = 'booked' ORDER BY s.starts_at""",
        patient(desk),
    )


def kind_of(desk: Desk, visit_type: str) -> sqlite3.Row:
    """A kind of visit and its prices."""
    row = desk.one("SELECT * FROM visit_types WHERE visit_type = ?", visit_type)
    if row is None:
        raise LookupError(f"no visit type {visit_type}")
    return row


def late_fee(desk: Desk, visit: sqlite3.Row) -> float:
    """What it costs to cancel or move a visit today: nothing while it is far enough away."""
    days = (dt.datetime.fromisoformat(visit["starts_at"]).date() - desk.today).days
    return float(visit["late_fee"]) if days <= visit["late_days"] else 0.0


def not_seen(desk: Desk, visit_type: str, clinician: str) -> Result | None:
    """Why this clinician does not see this patient for that, or None if they do."""
    person = desk.one("SELECT date_of_birth, clinician FROM patients WHERE patient_id = ?", patient(desk))
    doctor = desk.one("SELECT * FROM clinicians WHERE clinician = ?", clinician)
    if person is None or doctor is None:
        raise LookupError("the chart or the clinician is gone")
    title = f"{doctor['title'][0].upper()}{doctor['title'][1:]}"
    if person["clinician"] is None and not doctor["takes_new"]:
        return refuse("NOT_TAKING_NEW", f"{title} isn't taking new patients at the moment.")
    if not desk.one("SELECT 1 FROM visit_rules WHERE visit_type = ? AND clinician = ?", visit_type, clinician):
        return refuse("VISIT_NOT_DONE_THERE", f"{title} doesn't do that kind of visit.")
    if not doctor["youngest"] <= age(desk, person["date_of_birth"]) <= doctor["oldest"]:
        return refuse("AGE_NOT_SEEN", f"{title} doesn't see patients that age.")
    if person["clinician"] is not None and visit_type == "new_patient":
        return refuse("NOT_A_NEW_PATIENT", "A first visit is only for somebody who has never been here.")
    return None


def free_slots(desk: Desk, visit_type: str) -> list[sqlite3.Row]:
    """Slots after today that nobody holds, earliest first."""
    return desk.all(
        """SELECT s.*, c.title FROM visit_slots s JOIN clinicians c ON c.clinician = s.clinician
           JOIN visit_rules r ON r.clinician = s.clinician AND r.visit_type = ?1
           WHERE substr(starts_at, 1, 10) > ?2 AND purpose = CASE ?1 WHEN 'procedure' THEN 'procedure' ELSE 'visit' END
           AND slot_id NOT IN (SELECT slot_id FROM visits WHERE status = 'booked') ORDER BY starts_at""",
        visit_type,
        desk.today.isoformat(),
    )


def shown(slot: sqlite3.Row) -> dict[str, Any]:
    """A slot as a model gets it, and in words."""
    when = spoken_when(dt.datetime.fromisoformat(slot["starts_at"]))
    return {
        **{key: slot[key] for key in ("slot_id", "clinician", "office", "starts_at")},
        "spoken_slot": f"{when}, with {slot['title']} at {OFFICES[slot['office']]}",
    }


@tool(writes=False)
@opened("appointments")
def find_visit_slots(
    desk: Desk,
    visit_type: Annotated[str, VisitType],
    clinician: Annotated[str | None, Clinician] = None,
    office: Annotated[str | None, Office] = None,
    date: Annotated[str | None, Date()] = None,
) -> Result:
    """Openings for the patient of the open chart, earliest first, four at most.

    Args:
        visit_type: the kind of visit that fits the reason.
        clinician: only this one.
        office: only there.
        date: only on this day, YYYY-MM-DD.
    """
    if clinician is not None and (refusal := not_seen(desk, visit_type, clinician)):
        return refusal
    day = None if date is None else iso_day(date)
    if date is not None and (day is None or day <= desk.today):
        return refuse("INVALID_DATE", "I need a calendar day after today.")
    slots = [
        slot
        for slot in free_slots(desk, visit_type)
        if clinician in (None, slot["clinician"])
        and office in (None, slot["office"])
        and (day is None or slot["starts_at"].startswith(day.isoformat()))
        and not_seen(desk, visit_type, slot["clinician"]) is None
    ][:SHOWN]
    if not slots:
        return refuse("NO_FREE_SLOT", "I don't have an opening like that.")
    found = [shown(slot) for slot in slots]
    fee = kind_of(desk, visit_type)["late_fee"]
    return ok(
        {
            "slots": found,
            "late_fee": fee,
            "spoken_slots": spoken_list([slot["spoken_slot"] for slot in found]),
            "spoken_late_fee": spoken_money(fee),
        }
    )


def slot_for(desk: Desk, visit_type: str, slot_id: str) -> sqlite3.Row | Result:
    """A free slot in which this patient can be seen for that, or why not."""
    wanted = desk.one("SELECT clinician FROM visit_slots WHERE same_id(slot_id, ?)", slot_id)
    if wanted is not None and (refusal := not_seen(desk, visit_type, wanted["clinician"])):
        return refusal
    clean = slot_id.replace(" ", "").replace("-", "").upper()
    free = [slot for slot in free_slots(desk, visit_type) if slot["slot_id"].replace("-", "") == clean]
    return free[0] if free else refuse("SLOT_NOT_FREE", "That one is taken. Let me look for another.")


@tool(writes=True)
@opened("appointments")
def book_visit(
    desk: Desk,
    visit_type: Annotated[str, VisitType],
    slot_id: Annotated[str, Id()],
    reason: Annotated[str, Prose()],
    late_fee_told: Annotated[float | None, Number()] = None,
) -> Result:
    """Book a visit for the patient of the open chart.

    Args:
        visit_type: the kind of visit that fits the reason.
        slot_id: of the opening that the caller chose.
        reason: in the caller's words.
        late_fee_told: the fee in dollars for a late cancellation, which you said aloud.
    """
    if any(visit["visit_type"] == visit_type for visit in visits_of(desk)):
        return refuse("ALREADY_BOOKED", "There is already a visit of that kind on the calendar.")
    slot = slot_for(desk, visit_type, slot_id)
    if isinstance(slot, Result):
        return slot
    refusal = told_wrongly(kind_of(desk, visit_type)["late_fee"], late_fee_told, "the fee for a late cancellation")
    if refusal is not None:
        return refusal
    visit_id = desk.new_id("VIS-")
    desk.insert(
        "visits",
        visit_id=visit_id,
        patient_id=patient(desk),
        visit_type=visit_type,
        slot_id=slot["slot_id"],
        reason=reason,
        status="booked",
        arranged_by=acting(desk),
    )
    return ok({"visit_id": visit_id, **shown(slot)})


def own_visit(desk: Desk, visit_id: str) -> sqlite3.Row | Result:
    """A booked visit of the open chart, or the refusal of one that is none."""
    clean = visit_id.replace(" ", "").replace("-", "").upper()
    row = next((visit for visit in visits_of(desk) if visit["visit_id"].replace("-", "") == clean), None)
    return row or refuse("VISIT_NOT_FOUND", "I don't see that visit on the calendar.")


def charge_late(desk: Desk, visit: sqlite3.Row, fee: float) -> None:
    """Note the fee of a visit that is cancelled or moved late."""
    if fee:
        fee_id = desk.new_id("FEE-")
        desk.insert("late_fees", fee_id=fee_id, patient_id=patient(desk), visit_id=visit["visit_id"], amount=fee)


@tool(writes=True)
@opened("appointments")
def move_visit(
    desk: Desk,
    visit_id: Annotated[str, Id()],
    slot_id: Annotated[str, Id()],
    fee_told: Annotated[float | None, Number()] = None,
) -> Result:
    """Move a booked visit to another opening.

    Args:
        visit_id: from the chart overview.
        slot_id: of the opening that the caller chose.
        fee_told: the late fee in dollars that you said aloud; needed when the move is late.
    """
    visit = own_visit(desk, visit_id)
    if isinstance(visit, Result):
        return visit
    slot = slot_for(desk, visit["visit_type"], slot_id)
    if isinstance(slot, Result):
        return slot
    fee = late_fee(desk, visit)
    refusal = told_wrongly(fee, fee_told, "the late fee")
    if refusal is not None:
        return refusal
    moved = (slot["slot_id"], acting(desk), visit["visit_id"])
    desk.db.execute("UPDATE visits SET slot_id = ?, arranged_by = ? WHERE visit_id = ?", moved)
    charge_late(desk, visit, fee)
    return ok({"visit_id": visit["visit_id"], "fee": fee, **shown(slot)})


@tool(writes=True)
@opened("appointments")
def cancel_visit(
    desk: Desk,
    visit_id: Annotated[str, Id()],
    fee_told: Annotated[float | None, Number()] = None,
) -> Result:
    """Cancel a booked visit.

    Args:
        visit_id: from the chart overview.
        fee_told: the late fee in dollars that you said aloud; needed when it is late.
    """
    visit = own_visit(desk, visit_id)
    if isinstance(visit, Result):
        return visit
    fee = late_fee(desk, visit)
    refusal = told_wrongly(fee, fee_told, "the late fee")
    if refusal is not None:
        return refusal
    desk.db.execute("UPDATE visits SET status = 'cancelled' WHERE visit_id = ?", (visit["visit_id"],))
    charge_late(desk, visit, fee)
    return ok({"visit_id": visit["visit_id"], "status": "cancelled", "fee": fee})


@tool(writes=True)
@opened("appointments")
def join_waiting_list(
    desk: Desk,
    visit_type: Annotated[str, VisitType],
    clinician: Annotated[str, Clinician],
    no_promise_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Put the patient on a clinician's waiting list, for an opening that somebody else cancels.

    Args:
        visit_type: the kind of visit.
        clinician: whose list.
        no_promise_told: true once you said that the list promises no time, and that a booked visit stays.
    """
    refusal = not_seen(desk, visit_type, clinician)
    if refusal is not None:
        return refusal
    entry = (patient(desk), visit_type, clinician)
    if desk.one("SELECT 1 FROM waiting_list WHERE patient_id = ? AND visit_type = ? AND clinician = ?", *entry):
        return refuse("ALREADY_WAITING", "That name is already on the list.")
    if not no_promise_told:
        return refuse("PROMISE_NOT_EXCLUDED", "First I have to say that the list is no guarantee.")
    entry_id = desk.new_id("WL-")
    desk.insert("waiting_list", entry_id=entry_id, patient_id=entry[0], visit_type=visit_type, clinician=clinician)
    return ok({"entry_id": entry_id})
