"""What pays for a repair: a plan, else the maker's warranty, else the tier's discount; and what is never repaired."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated

from voicebench.packs import Desk, Id, Prose, Result, ok, refuse, spoken_date, spoken_list, spoken_money, tool

from .common import no_order, own_order, verified

WARRANTY_DAYS = 365
DISCOUNTS = {"basic": 0, "plus": 10, "pro": 20}
ACCIDENTS = frozenset(
    {"accident", "accidental", "bent", "broke", "cracked", "damage", "damaged", "drop", "dropped", "dropping", "fall"}
    | {"fallen", "fell", "impact", "lost", "smashed", "spill", "spilled", "spilt", "stolen", "water", "wet"}
)
HAZARDS = frozenset(
    {"swollen", "swelling", "bulging", "smoke", "smoking", "burning", "burnt", "sparks", "leaking", "fire", "melted"}
)


@tool(writes=False)
@verified
def get_protection_plans(desk: Desk) -> Result:
    """The protection plans of the verified customer, with the item and the end of each."""
    rows = desk.all(
        """SELECT plan_id, t.name AS plan, order_number, p.name AS product, starts_on, ends_on
           FROM protection_plans x JOIN plan_types t USING (plan_type) JOIN orders USING (order_number)
           JOIN products p USING (sku) WHERE x.customer_id = ? AND ends_on >= ? ORDER BY starts_on DESC""",
        desk.state("verified"),
        desk.today.isoformat(),
    )
    if not rows:
        return ok({"plans": [], "spoken_plans": "no protection plan"})
    spoken = []
    for row in rows:
        end = dt.date.fromisoformat(row["ends_on"])
        year = spoken_date(end).rpartition(", ")[2]
        spoken.append(f"{row['plan']} on the {row['product']} until {end:%B} {year}")
    return ok({"plans": [dict(row) for row in rows], "spoken_plans": spoken_list(spoken)})


def covering(desk: Desk, order: sqlite3.Row, issue: str) -> str | None:
    """The plan or warranty that pays for this issue, or None."""
    words = set("".join(c if c.isalpha() else " " for c in issue.lower()).split())
    plans = desk.all(
        """SELECT name, covers, excludes FROM protection_plans JOIN plan_types USING (plan_type)
           WHERE order_number = ? AND starts_on <= ? AND ends_on >= ?""",
        order["order_number"],
        desk.today.isoformat(),
        desk.today.isoformat(),
    )
    for plan in plans:
        covers = plan["covers"] == "*" or words & set(plan["covers"].split())
        if covers and not words & set(plan["excludes"].split()):
            return str(plan["name"])
    age = desk.today - dt.date.fromisoformat(order["delivered_on"])
    accident = words & ACCIDENTS
    return None if accident or age.days > WARRANTY_DAYS else "the maker's warranty"


def service_refusal(order: sqlite3.Row, issue: str) -> Result | None:
    """Why TechCrew may not take this device, or None if it may."""
    if order["recall_notice"]:
        return refuse("RECALLED_DEVICE", "That model was recalled. Please do not use it and do not charge it.")
    words = issue.lower().replace(",", " ").replace(".", " ").split()
    if any(word in HAZARDS and "no" not in words[max(0, i - 1) : i] for i, word in enumerate(words)):
        return refuse("HAZARD_REPORTED", "That may be unsafe. Please leave it alone, away from anything that burns.")
    if not order["delivered_on"]:
        return refuse("NOT_DELIVERED", "That order has not been delivered yet, so there is nothing to repair.")
    return None


@tool(writes=False)
@verified
def check_coverage(desk: Desk, order_number: Annotated[str, Id()], issue: Annotated[str, Prose()]) -> Result:
    """Whether a plan or the warranty pays for this issue, and what the caller would pay.

    Args:
        order_number: the order number of the device, KE and seven digits.
        issue: what is wrong, in the caller's words.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    refusal = service_refusal(order, issue)
    if refusal is not None:
        return refusal
    cover = covering(desk, order, issue)
    desk.set_state(f"cover:{order['order_number']}", cover or "none")
    kinds = [row["service_type"] for row in desk.all("SELECT service_type FROM service_fees")]
    fees = {kind: service_fee(desk, order, kind) for kind in kinds}
    spoken = f"covered by {cover}, and you pay zero dollars" if cover else "not covered by a plan or by the warranty"
    return ok(
        {
            "covered": cover is not None,
            "covered_by": cover,
            "tier_discount_percent": 0 if cover else DISCOUNTS[order["tier"]],
            "fees": fees,
            "spoken_coverage": spoken,
            "spoken_fees": {kind: spoken_money(fee) for kind, fee in fees.items()},
        }
    )


def service_fee(desk: Desk, order: sqlite3.Row, service_type: str) -> float:
    """What a service costs, coverage as it was checked: nothing if covered, else the price less the tier's discount."""
    covered = desk.state(f"cover:{order['order_number']}") not in (None, "none")
    rule = desk.one("SELECT fee FROM service_fees WHERE service_type = ?", service_type)
    return 0.0 if covered or rule is None else round(rule["fee"] * (100 - DISCOUNTS[order["tier"]]) / 100, 2)
