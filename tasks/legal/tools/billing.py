"""What a client owes, and how it can be paid in installments."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated

from voicebench.packs import Desk, Number, Result, ok, refuse, spoken_day, spoken_money, tool

from .common import client_only, said_wrongly

MOST_MONTHS = 6
LEAST_BALANCE = 200.0


def open_invoice(desk: Desk) -> sqlite3.Row | None:
    """The oldest invoice of the matter that is not paid."""
    return desk.one(
        "SELECT * FROM invoices WHERE matter_number = ? AND balance > 0 ORDER BY issued_on", desk.state("matter")
    )


def no_invoice() -> Result:
    """The refusal where nothing is owed."""
    return refuse("NO_OPEN_INVOICE", "I see no open invoice on this matter.")


@tool(writes=False)
@client_only
def get_invoice(desk: Desk) -> Result:
    """The client's open invoice: what is owed, when it is due, and what one month would be in installments."""
    row = open_invoice(desk)
    if row is None:
        return no_invoice()
    months = range(2, MOST_MONTHS + 1) if row["balance"] >= LEAST_BALANCE else ()
    return ok(
        {
            "balance": row["balance"],
            "due_on": row["due_on"],
            "monthly": {str(count): round(row["balance"] / count, 2) for count in months},
            "spoken_balance": spoken_money(row["balance"]),
            "spoken_due": spoken_day(dt.date.fromisoformat(row["due_on"])),
            "spoken_monthly": {str(count): spoken_money(round(row["balance"] / count, 2)) for count in months},
        }
    )


@tool(writes=True)
@client_only
def arrange_installments(
    desk: Desk,
    months: Annotated[int, Number(whole=True)],
    monthly_quoted: Annotated[float | None, Number()] = None,
) -> Result:
    """Let the client pay the open invoice in equal monthly installments, without interest.

    Args:
        months: in how many months, two to six.
        monthly_quoted: the amount of one month in dollars that you said and the client agreed to.
    """
    row = open_invoice(desk)
    if row is None:
        return no_invoice()
    if row["balance"] < LEAST_BALANCE:
        return refuse("BALANCE_TOO_SMALL", "An amount that small has to be paid at once.")
    if not 2 <= months <= MOST_MONTHS:
        return refuse("MONTHS_NOT_OFFERED", "It can be spread over two to six months.")
    if desk.one("SELECT 1 FROM installment_plans WHERE invoice_number = ?", row["invoice_number"]):
        return refuse("PLAN_EXISTS", "There is already a payment plan for that invoice.")
    monthly = round(row["balance"] / months, 2)
    refusal = said_wrongly(monthly, monthly_quoted, "one month")
    if refusal is not None:
        return refusal
    desk.insert(
        "installment_plans",
        plan_id=desk.new_id("PLN-"),
        invoice_number=row["invoice_number"],
        months=months,
        monthly=monthly,
    )
    return ok({"months": months, "monthly": monthly, "spoken_monthly": spoken_money(monthly)})
