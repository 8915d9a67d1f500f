"""Imaging: orders, the three safety questions, approvals, and openings."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated, Any

from voicebench.packs import Bool, Date, Desk, Id, Result, ok, refuse, spoken_list, spoken_when, tool

from .common import OFFICES, iso_day, opened, patient
from .coverage import NEED_APPROVAL
from .visits import Office


def own_order(desk: Desk, order_number: str) -> sqlite3.Row | Result:
    """A valid imaging order of the open chart, or why there is none."""
    row = desk.one(
        """SELECT o.*, a.status AS approval, a.office AS approved_office FROM imaging_orders o
           LEFT JOIN approvals a USING (order_number) WHERE patient_id = ? AND same_id(o.order_number, ?)""",
        patient(desk),
        order_number,
    )
    if row is None:
        return refuse("ORDER_NOT_FOUND", "I don't see that order in the chart.")
    if row["expires_on"] < desk.today.isoformat():
        return refuse("ORDER_EXPIRED", "That order has expired. The clinician has to write a new one.")
    return row


@tool(writes=False)
@opened("clinical")
def get_imaging_orders(desk: Desk) -> Result:
    """The imaging orders of the open chart, with preparation and whether the plan has approved them."""
    rows = desk.all(
        """SELECT o.order_number, kind, spoken, contrast, preparation, expires_on, a.status AS approval, a.office
           FROM imaging_orders o LEFT JOIN approvals a USING (order_number) WHERE patient_id = ?""",
        patient(desk),
    )
    if not rows:
        return refuse("NO_ORDERS", "There is no imaging order in the chart.")
    orders = [
        {
            **{key: row[key] for key in ("order_number", "kind", "expires_on")},
            "with_contrast": bool(row["contrast"]),
            "approval": "not_needed" if row["kind"] not in NEED_APPROVAL else row["approval"] or "missing",
            "approved_office": row["office"],
            "spoken_order": row["spoken"],
            "spoken_preparation": row["preparation"],
        }
        for row in rows
    ]
    return ok({"orders": orders})


def unsafe(desk: Desk, order: sqlite3.Row) -> Result | None:
    """What the three answers have against this order, or None."""
    row = desk.one("SELECT * FROM safety_answers WHERE order_number = ?", order["order_number"])
    if row is None:
        return refuse("SAFETY_NOT_ASKED", "First I have three questions for your safety.")
    if row["metal_implant"] and order["kind"] == "mri":
        return refuse("IMPLANT_REVIEW", "With metal in the body, a radiology nurse has to look at this first.")
    if row["maybe_pregnant"] and order["kind"] in ("xray", "ct"):
        return refuse("PREGNANCY_REVIEW", "With a possible pregnancy, a radiology nurse has to look at this first.")
    if row["contrast_reaction"] and order["contrast"]:
        return refuse("CONTRAST_REVIEW", "After a reaction to the dye, a radiology nurse has to look at this first.")
    return None


@tool(writes=True)
@opened("clinical")
def record_safety_answers(
    desk: Desk,
    order_number: Annotated[str, Id()],
    metal_implant: Annotated[bool, Bool()],
    maybe_pregnant: Annotated[bool, Bool()],
    contrast_reaction: Annotated[bool, Bool()],
) -> Result:
    """Note the caller's answers to the three safety questions. Called again, the last answers count.

    Args:
        order_number: of the imaging order.
        metal_implant: whether there is a pacemaker, a pump, a clip or other metal in the body.
        maybe_pregnant: whether the patient is or may be pregnant.
        contrast_reaction: whether contrast dye ever caused a reaction.
    """
    order = own_order(desk, order_number)
    if isinstance(order, Result):
        return order
    answers = (order["order_number"], int(metal_implant), int(maybe_pregnant), int(contrast_reaction))
    desk.db.execute("INSERT OR REPLACE INTO safety_answers VALUES (?, ?, ?, ?)", answers)
    review = unsafe(desk, order)
    desk.set_state("imaging review", None if review is None else review.error_code)
    if review is None:
        return ok({"order_number": order["order_number"], "review": None})
    return ok({"order_number": order["order_number"], "review": review.error_code}, review.caller_safe_message)


def unapproved(order: sqlite3.Row) -> Result | None:
    """The refusal of an order that still needs the plan's approval, or None."""
    if order["kind"] in NEED_APPROVAL and order["approval"] != "approved":
        return refuse("APPROVAL_MISSING", "The plan hasn't approved that yet.")
    return None


