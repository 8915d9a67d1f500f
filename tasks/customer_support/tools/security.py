"""Account security: holds, orders that nobody placed, people who pretended to be us, sessions online."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

from typing import Annotated

from voicebench.packs import Bool, Desk, Enum, Id, Result, ok, refuse, tool

from .common import no_order, on_hold, own_order, verified


@tool(writes=True)
@verified
def place_account_hold(
    desk: Desk,
    reason_code: Annotated[str, Enum("unknown_order", "lost_card", "lost_phone", "suspicious_contact")],
    disclosed: Annotated[bool | None, Bool()] = None,
    order_number: Annotated[str | None, Id()] = None,
) -> Result:
    """Stop new orders and changes on the verified account until a person lifts the hold.

    Args:
        reason_code: why the account is held.
        disclosed: true once you said what the hold stops and that only a person lifts it.
        order_number: the order that the caller did not place, if there is one.
    """
    order = None if order_number is None else own_order(desk, order_number)
    if order_number is not None and order is None:
        return no_order()
    customer = desk.state("verified")
    if on_hold(desk):
        return refuse("HOLD_EXISTS", "The account is on hold already.")
    if not disclosed:
        return refuse("DISCLOSURE_MISSING", "First I have to tell you what a hold stops.")
    hold_id = desk.new_id("HLD-")
    held = order["order_number"] if order else None
    desk.insert(
        "account_holds",
        hold_id=hold_id,
        customer_id=customer,
        order_number=held,
        reason_code=reason_code,
        status="active",
    )
    return ok({"hold_id": hold_id, "status": "active"})


@tool(writes=True)
@verified
def dispute_order(
    desk: Desk, order_number: Annotated[str, Id()], household_asked: Annotated[bool | None, Bool()] = None
) -> Result:
    """Mark an order as one that the customer did not place, for the person who looks into it.

    Args:
        order_number: the order number, KE and seven digits.
        household_asked: true once the caller told you that nobody in the house placed it.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    if desk.one("SELECT 1 FROM order_disputes WHERE order_number = ?", order["order_number"]):
        return refuse("DISPUTE_EXISTS", "That order is marked already.")
    if not household_asked:
        return refuse("QUESTION_MISSING", "Could somebody in your house have ordered it?")
    dispute_id = desk.new_id("DSP-")
    desk.insert(
        "order_disputes",
        dispute_id=dispute_id,
        customer_id=order["customer_id"],
        order_number=order["order_number"],
        status="open",
    )
    return ok({"dispute_id": dispute_id, "status": "open"})


@tool(writes=True)
@verified
def report_scam(
    desk: Desk,
    channel: Annotated[str, Enum("phone", "text", "email")],
    asked_for: Annotated[
        str, Enum("gift_cards", "one_time_code", "password", "remote_access", "card_number", "payment")
    ],
    gave_away: Annotated[bool, Bool()],
    warned: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Report somebody who pretended to be Kestrel.

    Args:
        channel: how they came.
        asked_for: what they wanted; the gravest, if it was several things.
        gave_away: whether the caller gave it to them.
        warned: true once you said what Kestrel never asks for.
    """
    if not warned:
        return refuse("WARNING_NOT_SPOKEN", "First I have to tell you what we never ask for.")
    report_id = desk.new_id("IMP-")
    desk.insert(
        "scam_reports",
        report_id=report_id,
        customer_id=desk.state("verified"),
        channel=channel,
        asked_for=asked_for,
        gave_away=int(gave_away),
    )
    return ok({"report_id": report_id})


@tool(writes=True)
@verified
def sign_out_everywhere(desk: Desk, disclosed: Annotated[bool | None, Bool()] = None) -> Result:
    """End every session of the account online; the next one needs a new password.

    Args:
        disclosed: true once you said that all devices are signed out and that a new password is needed.
    """
    if not disclosed:
        return refuse("DISCLOSURE_MISSING", "First I have to tell you what signing out does.")
    desk.insert("sign_outs", sign_out_id=desk.new_id("OUT-"), customer_id=desk.state("verified"))
    return ok({"signed_out": True})
