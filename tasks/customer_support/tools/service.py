"""TechCrew appointments: booked, moved and cancelled; the price is said before it counts."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated

from voicebench.packs import Date, Desk, Enum, Id, Number, Prose, Result, ok, refuse, spoken_when, tool

from .common import adjust, iso_day, no_order, own_order, quoted_wrongly, verified
from .coverage import service_fee, service_refusal
from .identity import reschedule_fee


def free_slots(desk: Desk, service_type: str, store: str) -> list[sqlite3.Row]:
    """Slots after today that nobody holds, earliest first."""
    return desk.all(
        """SELECT * FROM service_slots WHERE service_type = ? AND store IN (?, 'any') AND substr(starts_at, 1, 10) > ?
           AND slot_id NOT IN (SELECT slot_id FROM service_appointments WHERE status = 'booked') ORDER BY starts_at""",
        service_type,
        store,
        desk.today.isoformat(),
    )


def booking_refusal(desk: Desk, order: sqlite3.Row, issue: str, fee: float, fee_quoted: float | None) -> Result | None:
    """Why this booking may not be made, whatever the day, or None if it may."""
    refusal = service_refusal(order, issue)
    if refusal is not None:
        return refusal
    if desk.state(f"cover:{order['order_number']}") is None:
        return refuse("COVERAGE_NOT_CHECKED", "Let me check first what your plans cover.")
    open_one = "SELECT 1 FROM service_appointments WHERE order_number = ? AND status = 'booked'"
    if desk.one(open_one, order["order_number"]):
        return refuse("ALREADY_BOOKED", "There is an open service appointment for that device already.")
    return quoted_wrongly(fee, fee_quoted, "the service")


@tool(writes=True)
@verified
def book_service_appointment(
    desk: Desk,
    order_number: Annotated[str, Id()],
    service_type: Annotated[str, Enum("remote", "bench", "mail_in", "in_home")],
    issue: Annotated[str, Prose()],
    date: Annotated[str | None, Date()] = None,
    fee_quoted: Annotated[float | None, Number()] = None,
) -> Result:
    """Book a TechCrew appointment. Without a date it takes the first free slot.

    Args:
        order_number: the order number of the device, KE and seven digits.
        service_type: remote help, the bench in the store, mail-in, or a visit at home.
        issue: what is wrong, in the caller's words.
        date: a calendar day, YYYY-MM-DD; leave it out for the first free slot.
        fee_quoted: the price in dollars that you said aloud; needed when the service is not covered.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    fee = service_fee(desk, order, service_type)
    refusal = booking_refusal(desk, order, issue, fee, fee_quoted)
    if refusal is not None:
        return refusal
    day = None if date is None else iso_day(date)
    if date is not None and (day is None or day <= desk.today):
        return refuse("INVALID_DATE", "I need a calendar day after today, or I can take the first slot that is free.")
    slots = free_slots(desk, service_type, order["home_store"])
    if day is not None:
        slots = [slot for slot in slots if slot["starts_at"].startswith(day.isoformat())]
    if not slots:
        return refuse("NO_FREE_SLOT", "There is nothing free then. I can take the first slot that is free.")
    slot, appointment_id = slots[0], desk.new_id("APT-")
    desk.insert(
        "service_appointments",
        appointment_id=appointment_id,
        customer_id=order["customer_id"],
        order_number=order["order_number"],
        service_type=service_type,
        issue=issue,
        slot_id=slot["slot_id"],
        fee=fee,
        status="booked",
    )
    return ok(
        {
            "appointment_id": appointment_id,
            "starts_at": slot["starts_at"],
            "store": slot["store"],
            "fee": fee,
            "spoken_when": spoken_when(dt.datetime.fromisoformat(slot["starts_at"])),
        }
    )


def open_appointment(desk: Desk, appointment_id: str) -> sqlite3.Row | Result:
    """An open appointment of the verified customer with its slot and store, or the refusal of one that is not."""
    row = desk.one(
        """SELECT a.*, s.starts_at, c.home_store FROM service_appointments a JOIN service_slots s USING (slot_id)
           JOIN customers c USING (customer_id) WHERE customer_id = ? AND same_id(appointment_id, ?)""",
        desk.state("verified"),
        appointment_id,
    )
    if row is None:
        return refuse("APPOINTMENT_NOT_FOUND", "I do not see that appointment on this account.")
    if row["status"] != "booked":
        return refuse("NOT_OPEN", "That appointment is not open any more.")
    return row


@tool(writes=True)
@verified
def reschedule_service_appointment(
    desk: Desk,
    appointment_id: Annotated[str, Id()],
    date: Annotated[str, Date()],
    fee_quoted: Annotated[float | None, Number()] = None,
) -> Result:
    """Move an open appointment to the first free slot of another day.

    Args:
        appointment_id: the id that the booking or the customer summary gave.
        date: the new day, YYYY-MM-DD.
        fee_quoted: the fee in dollars that you said aloud; needed when the move is not free.
    """
    row = open_appointment(desk, appointment_id)
    if isinstance(row, Result):
        return row
    day = iso_day(date)
    if day is None or day <= desk.today:
        return refuse("INVALID_DATE", "I need a calendar day after today.")
    slots = free_slots(desk, row["service_type"], row["home_store"])
    slots = [slot for slot in slots if slot["starts_at"].startswith(day.isoformat())]
    if not slots:
        return refuse("NO_FREE_SLOT", "There is nothing free on that day.")
    fee = reschedule_fee(desk, row["starts_at"])
    refusal = quoted_wrongly(fee, fee_quoted, "moving it so late")
    if refusal is not None:
        return refusal
    moved = (slots[0]["slot_id"], row["appointment_id"])
    desk.db.execute("UPDATE service_appointments SET slot_id = ? WHERE appointment_id = ?", moved)
    if fee:
        adjust(desk, "late_reschedule", fee, row["order_number"])
    starts = dt.datetime.fromisoformat(slots[0]["starts_at"])
    return ok({"appointment_id": row["appointment_id"], "fee": fee, "spoken_when": spoken_when(starts)})


@tool(writes=True)
@verified
def cancel_service_appointment(desk: Desk, appointment_id: Annotated[str, Id()]) -> Result:
    """Cancel an open service appointment of the verified customer.

    Args:
        appointment_id: the id that the booking or the customer summary gave.
    """
    row = open_appointment(desk, appointment_id)
    if isinstance(row, Result):
        return row
    found = (row["appointment_id"],)
    desk.db.execute("UPDATE service_appointments SET status = 'cancelled' WHERE appointment_id = ?", found)
    return ok({"appointment_id": row["appointment_id"], "status": "cancelled"})
