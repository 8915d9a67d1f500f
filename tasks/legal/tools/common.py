"""What several tools of the firm need: how far a caller has come, days on which it works, amounts that were said."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Callable
from functools import wraps
from typing import Any

from voicebench.packs import Desk, Result, refuse

Doing = Callable[..., Result]

NOT_SCREENED = "Before we talk about it, I have to check whether we can help you at all."
NO_INTAKE = "There is no intake open for you yet, so let me take care of that first."
NOT_VERIFIED = "I can talk about a matter only once I know that you are on the file."
CLIENT_ONLY = "I can share that only with the client, and you are on the file for dates and messages."


def needs(key: str, code: str, message: str) -> Callable[[Doing], Doing]:
    """Refuse the call of a tool until the desk knows something; remember what the tool itself refused."""

    def wrap(function: Doing) -> Doing:
        @wraps(function)
        def guarded(desk: Desk, *args: Any, **kwargs: Any) -> Result:
            if not desk.state(key):
                return refuse(code, message)
            return remember(desk, function(desk, *args, **kwargs))

        return guarded

    return wrap


screened = needs("screening", "NOT_SCREENED", NOT_SCREENED)
with_intake = needs("intake", "NO_INTAKE", NO_INTAKE)
on_file = needs("matter", "NOT_VERIFIED", NOT_VERIFIED)


def client_only(function: Doing) -> Doing:
    """Refuse the call of a tool to everybody but the client of the matter."""

    @wraps(function)
    def guarded(desk: Desk, *args: Any, **kwargs: Any) -> Result:
        if desk.state("role") != "client":
            return refuse("CLIENT_ONLY", CLIENT_ONLY)
        return function(desk, *args, **kwargs)

    return on_file(guarded)


def remember(desk: Desk, result: Result) -> Result:
    """Keep the code of a refusal, by which a decline is later established; return the result."""
    if result.error_code:
        desk.set_state(f"refused:{result.error_code}", True)
    return result


def was_refused(desk: Desk, *codes: str) -> bool:
    """Whether one of these refusals was given in this call."""
    return any(desk.state(f"refused:{code}") for code in codes)


def own_intake(desk: Desk) -> sqlite3.Row:
    """The caller's intake; only where one is known to be open."""
    row = desk.one("SELECT * FROM intakes WHERE intake_id = ?", desk.state("intake"))
    assert row is not None
    return row


def iso_day(text: str | None) -> dt.date | None:
    """A calendar date from its ISO form, or None."""
    try:
        return dt.date.fromisoformat(text or "")
    except ValueError:
        return None


def next_working_day(day: dt.date) -> dt.date:
    """The first day after this one that is neither a Saturday nor a Sunday."""
    after = day + dt.timedelta(days=1)
    while after.weekday() > 4:
        after += dt.timedelta(days=1)
    return after


def said_wrongly(amount: float, quoted: float | None, what: str) -> Result | None:
    """The refusal of an amount that was not said or is not right, or None; zero has to be said as well."""
    if quoted is None:
        return refuse("FEE_NOT_QUOTED", f"Before I do that, I have to tell you what {what} costs.")
    if abs(quoted - amount) > 0.004:
        return refuse("FEE_MISMATCH", f"I have to correct what I told you {what} costs.")
    return None