def free_slots(desk: Desk, kind: str) -> list[sqlite3.Row]:
    """Imaging slots after today that nobody holds, earliest first."""
    return desk.all(
        """SELECT * FROM imaging_slots WHERE kind = ? AND substr(starts_at, 1, 10) > ?
           AND slot_id NOT IN (SELECT slot_id FROM imaging_bookings) ORDER BY starts_at""",
        kind,
        desk.today.isoformat(),
    )


def shown(slot: sqlite3.Row) -> dict[str, Any]:
    """A time as a model gets it, and in words."""
    when = spoken_when(dt.datetime.fromisoformat(slot["starts_at"]))
    return {
        **{key: slot[key] for key in ("slot_id", "office", "starts_at")},
        "spoken_slot": f"{when}, at {OFFICES[slot['office']]}",
    }


@tool(writes=False)
@opened("clinical")
def find_imaging_slots(
    desk: Desk,
    order_number: Annotated[str, Id()],
    office: Annotated[str | None, Office] = None,
    date: Annotated[str | None, Date()] = None,
) -> Result:
    """Openings for an imaging order, earliest first.

    Args:
        order_number: of the imaging order.
        office: only there.
        date: only on this day, YYYY-MM-DD.
    """
    order = own_order(desk, order_number)
    if isinstance(order, Result):
        return order
    refusal = unapproved(order)
    if refusal is not None:
        return refusal
    day = None if date is None else iso_day(date)
    if date is not None and (day is None or day <= desk.today):
        return refuse("INVALID_DATE", "I need a calendar day after today.")
    slots = [
        slot
        for slot in free_slots(desk, order["kind"])
        if office in (None, slot["office"]) and (day is None or slot["starts_at"].startswith(day.isoformat()))
    ]
    if not slots:
        return refuse("NO_FREE_SLOT", "I don't have an opening like that.")
    found = [shown(slot) for slot in slots]
    return ok({"slots": found, "spoken_slots": spoken_list([slot["spoken_slot"] for slot in found])})


@tool(writes=True)
@opened("clinical")
def book_imaging(
    desk: Desk,
    order_number: Annotated[str, Id()],
    slot_id: Annotated[str, Id()],
    preparation_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Book an opening for an imaging order.

    Args:
        order_number: of the imaging order.
        slot_id: of the opening that the caller chose.
        preparation_told: true once you said how to prepare for it.
    """
    order = own_order(desk, order_number)
    if isinstance(order, Result):
        return order
    refusal = unapproved(order) or unsafe(desk, order)
    if refusal is not None:
        return refusal
    if desk.one("SELECT 1 FROM imaging_bookings WHERE order_number = ?", order["order_number"]):
        return refuse("ALREADY_BOOKED", "That order already has an appointment.")
    clean = slot_id.replace(" ", "").replace("-", "").upper()
    slot = next((one for one in free_slots(desk, order["kind"]) if one["slot_id"].replace("-", "") == clean), None)
    if slot is None:
        return refuse("SLOT_NOT_FREE", "That one is taken. Let me look for another.")
    if order["approved_office"] not in (None, slot["office"]):
        return refuse("OFFICE_NOT_APPROVED", f"The plan approved this only at {OFFICES[order['approved_office']]}.")
    if not preparation_told:
        return refuse("PREPARATION_NOT_TOLD", "First I have to tell you how to prepare.")
    booking_id = desk.new_id("IMB-")
    desk.insert(
        "imaging_bookings",
        booking_id=booking_id,
        patient_id=patient(desk),
        order_number=order["order_number"],
        slot_id=slot["slot_id"],
    )
    return ok({"booking_id": booking_id, **shown(slot)})
