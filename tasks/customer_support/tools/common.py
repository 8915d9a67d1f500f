"""What several tools of the desk need: who is verified, whose order it is, what was refused, what is charged."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Callable
from functools import wraps
from typing import Any

from voicebench.packs import Desk, Result, refuse, spoken_date, spoken_day


def verified(function: Callable[..., Result]) -> Callable[..., Result]:
    """Refuse the call of a tool until the caller's identity is verified; remember what it refused."""

    @wraps(function)
    def guarded(desk: Desk, *args: Any, **kwargs: Any) -> Result:
        if not desk.state("verified"):
            return refuse("NOT_VERIFIED", "Before I open anything on the account, I have to check that it is yours.")
        result = function(desk, *args, **kwargs)
        if result.error_code:
            desk.set_state(f"refused:{result.error_code}", True)
        return result

    return guarded


def unheld(function: Callable[..., Result]) -> Callable[..., Result]:
    """Refuse a change while the verified account is on hold."""

    @wraps(function)
    def guarded(desk: Desk, *args: Any, **kwargs: Any) -> Result:
        if on_hold(desk):
            return refuse(
                "ACCOUNT_ON_HOLD", "The account is on hold, and nothing can be changed until a person lifts it."
            )
        return function(desk, *args, **kwargs)

    return guarded


def on_hold(desk: Desk) -> bool:
    """Whether the verified account has a hold that nobody has lifted."""
    active = "SELECT 1 FROM account_holds WHERE customer_id = ? AND status = 'active'"
    return desk.one(active, desk.state("verified")) is not None


def own_order(desk: Desk, order_number: str) -> sqlite3.Row | None:
    """An order of the verified customer with its product, seller, customer and tier."""
    return desk.one(
        """SELECT o.*, p.name AS product, p.product_class, p.recall_notice, s.name AS seller,
           c.home_store, c.state, m.tier FROM orders o JOIN products p USING (sku) JOIN customers c USING (customer_id)
           JOIN memberships m USING (customer_id) LEFT JOIN sellers s USING (seller_id)
           WHERE o.customer_id = ? AND same_id(o.order_number, ?)""",
        desk.state("verified"),
        order_number,
    )


def no_order() -> Result:
    """The refusal of an order number that is not on the verified account."""
    return refuse("ORDER_NOT_FOUND", "I do not see that order number on this account. Could you say it once more?")


def iso_day(text: str) -> dt.date | None:
    """A calendar date from its ISO form, or None."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None


def near_day(desk: Desk, day: dt.date) -> str:
    """A day in words: with its weekday in this year, with its year otherwise."""
    return spoken_day(day) if day.year == desk.today.year else spoken_date(day)


def quoted_wrongly(fee: float, quoted: float | None, what: str) -> Result | None:
    """The refusal of a price that was not said or not right, or None; a price of zero need not be said."""
    if fee > 0 and quoted is None:
        return refuse("FEE_NOT_QUOTED", f"Before I do that, I have to tell you what {what} costs.")
    if quoted is not None and abs(quoted - fee) > 0.004:
        return refuse("FEE_MISMATCH", f"I have to correct the price of {what} first.")
    return None


def adjust(desk: Desk, kind: str, amount: float, order_number: str | None = None) -> None:
    """Note an amount that the verified customer is charged, or credited if it is negative."""
    desk.insert(
        "adjustments",
        adjustment_id=desk.new_id("ADJ-"),
        customer_id=desk.state("verified"),
        order_number=order_number,
        kind=kind,
        amount=round(amount, 2),
    )
