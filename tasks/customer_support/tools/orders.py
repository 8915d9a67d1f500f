"""Orders that are on their way: status, day, fee of a late change, the driver, and parcels that never came."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated

from voicebench.packs import (
    Bool,
    Date,
    Desk,
    Enum,
    Id,
    Number,
    Result,
    ok,
    refuse,
    spoken_day,
    spoken_list,
    spoken_money,
    tool,
)

from .common import adjust, iso_day, no_order, own_order, quoted_wrongly, unheld, verified

FREE_UNTIL_DAYS = 3
LATE_CHANGE = {"van": 25.0, "parcel": 9.0}
SIGNATURE_ABOVE = 500.0
CLAIM_DAYS = 7
CLAIM_ANSWER_DAYS = 5


@tool(writes=False)
@verified
def get_order(desk: Desk, order_number: Annotated[str, Id()]) -> Result:
    """One order: item, price, seller, status and delivery.

    Args:
        order_number: the order number, KE and seven digits.
    """
    row = own_order(desk, order_number)
    if row is None:
        return no_order()
    fields = "order_number product sku price placed_on status fulfilment delivery_date delivered_on recall_notice"
    due = dt.date.fromisoformat(row["delivered_on"] or row["delivery_date"])
    return ok(
        {
            **{field: row[field] for field in fields.split()},
            "sold_by": row["seller"] or "Kestrel Electronics",
            "spoken_delivery": f"{'delivered on' if row['delivered_on'] else 'planned for'} {spoken_day(due)}",
        }
    )


def free_days(desk: Desk, fulfilment: str) -> list[dt.date]:
    """The days after today on which a delivery of this kind still has room."""
    rows = desk.all(
        "SELECT day FROM delivery_days WHERE fulfilment = ? AND free > 0 AND day > ? ORDER BY day",
        fulfilment,
        desk.today.isoformat(),
    )
    return [dt.date.fromisoformat(row["day"]) for row in rows]


@tool(writes=False)
@verified
def get_delivery_days(desk: Desk, order_number: Annotated[str, Id()]) -> Result:
    """The days to which the delivery of an order that has not shipped can be moved, and what moving it costs.

    Args:
        order_number: the order number, KE and seven digits.
    """
    row = own_order(desk, order_number)
    if row is None:
        return no_order()
    days, fee = free_days(desk, row["fulfilment"]), change_fee(desk, row)
    return ok(
        {
            "days": [day.isoformat() for day in days],
            "spoken_days": [spoken_day(day) for day in days],
            "spoken_next_days": spoken_list([spoken_day(day) for day in days[:3]]) or "no day",
            "change_fee": fee,
            "spoken_change_fee": spoken_money(fee),
        }
    )


def change_fee(desk: Desk, order: sqlite3.Row) -> float:
    """What moving a delivery costs: nothing until three days before the planned day, and never for Pro."""
    left = dt.date.fromisoformat(order["delivery_date"]) - desk.today
    return 0.0 if left.days >= FREE_UNTIL_DAYS or order["tier"] == "pro" else LATE_CHANGE.get(order["fulfilment"], 0.0)


@tool(writes=True)
@verified
@unheld
def change_delivery_date(
    desk: Desk,
    order_number: Annotated[str, Id()],
    date: Annotated[str, Date()],
    fee_quoted: Annotated[float | None, Number()] = None,
) -> Result:
    """Move the delivery of an order that has not shipped to another day with room.

    Args:
        order_number: the order number, KE and seven digits.
        date: the new day, YYYY-MM-DD.
        fee_quoted: the fee in dollars that you said aloud; needed when the change is not free.
    """
    row = own_order(desk, order_number)
    if row is None:
        return no_order()
    day = iso_day(date)
    if day is None or day <= desk.today:
        return refuse("INVALID_DATE", "I need a calendar day after today for the delivery.")
    if row["status"] != "processing":
        return refuse("ALREADY_SHIPPED", "That order has left our warehouse, so I can't move its delivery any more.")
    if day not in free_days(desk, row["fulfilment"]):
        return refuse("DAY_NOT_OFFERED", "There is no room on that day. I can tell you which days have room.")
    fee = change_fee(desk, row)
    refusal = quoted_wrongly(fee, fee_quoted, "moving the delivery so late")
    if refusal is not None:
        return refusal
    new = (day.isoformat(), row["order_number"])
    desk.db.execute("UPDATE orders SET delivery_date = ? WHERE order_number = ?", new)
    if fee:
        adjust(desk, "late_delivery_change", fee, row["order_number"])
    return ok({"order_number": row["order_number"], "delivery_date": day.isoformat(), "spoken_day": spoken_day(day)})


@tool(writes=True)
@verified
@unheld
def cancel_order(desk: Desk, order_number: Annotated[str, Id()]) -> Result:
    """Cancel an order that has not shipped; the card is not charged.

    Args:
        order_number: the order number, KE and seven digits.
    """
    row = own_order(desk, order_number)
    if row is None:
        return no_order()
    if row["status"] != "processing":
        return refuse("ALREADY_SHIPPED", "That order has left our warehouse, so I can't cancel it any more.")
    desk.db.execute("UPDATE orders SET status = 'cancelled' WHERE order_number = ?", (row["order_number"],))
    return ok({"order_number": row["order_number"], "status": "cancelled"})


@tool(writes=True)
@verified
@unheld
def set_delivery_instructions(
    desk: Desk,
    order_number: Annotated[str, Id()],
    instruction: Annotated[str, Enum("leave_at_door", "neighbour", "ring_bell", "signature")],
) -> Result:
    """Tell the driver how to hand over an order that is on its way.

    Args:
        order_number: the order number, KE and seven digits.
        instruction: what the driver should do.
    """
    row = own_order(desk, order_number)
    if row is None:
        return no_order()
    if row["status"] not in ("processing", "shipped"):
        return refuse("NOT_ON_ITS_WAY", "That order is not on its way, so there is nobody to tell.")
    if row["price"] > SIGNATURE_ABOVE and instruction in ("leave_at_door", "neighbour"):
        return refuse(
            "ADULT_SIGNATURE_REQUIRED",
            "An order of more than five hundred dollars has to be handed to an adult at your address, who signs.",
        )
    desk.db.execute(
        "INSERT OR REPLACE INTO delivery_instructions (order_number, instruction) VALUES (?, ?)",
        (row["order_number"], instruction),
    )
    return ok({"order_number": row["order_number"], "instruction": instruction})


@tool(writes=True)
@verified
def report_missing_delivery(
    desk: Desk, order_number: Annotated[str, Id()], household_asked: Annotated[bool | None, Bool()] = None
) -> Result:
    """Open a search with the carrier for an order that is marked as delivered and is not there.

    Args:
        order_number: the order number, KE and seven digits.
        household_asked: true once the caller told you that the household and the neighbours do not have it.
    """
    row = own_order(desk, order_number)
    if row is None:
        return no_order()
    if row["status"] != "delivered":
        return refuse("NOT_DELIVERED", "That order is not marked as delivered, so there is nothing to search for yet.")
    if desk.today - dt.date.fromisoformat(row["delivered_on"]) > dt.timedelta(days=CLAIM_DAYS):
        return refuse("CLAIM_WINDOW_PASSED", "The carrier searches only within seven days after the delivery.")
    if desk.one("SELECT 1 FROM delivery_claims WHERE order_number = ?", row["order_number"]):
        return refuse("CLAIM_EXISTS", "A search for that order is open already.")
    if not household_asked:
        return refuse("QUESTION_MISSING", "Did you ask at home and next door whether somebody took it in?")
    answer_by = desk.today + dt.timedelta(days=CLAIM_ANSWER_DAYS)
    claim_id = desk.new_id("CLM-")
    desk.insert(
        "delivery_claims",
        claim_id=claim_id,
        customer_id=row["customer_id"],
        order_number=row["order_number"],
        status="open",
    )
    return ok({"claim_id": claim_id, "answer_by": answer_by.isoformat(), "spoken_answer_by": spoken_day(answer_by)})
