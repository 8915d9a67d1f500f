"""Bills: what they are made of, links to pay by, monthly amounts, disputes, and fees that only a human waives."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import sqlite3
from typing import Annotated

from voicebench.packs import Bool, Desk, Enum, Id, Number, Result, ok, refuse, spoken_list, spoken_money, tool

from .common import opened, patient, told_wrongly

SMALLEST_LINK = 20.0
SMALLEST_MONTH = 25.0
MOST_MONTHS = 6


def open_statement(desk: Desk, statement_number: str) -> sqlite3.Row | Result:
    """An open bill of the chart, or the refusal of one that is none."""
    row = desk.one(
        "SELECT * FROM statements WHERE patient_id = ? AND same_id(statement_number, ?)",
        patient(desk),
        statement_number,
    )
    if row is None:
        return refuse("STATEMENT_NOT_FOUND", "I don't see that bill.")
    return row if row["status"] == "open" else refuse("ALREADY_PAID", "That bill has already been paid.")


def still_due(desk: Desk, statement: sqlite3.Row) -> float:
    """The balance of a bill less what links were sent for."""
    row = desk.one(
        "SELECT coalesce(sum(amount), 0) AS sent FROM payment_links WHERE statement_number = ?",
        statement["statement_number"],
    )
    return round(statement["balance"] - (0.0 if row is None else row["sent"]), 2)


@tool(writes=False)
@opened("billing")
def get_statement(desk: Desk, statement_number: Annotated[str | None, Id()] = None) -> Result:
    """An open bill: its lines, what the plan paid, and what is due.

    Args:
        statement_number: from the chart overview; leave it out for the latest.
    """
    latest = "SELECT statement_number FROM statements WHERE patient_id = ? AND status = 'open' ORDER BY issued_on DESC"
    newest = desk.one(latest, patient(desk))
    row = open_statement(desk, statement_number or (newest["statement_number"] if newest else ""))
    if isinstance(row, Result):
        return row
    lines = desk.all("SELECT * FROM statement_lines WHERE statement_number = ?", row["statement_number"])
    parts = [f"{line['words']}, {spoken_money(line['amount'])}" for line in lines]
    due = still_due(desk, row)
    return ok(
        {
            "statement_number": row["statement_number"],
            "lines": [{"words": line["words"], "amount": line["amount"]} for line in lines],
            "plan_paid": row["plan_paid"],
            "due": due,
            "spoken_lines": spoken_list(parts),
            "spoken_plan_paid": spoken_money(row["plan_paid"]),
            "spoken_due": spoken_money(due),
        }
    )


@tool(writes=True)
@opened("billing")
def send_payment_link(
    desk: Desk,
    statement_number: Annotated[str, Id()],
    amount: Annotated[float, Number()],
    channel: Annotated[str, Enum("text", "email")],
    terms_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Send a link to pay a bill, or a part of it, to the phone or the mail address in the file.

    Args:
        statement_number: from the chart overview.
        amount: in dollars, as the caller wants it.
        channel: text or email, as the caller wants it.
        terms_told: true once you said that the link works for three days and that we take no card by phone.
    """
    row = open_statement(desk, statement_number)
    if isinstance(row, Result):
        return row
    due = still_due(desk, row)
    if amount > due + 0.004:
        return refuse("AMOUNT_ABOVE_DUE", f"That is more than you owe. What is due is {spoken_money(due)}.")
    if amount < min(SMALLEST_LINK, due):
        return refuse("AMOUNT_TOO_SMALL", f"A link has to be for {spoken_money(SMALLEST_LINK)} or more.")
    if not terms_told:
        return refuse("TERMS_NOT_TOLD", "First I have to tell you how the link works.")
    link_id = desk.new_id("LNK-")
    desk.insert(
        "payment_links",
        link_id=link_id,
        patient_id=patient(desk),
        statement_number=row["statement_number"],
        amount=round(amount, 2),
        channel=channel,
    )
    left = still_due(desk, row)
    return ok(
        {"link_id": link_id, "left": left, "spoken_amount": spoken_money(amount), "spoken_left": spoken_money(left)}
    )


