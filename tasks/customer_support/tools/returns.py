"""Returns: windows by class and tier, restocking fees, what may not be mailed, and returns that are open."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated

from voicebench.packs import Bool, Desk, Enum, Id, Number, Result, ok, refuse, spoken_day, spoken_money, tool

from .common import no_order, own_order, verified

FAULTS_OF_OURS = ("defective", "damaged_in_transit", "wrong_item")
NEVER_BY_MAIL = ("power",)


def return_by(desk: Desk, order: sqlite3.Row) -> dt.date | None:
    """The last day on which an order may come back, by the tier before a change today; None if its class never may."""
    rule = desk.one(
        "SELECT days FROM return_windows WHERE product_class IN (?, 'any') AND tier = ? ORDER BY product_class = 'any'",
        order["product_class"],
        desk.state("tier_before") or order["tier"],
    )
    days = rule["days"] if rule else 0
    return dt.date.fromisoformat(order["delivered_on"]) + dt.timedelta(days=days) if days else None


def return_refusal(desk: Desk, order: sqlite3.Row) -> Result | None:
    """Why an order cannot come back, or None if it can."""
    if order["recall_notice"]:
        return refuse(
            "RECALLED_DEVICE", "That model was recalled. Please do not use it, charge it or send it anywhere."
        )
    if order["seller"]:
        return refuse(
            "MARKETPLACE_SELLER_POLICY",
            f"That item was sold by {order['seller']}, a marketplace seller, and the seller sets the return policy. "
            "Kestrel cannot open a return for it.",
        )
    if not order["delivered_on"]:
        return refuse("NOT_DELIVERED", "That order has not been delivered yet, so there is nothing to return.")
    if desk.one("SELECT 1 FROM returns WHERE order_number = ?", order["order_number"]):
        return refuse("RETURN_EXISTS", "There is a return for that order already.")
    last = return_by(desk, order)
    if last is None:
        return refuse("FINAL_SALE", "That kind of item is a final sale and can't be returned once it was delivered.")
    if desk.today > last:
        return refuse("WINDOW_PASSED", f"The time to return that item ended on {spoken_day(last)}.")
    return None


def restocking_fee(desk: Desk, order: sqlite3.Row, *, opened: bool = True) -> float:
    """The restocking fee of an order for a change of mind, in dollars; what is still sealed has none."""
    if not opened or desk.one("SELECT 1 FROM fee_exempt_states WHERE state = ?", order["state"]):
        return 0.0
    rule = desk.one("SELECT percent FROM restocking_fees WHERE product_class = ?", order["product_class"])
    return round(order["price"] * rule["percent"] / 100, 2) if rule else 0.0


@tool(writes=False)
@verified
def check_return_eligibility(desk: Desk, order_number: Annotated[str, Id()]) -> Result:
    """Whether an order may come back to Kestrel, until when, and the restocking fee that must be spoken.

    Args:
        order_number: the order number, KE and seven digits.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    refusal = return_refusal(desk, order)
    last = None if refusal else return_by(desk, order)
    if last is None:
        return refusal or no_order()
    fee = restocking_fee(desk, order)
    return ok(
        {
            "order_number": order["order_number"],
            "product": order["product"],
            "return_by": last.isoformat(),
            "restocking_fee": fee,
            "refund_amount": round(order["price"] - fee, 2),
            "restocking_fee_if_sealed": 0.0,
            "fee_waived_for": list(FAULTS_OF_OURS),
            "spoken_return_by": spoken_day(last),
            "spoken_restocking_fee": spoken_money(fee),
            "spoken_refund_amount": spoken_money(order["price"] - fee),
        }
    )


@tool(writes=True)
@verified
def open_return(
    desk: Desk,
    order_number: Annotated[str, Id()],
    reason_code: Annotated[str, Enum("changed_mind", "defective", "damaged_in_transit", "wrong_item")],
    method: Annotated[str, Enum("store", "mail")],
    fee_quoted: Annotated[float | None, Number()] = None,
    opened: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Open a return after the caller heard the restocking fee and agreed.

    Args:
        order_number: the order number, KE and seven digits.
        reason_code: why the item comes back.
        method: whether the caller brings it to the store or sends it with a mailed label.
        fee_quoted: the restocking fee in dollars that you said aloud; 0 if you said that there is none.
        opened: false if the caller said that the box is still sealed.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    refusal = return_refusal(desk, order)
    if refusal is not None:
        return refusal
    if method == "mail" and order["product_class"] in NEVER_BY_MAIL:
        return refuse("MAIL_NOT_ALLOWED", "A loose lithium battery may not travel by mail. It can come to the store.")
    fee = 0.0 if reason_code in FAULTS_OF_OURS else restocking_fee(desk, order, opened=opened is not False)
    if fee_quoted is None:
        return refuse("FEE_NOT_QUOTED", "Before I open the return I have to tell you the restocking fee.")
    if abs(fee_quoted - fee) > 0.004:
        return refuse("FEE_MISMATCH", "I have to correct the restocking fee before I open the return.")
    return_id, refund = desk.new_id("RET-"), round(order["price"] - fee, 2)
    desk.insert(
        "returns",
        return_id=return_id,
        customer_id=order["customer_id"],
        order_number=order["order_number"],
        reason_code=reason_code,
        method=method,
        restocking_fee=fee,
        refund_amount=refund,
        status="open",
    )
    return ok({"return_id": return_id, "refund_amount": refund, "spoken_refund_amount": spoken_money(refund)})


def return_of(desk: Desk, order_number: str) -> sqlite3.Row | None:
    """The return of an order of the verified customer."""
    return desk.one(
        "SELECT * FROM returns WHERE customer_id = ? AND same_id(order_number, ?)", desk.state("verified"), order_number
    )


def no_return() -> Result:
    """The refusal of an order that has no return."""
    return refuse("RETURN_NOT_FOUND", "I do not see a return for that order on this account.")


@tool(writes=False)
@verified
def get_return_status(desk: Desk, order_number: Annotated[str, Id()]) -> Result:
    """The return that was opened for an order: how far it is, and the refund.

    Args:
        order_number: the order number, KE and seven digits.
    """
    row = return_of(desk, order_number)
    if row is None:
        return no_return()
    fields = ("order_number", "status", "method", "reason_code", "restocking_fee", "refund_amount")
    spoken = spoken_money(row["refund_amount"])
    return ok({**{field: row[field] for field in fields}, "spoken_refund_amount": spoken})


@tool(writes=True)
@verified
def cancel_return(desk: Desk, order_number: Annotated[str, Id()]) -> Result:
    """Cancel a return that we have not received, because the caller keeps the item.

    Args:
        order_number: the order number, KE and seven digits.
    """
    row = return_of(desk, order_number)
    if row is None:
        return no_return()
    if row["status"] != "open":
        return refuse("RETURN_NOT_OPEN", "That return is not open any more, so it can't be cancelled.")
    desk.db.execute("UPDATE returns SET status = 'cancelled' WHERE return_id = ?", (row["return_id"],))
    return ok({"order_number": row["order_number"], "status": "cancelled"})
