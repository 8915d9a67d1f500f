"""Consultations: free slots, holds that run out, fees that are said before anything is booked."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated, Any

from voicebench.packs import (
    Bool,
    Date,
    Desk,
    Enum,
    Number,
    Result,
    ok,
    refuse,
    spoken_day,
    spoken_money,
    spoken_when,
    tool,
)

from .common import iso_day, next_working_day, own_intake, said_wrongly, with_intake

LATE_FEE = 50.0
SHOWN = 4


def free_slots(desk: Desk, area: str, mode: str | None, day: str | None) -> list[sqlite3.Row]:
    """The slots of an area that nobody has booked or holds, earliest first; from tomorrow on."""
    return desk.all(
        """SELECT * FROM slots WHERE area = ? AND (? IS NULL OR mode = ?)
           AND (? IS NULL OR substr(starts_at, 1, 10) = ?) AND substr(starts_at, 1, 10) > ?
           AND slot_id NOT IN (SELECT slot_id FROM consultations WHERE status = 'booked')
           AND slot_id NOT IN (SELECT slot_id FROM holds WHERE status = 'active' AND expires_on >= ?)
           ORDER BY starts_at, slot_id""",
        area,
        mode,
        mode,
        day,
        day,
        desk.today.isoformat(),
        desk.today.isoformat(),
    )


def fee_of(desk: Desk, intake: sqlite3.Row, mode: str) -> float:
    """What a consultation of this intake costs, by phone or in the office."""
    row = desk.one("SELECT * FROM practice_areas WHERE area = ? AND state = ?", intake["area"], intake["state"])
    assert row is not None
    return float(row[f"{mode}_fee"])


def shown(desk: Desk, slot: sqlite3.Row) -> dict[str, Any]:
    """A slot with its lawyer and, in words, its hour."""
    lawyer = desk.one("SELECT full_name FROM staff WHERE staff_id = ?", slot["lawyer"])
    starts = dt.datetime.fromisoformat(slot["starts_at"])
    return {
        "day": starts.date().isoformat(),
        "mode": slot["mode"],
        "lawyer": lawyer["full_name"] if lawyer else None,
        "spoken_when": spoken_when(starts),
    }


def held(desk: Desk, intake: sqlite3.Row, slot: sqlite3.Row, until: dt.date) -> dict[str, Any]:
    """A slot on hold: through which day, what it costs, and what the other kind of consultation would cost."""
    fee = fee_of(desk, intake, slot["mode"])
    other = fee_of(desk, intake, "office" if slot["mode"] == "phone" else "phone")
    spoken = {"spoken_fee": spoken_money(fee), "spoken_fee_of_the_other_kind": spoken_money(other)}
    return {**shown(desk, slot), "fee": fee, "spoken_through": spoken_day(until), **spoken}


def bad_day(desk: Desk, day: str | None) -> Result | None:
    """The refusal of a day that is none, or not after today; None if it will do."""
    if day is None:
        return None
    wanted = iso_day(day)
    if wanted is None or wanted <= desk.today:
        return refuse("INVALID_DATE", "I need a day after today for that.")
    return None


@tool(writes=False)
@with_intake
def get_consultation_slots(
    desk: Desk,
    mode: Annotated[str | None, Enum("phone", "office")] = None,
    day: Annotated[str | None, Date()] = None,
) -> Result:
    """The next free consultations for the caller's intake; the fee comes with the hold.

    Args:
        mode: by phone or in the office; without it both.
        day: a calendar day, if the caller named one.
    """
    refusal = bad_day(desk, day)
    if refusal is not None:
        return refusal
    intake = own_intake(desk)
    slots = free_slots(desk, intake["area"], mode, day)
    return ok({"slots": [shown(desk, slot) for slot in slots[:SHOWN]]})


def active_hold(desk: Desk, intake: sqlite3.Row) -> sqlite3.Row | None:
    """The intake's latest hold that was neither released nor booked, run out or not."""
    return desk.one(
        "SELECT * FROM holds WHERE intake_id = ? AND status = 'active' ORDER BY expires_on DESC", intake["intake_id"]
    )


@tool(writes=False)
@with_intake
def get_hold(desk: Desk) -> Result:
    """The slot that is held for the caller, and through which day."""
    intake = own_intake(desk)
    hold = active_hold(desk, intake)
    if hold is None:
        return refuse("NO_HOLD", "Nothing is being held for you at the moment.")
    slot = desk.one("SELECT * FROM slots WHERE slot_id = ?", hold["slot_id"])
    assert slot is not None
    until = dt.date.fromisoformat(hold["expires_on"])
    return ok({**held(desk, intake, slot, until), "expired": until < desk.today})


@tool(writes=True)
@with_intake
def hold_slot(
    desk: Desk,
    mode: Annotated[str, Enum("phone", "office")],
    day: Annotated[str | None, Date()] = None,
) -> Result:
    """Hold the first free consultation through the next business day. A caller has one hold at a time.

    Args:
        mode: by phone or in the office.
        day: the calendar day that the caller chose; leave it out for the first there is.
    """
    intake = own_intake(desk)
    refusal = bad_day(desk, day)
    if refusal is not None:
        return refusal
    if intake["urgent"] and not desk.state("paged"):
        return refuse("DUTY_LAWYER_FIRST", "One of our lawyers has to know about this first.")
    hold = active_hold(desk, intake)
    if hold is not None and hold["expires_on"] >= desk.today.isoformat():
        return refuse("HOLD_EXISTS", "You have another time on hold, and I would have to let that go first.")
    slots = free_slots(desk, intake["area"], mode, day)
    if not slots:
        return refuse("NO_FREE_SLOT", "Nothing like that is open.")
    until = next_working_day(desk.today)
    desk.insert(
        "holds",
        hold_id=desk.new_id("HLD-"),
        intake_id=intake["intake_id"],
        slot_id=slots[0]["slot_id"],
        expires_on=until.isoformat(),
        status="active",
    )
    return ok(held(desk, intake, slots[0], until))


