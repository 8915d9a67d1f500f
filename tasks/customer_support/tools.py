"""The tools of the Kestrel Electronics desk.

What is meant to be spoken is in fields that begin with ``spoken``, in words.
"""
# ruff: noqa: D417, SIM905 - a model gives no desk; words in a row are read sooner than quoted ones

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from voicebench.packs import (
    Bool,
    Date,
    Desk,
    Enum,
    Id,
    Name,
    Number,
    Phone,
    Prose,
    Result,
    ok,
    refuse,
    same_name,
    tool,
)

MAX_TRIES = 3
WARRANTY_DAYS = 365
FAULTS_OF_OURS = ("defective", "damaged_in_transit", "wrong_item")
HAZARDS = frozenset(
    {"swollen", "swelling", "bulging", "smoke", "smoking", "burning", "burnt", "sparks", "leaking", "fire", "melted"}
)
UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third "
    "twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()


# ---- how values are spoken ------------------------------------------------------------------------------------


def spoken_number(value: int) -> str:
    """A whole number from 0 to 9999 in words."""
    if value < 20:
        return UNITS[value]
    if value < 100:
        rest = value % 10
        return TENS[value // 10 - 2] + (f"-{UNITS[rest]}" if rest else "")
    size, name = (1000, "thousand") if value >= 1000 else (100, "hundred")
    rest = value % size
    return f"{spoken_number(value // size)} {name}" + (f" {spoken_number(rest)}" if rest else "")


def spoken_money(amount: float) -> str:
    """An amount of dollars in words: ``thirty-five dollars and twenty cents``."""
    dollars, cents = divmod(round(amount * 100), 100)
    words = f"{spoken_number(dollars)} {'dollar' if dollars == 1 else 'dollars'}"
    return words + (f" and {spoken_number(cents)} {'cent' if cents == 1 else 'cents'}" if cents else "")


def spoken_day(day: dt.date) -> str:
    """A day of this year in words: ``Tuesday, April second``."""
    return f"{day:%A}, {day:%B} {ORDINALS[day.day - 1]}"


def spoken_when(moment: dt.datetime) -> str:
    """A day and a full hour in words: ``Tuesday, April second, at ten in the morning``."""
    part = "in the morning" if moment.hour < 12 else "in the afternoon"
    return f"{spoken_day(moment.date())}, at {spoken_number((moment.hour - 1) % 12 + 1)} {part}"


def spoken_list(parts: list[str]) -> str:
    """Parts joined for the ear."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"


# ---- what several tools need ----------------------------------------------------------------------------------


def verified(function: Callable[..., Result]) -> Callable[..., Result]:
    """Refuse the call of a tool until the caller's identity is verified."""

    @wraps(function)
    def guarded(desk: Desk, *args: Any, **kwargs: Any) -> Result:
        if not desk.state("verified"):
            return refuse("NOT_VERIFIED", "Before I open anything on the account, I have to check that it is yours.")
        return function(desk, *args, **kwargs)

    return guarded


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


# ---- identity -------------------------------------------------------------------------------------------------


@tool(writes=False)
def identify_customer(
    desk: Desk,
    order_number: Annotated[str | None, Id()] = None,
    phone: Annotated[str | None, Phone()] = None,
    full_name: Annotated[str | None, Name()] = None,
) -> Result:
    """Look the caller up by order number or phone number; a name alone finds nobody and only confirms.

    Args:
        order_number: the order number, KE and seven digits, as the caller said it.
        phone: the phone number on the account, ten digits.
        full_name: the caller's first and last name, to confirm the record.
    """
    if order_number is None and phone is None:
        return refuse("NEED_ORDER_OR_PHONE", "To find your record I need an order number or a phone number.")
    row = None
    if order_number is not None:
        row = desk.one(
            """SELECT c.* FROM customers c JOIN orders o USING (customer_id)
               WHERE same_id(o.order_number, ?)""",
            order_number,
        )
    if row is None and phone is not None:
        row = desk.one("SELECT * FROM customers WHERE phone = ?", phone)
    if row is None:
        return refuse("CUSTOMER_NOT_FOUND", "I did not find a record with that. Could you say the number once more?")
    if desk.state("selected") != row["customer_id"]:
        desk.set_state("verified", None)
    desk.set_state("selected", row["customer_id"])
    return ok(
        {
            "record_found": True,
            "name_agrees": None if full_name is None else same_name(full_name, row["full_name"]),
            "ask_next": "the postal code of the account and the last four digits of the card on it",
        }
    )


@tool(writes=False)
def verify_identity(
    desk: Desk,
    postal_code: Annotated[str, Id()],
    card_last4: Annotated[str, Id()],
) -> Result:
    """Check the caller against the record that identify_customer found. Both values must be right.

    Args:
        postal_code: the five digits of the postal code, as the caller said them.
        card_last4: the last four digits of the payment card, as the caller said them.
    """
    selected = desk.state("selected")
    if not selected:
        return refuse("NO_RECORD_SELECTED", "Let me look you up first. What is the order number, or the phone number?")
    tries = int(desk.state("failed_tries") or 0)
    if tries >= MAX_TRIES:
        return refuse("IDENTITY_LOCKED", "I can't check these details any further on this call.")
    row = desk.one(
        """SELECT full_name, tier, postal_code, card_last4 FROM customers JOIN memberships USING (customer_id)
           WHERE customer_id = ?""",
        selected,
    )
    if row is None or (row["postal_code"], row["card_last4"]) != (postal_code, card_last4):
        desk.set_state("failed_tries", tries + 1)
        if tries + 1 >= MAX_TRIES:
            return refuse("IDENTITY_LOCKED", "That does not agree, and I can't check it any further on this call.")
        return refuse("IDENTITY_MISMATCH", "Those details do not agree. Could you give me both once more?")
    desk.set_state("verified", selected)
    return ok({"verified": True, "full_name": row["full_name"], "tier": row["tier"]})


@tool(writes=False)
@verified
def get_customer_summary(desk: Desk) -> Result:
    """The verified customer's membership, orders and open service appointments."""
    customer = desk.state("verified")
    member = desk.one(
        """SELECT full_name, tier, member_since FROM customers JOIN memberships USING (customer_id)
           WHERE customer_id = ?""",
        customer,
    )
    orders = desk.all(
        """SELECT order_number, name AS product, placed_on, status, fulfilment, delivery_date, delivered_on
           FROM orders JOIN products USING (sku) WHERE customer_id = ? ORDER BY placed_on DESC, order_number""",
        customer,
    )
    appointments = desk.all(
        """SELECT appointment_id, order_number, a.service_type, starts_at FROM service_appointments a
           JOIN service_slots USING (slot_id) WHERE customer_id = ? AND status = 'booked' ORDER BY starts_at""",
        customer,
    )
    return ok(
        {
            **dict(member or {}),
            "orders": [dict(row) for row in orders],
            "open_service_appointments": [dict(row) for row in appointments],
        }
    )


# ---- orders and delivery --------------------------------------------------------------------------------------


@tool(writes=False)
@verified
def get_order(desk: Desk, order_number: Annotated[str, Id()]) -> Result:
    """One order: item, price, seller, status and delivery.

    Args:
        order_number: the order number, KE and seven digits.
    """
    row = own_order(desk, order_number)
    if row is None:
        return no_order()
    fields = "order_number product sku price placed_on status fulfilment delivery_date delivered_on recall_notice"
    due = dt.date.fromisoformat(row["delivered_on"] or row["delivery_date"])
    return ok(
        {
            **{field: row[field] for field in fields.split()},
            "sold_by": row["seller"] or "Kestrel Electronics",
            "spoken_delivery": f"{'delivered on' if row['delivered_on'] else 'planned for'} {spoken_day(due)}",
        }
    )


def free_days(desk: Desk, fulfilment: str) -> list[dt.date]:
    """The days after today on which a delivery of this kind still has room."""
    rows = desk.all(
        "SELECT day FROM delivery_days WHERE fulfilment = ? AND free > 0 AND day > ? ORDER BY day",
        fulfilment,
        desk.today.isoformat(),
    )
    return [dt.date.fromisoformat(row["day"]) for row in rows]


@tool(writes=False)
@verified
def get_delivery_days(desk: Desk, order_number: Annotated[str, Id()]) -> Result:
    """The days to which the delivery of an order that has not shipped can be moved.

    Args:
        order_number: the order number, KE and seven digits.
    """
    row = own_order(desk, order_number)
    if row is None:
        return no_order()
    days = free_days(desk, row["fulfilment"])
    return ok({"days": [day.isoformat() for day in days], "spoken_days": [spoken_day(day) for day in days]})


@tool(writes=True)
@verified
def change_delivery_date(desk: Desk, order_number: Annotated[str, Id()], date: Annotated[str, Date()]) -> Result:
    """Move the delivery of an order that has not shipped to another day with room.

    Args:
        order_number: the order number, KE and seven digits.
        date: the new day, YYYY-MM-DD.
    """
    row = own_order(desk, order_number)
    if row is None:
        return no_order()
    day = iso_day(date)
    if day is None or day <= desk.today:
        return refuse("INVALID_DATE", "I need a calendar day after today for the delivery.")
    if row["status"] != "processing":
        return refuse("ALREADY_SHIPPED", "That order has left our warehouse, so I can't move its delivery any more.")
    if day not in free_days(desk, row["fulfilment"]):
        return refuse("DAY_NOT_OFFERED", "There is no room on that day. I can tell you which days have room.")
    new = (day.isoformat(), row["order_number"])
    desk.db.execute("UPDATE orders SET delivery_date = ? WHERE order_number = ?", new)
    return ok({"order_number": row["order_number"], "delivery_date": day.isoformat(), "spoken_day": spoken_day(day)})


@tool(writes=True)
@verified
def cancel_order(desk: Desk, order_number: Annotated[str, Id()]) -> Result:
    """Cancel an order that has not shipped; the card is not charged.

    Args:
        order_number: the order number, KE and seven digits.
    """
    row = own_order(desk, order_number)
    if row is None:
        return no_order()
    if row["status"] != "processing":
        return refuse("ALREADY_SHIPPED", "That order has left our warehouse, so I can't cancel it any more.")
    desk.db.execute("UPDATE orders SET status = 'cancelled' WHERE order_number = ?", (row["order_number"],))
    return ok({"order_number": row["order_number"], "status": "cancelled"})


# ---- returns --------------------------------------------------------------------------------------------------


def return_by(desk: Desk, order: sqlite3.Row) -> dt.date | None:
    """The last day on which a delivered order may come back; None where the class never may."""
    rule = desk.one(
        "SELECT days FROM return_windows WHERE product_class IN (?, 'any') AND tier = ? ORDER BY product_class = 'any'",
        order["product_class"],
        order["tier"],
    )
    days = rule["days"] if rule else 0
    return dt.date.fromisoformat(order["delivered_on"]) + dt.timedelta(days=days) if days else None


def return_refusal(desk: Desk, order: sqlite3.Row) -> Result | None:
    """Why an order cannot come back, or None if it can."""
    if order["seller"]:
        return refuse(
            "MARKETPLACE_SELLER_POLICY",
            f"That item was sold by {order['seller']}, a marketplace seller, and the seller sets the return policy. "
            "Kestrel cannot open a return for it.",
        )
    if not order["delivered_on"]:
        return refuse("NOT_DELIVERED", "That order has not been delivered yet, so there is nothing to return.")
    if desk.one("SELECT 1 FROM returns WHERE order_number = ?", order["order_number"]):
        return refuse("RETURN_EXISTS", "There is a return for that order already.")
    last = return_by(desk, order)
    if last is None:
        return refuse("FINAL_SALE", "That kind of item is a final sale and can't be returned once it was delivered.")
    if desk.today > last:
        return refuse("WINDOW_PASSED", f"The time to return that item ended on {spoken_day(last)}.")
    return None


def restocking_fee(desk: Desk, order: sqlite3.Row) -> float:
    """The restocking fee of an order for a change of mind, in dollars."""
    if desk.one("SELECT 1 FROM fee_exempt_states WHERE state = ?", order["state"]):
        return 0.0
    rule = desk.one("SELECT percent FROM restocking_fees WHERE product_class = ?", order["product_class"])
    return round(order["price"] * rule["percent"] / 100, 2) if rule else 0.0


@tool(writes=False)
@verified
def check_return_eligibility(desk: Desk, order_number: Annotated[str, Id()]) -> Result:
    """Whether an order may come back to Kestrel, until when, and the restocking fee that must be spoken.

    Args:
        order_number: the order number, KE and seven digits.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    refusal = return_refusal(desk, order)
    last = None if refusal else return_by(desk, order)
    if last is None:
        return refusal or no_order()
    fee = restocking_fee(desk, order)
    return ok(
        {
            "order_number": order["order_number"],
            "product": order["product"],
            "return_by": last.isoformat(),
            "restocking_fee": fee,
            "refund_amount": round(order["price"] - fee, 2),
            "fee_waived_for": list(FAULTS_OF_OURS),
            "spoken_return_by": spoken_day(last),
            "spoken_restocking_fee": spoken_money(fee),
            "spoken_refund_amount": spoken_money(order["price"] - fee),
        }
    )


@tool(writes=True)
@verified
def open_return(
    desk: Desk,
    order_number: Annotated[str, Id()],
    reason_code: Annotated[str, Enum("changed_mind", "defective", "damaged_in_transit", "wrong_item")],
    method: Annotated[str, Enum("store", "mail")],
    fee_quoted: Annotated[float | None, Number()] = None,
) -> Result:
    """Open a return after the caller heard the restocking fee and agreed.

    Args:
        order_number: the order number, KE and seven digits.
        reason_code: why the item comes back.
        method: whether the caller brings it to the store or sends it with a mailed label.
        fee_quoted: the restocking fee in dollars that you said aloud; 0 if you said that there is none.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    refusal = return_refusal(desk, order)
    if refusal is not None:
        return refusal
    fee = 0.0 if reason_code in FAULTS_OF_OURS else restocking_fee(desk, order)
    if fee_quoted is None:
        return refuse("FEE_NOT_QUOTED", "Before I open the return I have to tell you the restocking fee.")
    if abs(fee_quoted - fee) > 0.004:
        return refuse("FEE_MISMATCH", "I have to correct the restocking fee before I open the return.")
    return_id, refund = desk.new_id("RET-"), round(order["price"] - fee, 2)
    desk.insert(
        "returns",
        return_id=return_id,
        customer_id=order["customer_id"],
        order_number=order["order_number"],
        reason_code=reason_code,
        method=method,
        restocking_fee=fee,
        refund_amount=refund,
        status="open",
    )
    return ok({"return_id": return_id, "refund_amount": refund, "spoken_refund_amount": spoken_money(refund)})


# ---- TechCrew service -----------------------------------------------------------------------------------------


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
        year = f"{spoken_number(end.year // 100)} {spoken_number(end.year % 100)}"
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
    accident = words & {"dropped", "cracked", "spilled", "wet", "lost", "stolen", "broke"}
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
    fees = {row["service_type"]: 0.0 if cover else row["fee"] for row in desk.all("SELECT * FROM service_fees")}
    spoken = f"covered by {cover}, and you pay zero dollars" if cover else "not covered by a plan or by the warranty"
    return ok({"covered": cover is not None, "covered_by": cover, "fees": fees, "spoken_coverage": spoken})


def free_slots(desk: Desk, service_type: str, store: str) -> list[sqlite3.Row]:
    """Slots after today that nobody holds, earliest first."""
    return desk.all(
        """SELECT * FROM service_slots WHERE service_type = ? AND store IN (?, 'any') AND substr(starts_at, 1, 10) > ?
           AND slot_id NOT IN (SELECT slot_id FROM service_appointments WHERE status = 'booked') ORDER BY starts_at""",
        service_type,
        store,
        desk.today.isoformat(),
    )


def booking_refusal(desk: Desk, order: sqlite3.Row, issue: str, fee: float, fee_quoted: float | None) -> Result | None:
    """Why this booking may not be made, whatever the day, or None if it may."""
    refusal = service_refusal(order, issue)
    if refusal is not None:
        return refusal
    if desk.state(f"cover:{order['order_number']}") is None:
        return refuse("COVERAGE_NOT_CHECKED", "Let me check first what your plans cover.")
    open_one = "SELECT 1 FROM service_appointments WHERE order_number = ? AND status = 'booked'"
    if desk.one(open_one, order["order_number"]):
        return refuse("ALREADY_BOOKED", "There is an open service appointment for that device already.")
    if fee > 0 and fee_quoted is None:
        return refuse("FEE_NOT_QUOTED", "Before I book, I have to tell you what the service costs.")
    if fee_quoted is not None and abs(fee_quoted - fee) > 0.004:
        return refuse("FEE_MISMATCH", "I have to correct the price before I book.")
    return None


@tool(writes=True)
@verified
def book_service_appointment(
    desk: Desk,
    order_number: Annotated[str, Id()],
    service_type: Annotated[str, Enum("remote", "bench", "mail_in", "in_home")],
    issue: Annotated[str, Prose()],
    date: Annotated[str | None, Date()] = None,
    fee_quoted: Annotated[float | None, Number()] = None,
) -> Result:
    """Book a TechCrew appointment. Without a date it takes the first free slot.

    Args:
        order_number: the order number of the device, KE and seven digits.
        service_type: remote help, the bench in the store, mail-in, or a visit at home.
        issue: what is wrong, in the caller's words.
        date: a calendar day, YYYY-MM-DD; leave it out for the first free slot.
        fee_quoted: the price in dollars that you said aloud; needed when the service is not covered.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    covered = desk.state(f"cover:{order['order_number']}") not in (None, "none")
    rule = desk.one("SELECT fee FROM service_fees WHERE service_type = ?", service_type)
    fee = 0.0 if covered or rule is None else float(rule["fee"])
    refusal = booking_refusal(desk, order, issue, fee, fee_quoted)
    if refusal is not None:
        return refusal
    day = None if date is None else iso_day(date)
    if date is not None and (day is None or day <= desk.today):
        return refuse("INVALID_DATE", "I need a calendar day after today, or I can take the first slot that is free.")
    slots = free_slots(desk, service_type, order["home_store"])
    if day is not None:
        slots = [slot for slot in slots if slot["starts_at"].startswith(day.isoformat())]
    if not slots:
        return refuse("NO_FREE_SLOT", "There is nothing free then. I can take the first slot that is free.")
    slot, appointment_id = slots[0], desk.new_id("APT-")
    desk.insert(
        "service_appointments",
        appointment_id=appointment_id,
        customer_id=order["customer_id"],
        order_number=order["order_number"],
        service_type=service_type,
        issue=issue,
        slot_id=slot["slot_id"],
        fee=fee,
        status="booked",
    )
    return ok(
        {
            "appointment_id": appointment_id,
            "starts_at": slot["starts_at"],
            "store": slot["store"],
            "fee": fee,
            "spoken_when": spoken_when(dt.datetime.fromisoformat(slot["starts_at"])),
        }
    )


@tool(writes=True)
@verified
def cancel_service_appointment(desk: Desk, appointment_id: Annotated[str, Id()]) -> Result:
    """Cancel an open service appointment of the verified customer.

    Args:
        appointment_id: the id that the booking or the customer summary gave.
    """
    row = desk.one(
        "SELECT * FROM service_appointments WHERE customer_id = ? AND same_id(appointment_id, ?)",
        desk.state("verified"),
        appointment_id,
    )
    if row is None:
        return refuse("APPOINTMENT_NOT_FOUND", "I do not see that appointment on this account.")
    if row["status"] != "booked":
        return refuse("NOT_OPEN", "That appointment is not open any more.")
    found = (row["appointment_id"],)
    desk.db.execute("UPDATE service_appointments SET status = 'cancelled' WHERE appointment_id = ?", found)
    return ok({"appointment_id": row["appointment_id"], "status": "cancelled"})


# ---- membership -----------------------------------------------------------------------------------------------


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
    return ok({**dict(row or {}), "annual_prices": prices, "spoken_prices": spoken})


@tool(writes=True)
@verified
def change_membership(
    desk: Desk,
    tier: Annotated[str, Enum("basic", "plus", "pro")],
    price_quoted: Annotated[float | None, Number()] = None,
) -> Result:
    """Change the tier from today on, after the caller heard the price a year and agreed.

    Args:
        tier: the new tier.
        price_quoted: the price a year in dollars that you said aloud; 0 for basic.
    """
    customer = desk.state("verified")
    row = desk.one("SELECT tier FROM memberships WHERE customer_id = ?", customer)
    if row is not None and row["tier"] == tier:
        return refuse("ALREADY_ON_TIER", "That is the tier you have now.")
    price = desk.one("SELECT annual_price FROM tiers WHERE tier = ?", tier)
    if price is None or price_quoted is None or abs(price_quoted - price["annual_price"]) > 0.004:
        return refuse("PRICE_NOT_QUOTED", "Before I change the tier I have to tell you its price for a year.")
    renews = None if tier == "basic" else desk.today.replace(year=desk.today.year + 1).isoformat()
    desk.db.execute(
        "UPDATE memberships SET tier = ?, renews_on = ?, auto_renew = ? WHERE customer_id = ?",
        (tier, renews, int(renews is not None), customer),
    )
    return ok({"tier": tier, "renews_on": renews})


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
    return ok({"auto_renew": enabled, "spoken_renews_on": spoken_day(dt.date.fromisoformat(row["renews_on"]))})


# ---- account security and people ------------------------------------------------------------------------------


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
    if desk.one("SELECT 1 FROM account_holds WHERE customer_id = ? AND status = 'active'", customer):
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


HANDOVERS = {
    "marketplace_seller": "A person on our team who works with that seller takes over this call now.",
    "safety": "A person on our safety team takes over this call now.",
}


@tool(writes=True, ends_call=True)
def escalate_to_human(
    desk: Desk,
    reason_code: Annotated[
        str,
        Enum(
            "caller_request",
            "verification_failed",
            "complaint",
            "billing_dispute",
            "policy_exception",
            "marketplace_seller",
            "fraud",
            "safety",
        ),
    ],
    summary: Annotated[str, Prose()] = "",
) -> Result:
    """Hand the call to a person. This ends your part of the call.

    Args:
        reason_code: why a person is needed.
        summary: two sentences for that person: what the caller wants and what was done.
    """
    escalation_id = desk.new_id("ESC-")
    desk.insert(
        "escalations",
        escalation_id=escalation_id,
        customer_id=desk.state("verified"),
        reason_code=reason_code,
        summary=summary,
    )
    spoken = HANDOVERS.get(reason_code, "A person on our team takes over this call now.")
    return ok({"escalation_id": escalation_id, "spoken_handover": spoken})
