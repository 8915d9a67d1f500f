"""Tools of the smallest pack that has one of everything."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from voicebench.packs import Date, Desk, Id, Prose, Result, ok, refuse, tool


@tool(writes=False)
def find_loan(desk: Desk, loan_id: Annotated[str, Id()]) -> Result:
    """Find a loan by its number.

    Args:
        loan_id: the number on the slip.
    """
    loan = desk.one("SELECT * FROM loans WHERE same_id(loan_id, ?)", loan_id)
    if loan is None:
        return refuse("LOAN_NOT_FOUND", "I can't find that loan.")
    desk.set_state("loan", loan["loan_id"])
    return ok({"loan_id": loan["loan_id"], "due": loan["due"]})


@tool(writes=True)
def renew_loan(
    desk: Desk, until: Annotated[str, Date()] | None = None, reason: Annotated[str, Prose()] | None = None
) -> Result:
    """Renew the loan that was found,
    by a week unless a day is given.

    Args:
        until: the new day it is due,
            which may be left out.
        reason: in the caller's words.
    """
    loan_id = desk.state("loan")
    if loan_id is None:
        return refuse("NO_LOAN_SELECTED", "Let me look up the loan first.")
    due = until or (desk.today + dt.timedelta(days=7)).isoformat()
    desk.db.execute("UPDATE loans SET due = ? WHERE loan_id = ?", (due, loan_id))
    desk.insert("requests", request_id=desk.new_id("REQ-"), loan_id=loan_id, reason=reason, made_at=due)
    return ok({"request_id": "REQ-0001", "due": due})
