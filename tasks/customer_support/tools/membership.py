"""Membership: tiers and their proration, renewal, and the fee of a year that may come back."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated, Any

from voicebench.packs import (
    Bool,
    Desk,
    Enum,
    Number,
    Result,
    ok,
    refuse,
    spoken_day,
    spoken_money,
    spoken_number,
    tool,
)

from .common import adjust, near_day, unheld, verified

REFUND_DAYS = 14


@tool(writes=False)
@verified
def get_membership(desk: Desk) -> Result:
    """The verified customer's tier, its renewal, and the price a year of each tier."""
    row = desk.one(
        "SELECT tier, member_since, renews_on, auto_renew FROM memberships WHERE customer_id = ?",
        desk.state("verified"),
    )
    prices = {tier["tier"]: tier["annual_price"] for tier in desk.all("SELECT * FROM tiers")}
    spoken = {tier: spoken_money(price) for tier, price in prices.items()}
    charge = last_charge(desk)
    renews = row["renews_on"] if row is not None else None
    return ok(
        {
            **dict(row or {}),
            "annual_prices": prices,
            "spoken_prices": spoken,
            "spoken_renews_on": near_day(desk, dt.date.fromisoformat(renews)) if renews else "no day",
            "last_charge": dict(charge) if charge is not None else None,
            "spoken_last_charge": spoken_charge(charge),
        }
    )


def last_charge(desk: Desk) -> sqlite3.Row | None:
    """The latest fee of a year that the verified customer paid."""
    return desk.one(
        """SELECT charged_on, amount, benefit_used_on FROM membership_charges WHERE customer_id = ?
           ORDER BY charged_on DESC""",
        desk.state("verified"),
    )


def spoken_charge(charge: sqlite3.Row | None) -> str:
    """A charge in words."""
    if charge is None:
        return "no charge"
    return f"{spoken_money(charge['amount'])} on {spoken_day(dt.date.fromisoformat(charge['charged_on']))}"


def tier_quote(desk: Desk, tier: str) -> dict[str, Any] | Result:
    """What a change of tier costs today: the new year's price less the unused days of the paid year; or a refusal."""
    row = desk.one(
        """SELECT m.tier, renews_on, annual_price FROM memberships m JOIN tiers t ON t.tier = m.tier
           WHERE customer_id = ?""",
        desk.state("verified"),
    )
    new = desk.one("SELECT annual_price FROM tiers WHERE tier = ?", tier)
    if row is None or new is None or row["tier"] == tier:
        return refuse("ALREADY_ON_TIER", "That is the tier you have now.")
    if tier == "plus" and row["tier"] == "pro":
        return refuse("DOWNGRADE_AT_RENEWAL", "A year of Pro runs to its end. Plus can begin when it has run out.")
    days = (dt.date.fromisoformat(row["renews_on"]) - desk.today).days if row["renews_on"] else 0
    credit = round(row["annual_price"] * days / 365, 2) if tier == "pro" else 0.0
    due = round(new["annual_price"] - credit, 2)
    return {
        "days_left": days,
        "credit": credit,
        "amount_due": due,
        "spoken_days_left": spoken_number(days),
        "spoken_credit": spoken_money(credit),
        "spoken_amount_due": spoken_money(due),
    }


@tool(writes=False)
@verified
def quote_tier_change(desk: Desk, tier: Annotated[str, Enum("basic", "plus", "pro")]) -> Result:
    """What a change of tier would cost today, with the credit for the unused days of the present year.

    Args:
        tier: the tier that the caller asks about.
    """
    quote = tier_quote(desk, tier)
    return quote if isinstance(quote, Result) else ok(quote)


