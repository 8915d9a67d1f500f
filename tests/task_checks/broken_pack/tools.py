"""Tools of a small library."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from voicebench.packs import Date, Desk, Enum, Id, Name, Result, ok, refuse, tool


@tool(writes=False)
def find_loan(desk: Desk, loan_id: Annotated[str, Id()]) -> Result:
    """Find a loan by its number.

    Args:
        desk: of the call.
        loan_id: the number on the slip.
    """
    loan = desk.one("SELECT * FROM loans WHERE same_id(loan_id, ?)", loan_id)
    if loan is None:
        return refuse("LOAN_NOT_FOUND", "I can't find that loan.")
    desk.set_state("loan", loan["loan_id"])
    return ok({"loan_id": loan["loan_id"], "due": loan["due"], "note": loan["note"]})


@tool(writes=False)
def verify_borrower(desk: Desk, pin: Annotated[str, Id()]) -> Result:
    """Check the pin against the loan that was found.

    Args:
        desk: of the call.
        pin: five digits.
    """
    loan = desk.one("SELECT * FROM loans WHERE loan_id = ? AND pin = ?", desk.state("loan"), pin)
    if loan is None:
        return refuse("PIN_MISMATCH", "That is not the pin of this loan.")
    desk.set_state("verified", loan["loan_id"])
    return ok({"verified": True})


def not_verified() -> Result:
    """The refusal of whatever needs a verified borrower."""
    return refuse("NOT_VERIFIED", "Let me check your pin first.")


@tool(writes=True)
def renew_loan(desk: Desk, until: Annotated[str, Date()] | None = None) -> Result:
    """Renew the loan, by a week unless a day is given.

    Args:
        desk: of the call.
        until: the new day it is due.
    """
    loan = desk.state("verified")
    if loan is None:
        return not_verified()
    due = until or (desk.today + dt.timedelta(days=7)).isoformat()
    desk.db.execute("UPDATE loans SET due = ? WHERE loan_id = ?", (due, loan))
    desk.insert("requests", request_id=desk.new_id("REQ-"), loan_id=loan)
    return ok({"due": due})


@tool(writes=True)
def waive_fee(desk: Desk) -> Result:
    """Let the borrower off the fee.

    Args:
        desk: of the call.
    """
    loan = desk.state("verified")
    if loan is None:
        return not_verified()
    desk.db.execute("UPDATE loans SET fee = 0 WHERE loan_id = ?", (loan,))
    return ok()


@tool(writes=True)
def sign_slip(desk: Desk, signed_by: Annotated[str, Name()]) -> Result:
    """Sign the slip of the loan.

    Args:
        desk: of the call.
        signed_by: first and last name.
    """
    loan = desk.state("verified")
    if loan is None:
        return not_verified()
    desk.insert("slips", slip_id=desk.new_id("SLIP-"), loan_id=loan, signed_by=signed_by, signed_as=signed_by)
    return ok()


@tool(writes=True)
def file_refusal(desk: Desk, reason_code: Annotated[str, Enum("fee_due", "reserved", "too_late")]) -> Result:
    """Note why the loan that was found is not renewed.

    Args:
        desk: of the call.
        reason_code: why not.
    """
    loan = desk.state("loan")
    if loan is None:
        return refuse("NO_LOAN_SELECTED", "Which loan is it about?")
    desk.insert("refusals", refusal_id=desk.new_id("REF-"), loan_id=loan, reason_code=reason_code)
    return ok()