@tool(writes=True)
@opened("billing")
def set_payment_plan(
    desk: Desk,
    statement_number: Annotated[str, Id()],
    months: Annotated[int, Number(whole=True)],
    monthly_told: Annotated[float | None, Number()] = None,
) -> Result:
    """Spread what is due of a bill over some months, without interest.

    Args:
        statement_number: from the chart overview.
        months: how many, from two to six.
        monthly_told: the monthly amount in dollars that you said aloud: what is due, divided by the months.
    """
    row = open_statement(desk, statement_number)
    if isinstance(row, Result):
        return row
    if desk.one("SELECT 1 FROM payment_plans WHERE statement_number = ?", row["statement_number"]):
        return refuse("PLAN_EXISTS", "That bill is already being paid by the month.")
    if not 2 <= months <= MOST_MONTHS:
        return refuse("MONTHS_NOT_OFFERED", "We can spread a bill over two to six months.")
    monthly = round(still_due(desk, row) / months, 2)
    if monthly < SMALLEST_MONTH:
        return refuse("MONTH_TOO_SMALL", f"The monthly amount has to be {spoken_money(SMALLEST_MONTH)} or more.")
    refusal = told_wrongly(monthly, monthly_told, "the monthly amount")
    if refusal is not None:
        return refusal
    payment_plan_id = desk.new_id("PPL-")
    desk.insert(
        "payment_plans",
        payment_plan_id=payment_plan_id,
        patient_id=patient(desk),
        statement_number=row["statement_number"],
        months=months,
        monthly=monthly,
    )
    return ok({"payment_plan_id": payment_plan_id, "monthly": monthly, "spoken_monthly": spoken_money(monthly)})


@tool(writes=True)
@opened("billing")
def request_fee_waiver(
    desk: Desk,
    reason: Annotated[str, Enum("illness", "bereavement", "weather", "clinic_error", "other")],
    no_promise_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Ask the office manager to waive the patient's latest late fee. Only the manager decides.

    Args:
        reason: why the visit was cancelled late, as the caller says.
        no_promise_told: true once you said that the manager decides and that you can't promise it.
    """
    fee = desk.one("SELECT * FROM late_fees WHERE patient_id = ? ORDER BY rowid DESC LIMIT 1", patient(desk))
    if fee is None:
        return refuse("FEE_NOT_FOUND", "I don't see a late fee.")
    if desk.one("SELECT 1 FROM waiver_requests WHERE fee_id = ?", fee["fee_id"]):
        return refuse("WAIVER_DECIDED", "The manager has already been asked about that fee, and I can't ask her twice.")
    if not no_promise_told:
        return refuse("PROMISE_NOT_EXCLUDED", "First I have to say who decides that.")
    request_id = desk.new_id("WVR-")
    desk.insert(
        "waiver_requests",
        request_id=request_id,
        patient_id=patient(desk),
        fee_id=fee["fee_id"],
        reason=reason,
        status="waiting",
    )
    return ok({"request_id": request_id, "amount": fee["amount"], "spoken_amount": spoken_money(fee["amount"])})


@tool(writes=True)
@opened("billing")
def dispute_charge(
    desk: Desk,
    statement_number: Annotated[str, Id()],
    reason: Annotated[str, Enum("charged_twice", "not_received", "wrong_amount", "plan_not_billed")],
    hold_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Have the billing office look into a bill that the caller says is wrong.

    Args:
        statement_number: from the chart overview.
        reason: what is wrong, as the caller says.
        hold_told: true once you said that nothing is due while they look, thirty days at most, and that the bill may
            stay as it is.
    """
    row = open_statement(desk, statement_number)
    if isinstance(row, Result):
        return row
    if desk.one("SELECT 1 FROM charge_disputes WHERE statement_number = ?", row["statement_number"]):
        return refuse("DISPUTE_EXISTS", "The billing office is already looking at that bill.")
    if not hold_told:
        return refuse("HOLD_NOT_TOLD", "First I have to tell you what happens to the bill in the meantime.")
    dispute_id = desk.new_id("DSP-")
    desk.insert(
        "charge_disputes",
        dispute_id=dispute_id,
        patient_id=patient(desk),
        statement_number=row["statement_number"],
        reason=reason,
    )
    return ok({"dispute_id": dispute_id})