@tool(writes=True)
@verified
@unheld
def change_membership(
    desk: Desk,
    tier: Annotated[str, Enum("basic", "plus", "pro")],
    amount_quoted: Annotated[float | None, Number()] = None,
) -> Result:
    """Change the tier from today on, after the caller heard the amount due today and agreed.

    Args:
        tier: the new tier.
        amount_quoted: the amount due today in dollars that you said aloud; 0 for basic.
    """
    quote = tier_quote(desk, tier)
    if isinstance(quote, Result):
        return quote
    before = desk.one("SELECT tier FROM memberships WHERE customer_id = ?", desk.state("verified"))
    due = quote["amount_due"]
    if amount_quoted is None or abs(amount_quoted - due) > 0.004:
        return refuse("AMOUNT_NOT_QUOTED", "Before I change the tier I have to tell you the right amount due today.")
    renews = None if tier == "basic" else desk.today.replace(year=desk.today.year + 1).isoformat()
    desk.db.execute(
        "UPDATE memberships SET tier = ?, renews_on = ?, auto_renew = ? WHERE customer_id = ?",
        (tier, renews, int(renews is not None), desk.state("verified")),
    )
    if before is not None:
        desk.set_state("tier_before", desk.state("tier_before") or before["tier"])
    if due:
        adjust(desk, "tier_change", due)
    return ok({"tier": tier, "renews_on": renews, "amount_charged": due})


@tool(writes=True)
@verified
def set_auto_renewal(
    desk: Desk, enabled: Annotated[bool, Bool()], disclosed: Annotated[bool | None, Bool()] = None
) -> Result:
    """Turn the automatic renewal of a paid tier on or off.

    Args:
        enabled: true for on, false for off.
        disclosed: true once you said what changes on the renewal day.
    """
    customer = desk.state("verified")
    row = desk.one("SELECT renews_on, auto_renew FROM memberships WHERE customer_id = ?", customer)
    if row is None or row["renews_on"] is None:
        return refuse("NOTHING_TO_RENEW", "The basic tier is free and has nothing to renew.")
    if not disclosed:
        return refuse("DISCLOSURE_MISSING", "First I have to tell you what happens on the day of renewal.")
    desk.db.execute("UPDATE memberships SET auto_renew = ? WHERE customer_id = ?", (int(enabled), customer))
    return ok({"auto_renew": enabled, "spoken_renews_on": near_day(desk, dt.date.fromisoformat(row["renews_on"]))})


@tool(writes=True)
@verified
@unheld
def request_renewal_refund(desk: Desk, amount_quoted: Annotated[float | None, Number()] = None) -> Result:
    """Pay back the last year's fee whole and end the paid tier today, within fourteen days and if nothing was used.

    Args:
        amount_quoted: the refund in dollars that you said aloud, with the words that the tier ends today.
    """
    charge = last_charge(desk)
    if charge is None:
        return refuse("NO_RENEWAL_CHARGE", "I see no fee that was charged for this membership.")
    until = dt.date.fromisoformat(charge["charged_on"]) + dt.timedelta(days=REFUND_DAYS)
    if desk.today > until:
        return refuse(
            "RENEWAL_REFUND_WINDOW_PASSED", f"The time to ask for that fee back ended on {near_day(desk, until)}."
        )
    if charge["benefit_used_on"]:
        used = near_day(desk, dt.date.fromisoformat(charge["benefit_used_on"]))
        return refuse("BENEFIT_USED", f"A benefit of the new year was used on {used}, so the fee stays.")
    if amount_quoted is None or abs(amount_quoted - charge["amount"]) > 0.004:
        return refuse("AMOUNT_NOT_QUOTED", "First I have to tell you the right amount, and that the tier ends today.")
    customer = desk.state("verified")
    desk.db.execute(
        "UPDATE memberships SET tier = 'basic', renews_on = NULL, auto_renew = 0 WHERE customer_id = ?", (customer,)
    )
    adjust(desk, "renewal_refund", -charge["amount"])
    return ok({"refund": charge["amount"], "tier": "basic", "spoken_refund": spoken_money(charge["amount"])})
