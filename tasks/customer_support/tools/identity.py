"""Who calls: finding a record, proving it, and what the account holds."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated, Any

from voicebench.packs import Desk, Id, Name, Phone, Result, ok, refuse, same_name, spoken_money, spoken_when, tool

from .common import on_hold, verified

MAX_TRIES = 3
LATE_RESCHEDULE = 15.0


@tool(writes=False)
def identify_customer(
    desk: Desk,
    order_number: Annotated[str | None, Id()] = None,
    phone: Annotated[str | None, Phone()] = None,
    full_name: Annotated[str | None, Name()] = None,
) -> Result:
    """Look the caller up by order number or phone number; a name alone finds nobody and only confirms.

    Args:
        order_number: the order number, KE and seven digits, as the caller said it.
        phone: the phone number on the account, ten digits.
        full_name: the caller's first and last name, to confirm the record.
    """
    if order_number is None and phone is None:
        return refuse("NEED_ORDER_OR_PHONE", "To find your record I need an order number or a phone number.")
    row = None
    if order_number is not None:
        row = desk.one(
            """SELECT c.* FROM customers c JOIN orders o USING (customer_id)
               WHERE same_id(o.order_number, ?)""",
            order_number,
        )
    if row is None and phone is not None:
        row = desk.one("SELECT * FROM customers WHERE phone = ?", phone)
    if row is None:
        return refuse("CUSTOMER_NOT_FOUND", "I did not find a record with that. Could you say the number once more?")
    if desk.state("selected") != row["customer_id"]:
        desk.set_state("verified", None)
    desk.set_state("selected", row["customer_id"])
    return ok(
        {
            "record_found": True,
            "name_agrees": None if full_name is None else same_name(full_name, row["full_name"]),
            "ask_next": "the postal code of the account and the last four digits of the card on it",
        }
    )


@tool(writes=False)
def verify_identity(
    desk: Desk,
    postal_code: Annotated[str, Id()],
    card_last4: Annotated[str, Id()],
) -> Result:
    """Check the caller against the record that identify_customer found. Both values must be right.

    Args:
        postal_code: the five digits of the postal code, as the caller said them.
        card_last4: the last four digits of the payment card, as the caller said them.
    """
    selected = desk.state("selected")
    if not selected:
        return refuse("NO_RECORD_SELECTED", "Let me look you up first. What is the order number, or the phone number?")
    tries = int(desk.state("failed_tries") or 0)
    if tries >= MAX_TRIES:
        return refuse("IDENTITY_LOCKED", "I can't check these details any further on this call.")
    row = desk.one(
        """SELECT full_name, tier, postal_code, card_last4 FROM customers JOIN memberships USING (customer_id)
           WHERE customer_id = ?""",
        selected,
    )
    if row is None or (row["postal_code"], row["card_last4"]) != (postal_code, card_last4):
        desk.set_state("failed_tries", tries + 1)
        if tries + 1 >= MAX_TRIES:
            return refuse("IDENTITY_LOCKED", "That does not agree, and I can't check it any further on this call.")
        return refuse("IDENTITY_MISMATCH", "Those details do not agree. Could you give me both once more?")
    desk.set_state("verified", selected)
    return ok({"verified": True, "full_name": row["full_name"], "tier": row["tier"]})


def appointment(desk: Desk, row: sqlite3.Row) -> dict[str, Any]:
    """An open appointment with what another day would cost, and both in words."""
    starts = dt.datetime.fromisoformat(row["starts_at"])
    fee = reschedule_fee(desk, row["starts_at"])
    spoken = {"spoken_when": spoken_when(starts), "spoken_reschedule_fee": spoken_money(fee)}
    return {**dict(row), "reschedule_fee": fee, **spoken}


def reschedule_fee(desk: Desk, starts_at: str) -> float:
    """What it costs to move an appointment: nothing until the day before it, and never for Pro."""
    tier = desk.one("SELECT tier FROM memberships WHERE customer_id = ?", desk.state("verified"))
    late = dt.datetime.fromisoformat(starts_at).date() - desk.today <= dt.timedelta(days=1)
    return LATE_RESCHEDULE if late and tier is not None and tier["tier"] != "pro" else 0.0


@tool(writes=False)
@verified
def get_customer_summary(desk: Desk) -> Result:
    """The verified customer's membership, orders and open service appointments."""
    customer = desk.state("verified")
    member = desk.one(
        """SELECT full_name, tier, member_since FROM customers JOIN memberships USING (customer_id)
           WHERE customer_id = ?""",
        customer,
    )
    orders = desk.all(
        """SELECT order_number, name AS product, placed_on, status, fulfilment, delivery_date, delivered_on
           FROM orders JOIN products USING (sku) WHERE customer_id = ? ORDER BY placed_on DESC, order_number""",
        customer,
    )
    appointments = desk.all(
        """SELECT appointment_id, order_number, a.service_type, starts_at FROM service_appointments a
           JOIN service_slots USING (slot_id) WHERE customer_id = ? AND status = 'booked' ORDER BY starts_at""",
        customer,
    )
    return ok(
        {
            **dict(member or {}),
            "orders": [dict(row) for row in orders],
            "account_on_hold": on_hold(desk),
            "open_service_appointments": [appointment(desk, row) for row in appointments],
        }
    )