@tool(writes=True)
@with_intake
def release_hold(desk: Desk) -> Result:
    """Let the caller's hold go, so that another time can be held, or because they want none."""
    hold = active_hold(desk, own_intake(desk))
    if hold is None:
        return refuse("NO_HOLD", "Nothing is being held for you at the moment.")
    if hold["expires_on"] < desk.today.isoformat():
        return refuse("HOLD_EXPIRED", "That hold has run out, so there is nothing to let go.")
    desk.db.execute("UPDATE holds SET status = 'released' WHERE hold_id = ?", (hold["hold_id"],))
    return ok({"released": True})


@tool(writes=True)
@with_intake
def book_consultation(
    desk: Desk,
    fee_quoted: Annotated[float | None, Number()] = None,
    terms_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Book the time that is held for the caller.

    Args:
        fee_quoted: the fee in dollars that you said and the caller agreed to; zero if you said that it is free.
        terms_told: true once you said until when the consultation can be moved or canceled for free.
    """
    intake = own_intake(desk)
    hold = active_hold(desk, intake)
    if hold is None:
        return refuse("NO_HOLD", "First I have to hold a time for you.")
    if hold["expires_on"] < desk.today.isoformat():
        return refuse("HOLD_EXPIRED", "The time that was held for you has run out.")
    slot = desk.one("SELECT * FROM slots WHERE slot_id = ?", hold["slot_id"])
    assert slot is not None
    fee = fee_of(desk, intake, slot["mode"])
    refusal = said_wrongly(fee, fee_quoted, "the consultation")
    if refusal is not None:
        return refusal
    if not terms_told:
        return refuse("TERMS_NOT_TOLD", "First I have to tell you until when you can cancel for free.")
    desk.db.execute("UPDATE holds SET status = 'booked' WHERE hold_id = ?", (hold["hold_id"],))
    desk.insert(
        "consultations",
        consultation_id=desk.new_id("CON-"),
        intake_id=intake["intake_id"],
        slot_id=slot["slot_id"],
        fee=fee,
        late_fee=0.0,
        status="booked",
    )
    return ok({**shown(desk, slot), "fee": fee})


def booked(desk: Desk) -> sqlite3.Row | None:
    """The caller's booked consultation with its slot."""
    return desk.one(
        """SELECT * FROM consultations JOIN slots USING (slot_id)
           WHERE intake_id = ? AND status = 'booked' ORDER BY starts_at""",
        desk.state("intake"),
    )


def change_fee(desk: Desk, starts_at: str) -> float:
    """What it costs to move or cancel: nothing until the business day before, then the late fee."""
    day = dt.datetime.fromisoformat(starts_at).date()
    return LATE_FEE if day <= next_working_day(desk.today) else 0.0


def no_consultation() -> Result:
    """The refusal where the caller has no consultation."""
    return refuse("NO_CONSULTATION", "I don't see a consultation booked for you.")


@tool(writes=False)
@with_intake
def get_consultation(desk: Desk) -> Result:
    """The caller's booked consultation, and what it costs today to move or to cancel it."""
    row = booked(desk)
    if row is None:
        return no_consultation()
    fee = change_fee(desk, row["starts_at"])
    return ok({**shown(desk, row), "change_fee": fee, "spoken_change_fee": spoken_money(fee)})


@tool(writes=True)
@with_intake
def move_consultation(
    desk: Desk,
    day: Annotated[str, Date()],
    fee_quoted: Annotated[float | None, Number()] = None,
) -> Result:
    """Move the caller's consultation to the first free time of another day, of the same kind.

    Args:
        day: the calendar day that the caller chose.
        fee_quoted: the fee for moving in dollars that you said and the caller agreed to; zero if it is free.
    """
    row = booked(desk)
    if row is None:
        return no_consultation()
    refusal = bad_day(desk, day) or said_wrongly(change_fee(desk, row["starts_at"]), fee_quoted, "moving it")
    if refusal is not None:
        return refusal
    slots = free_slots(desk, row["area"], row["mode"], day)
    if not slots:
        return refuse("NO_FREE_SLOT", "Nothing like that is open.")
    desk.db.execute(
        "UPDATE consultations SET slot_id = ?, late_fee = late_fee + ? WHERE consultation_id = ?",
        (slots[0]["slot_id"], change_fee(desk, row["starts_at"]), row["consultation_id"]),
    )
    return ok(shown(desk, slots[0]))


@tool(writes=True)
@with_intake
def cancel_consultation(
    desk: Desk,
    fee_quoted: Annotated[float | None, Number()] = None,
) -> Result:
    """Cancel the caller's consultation.

    Args:
        fee_quoted: the fee for canceling in dollars that you said and the caller agreed to; zero if it is free.
    """
    row = booked(desk)
    if row is None:
        return no_consultation()
    fee = change_fee(desk, row["starts_at"])
    refusal = said_wrongly(fee, fee_quoted, "canceling it")
    if refusal is not None:
        return refusal
    desk.db.execute(
        "UPDATE consultations SET status = 'cancelled', late_fee = ? WHERE consultation_id = ?",
        (fee, row["consultation_id"]),
    )
    return ok({"cancelled": True, "late_fee": fee})
