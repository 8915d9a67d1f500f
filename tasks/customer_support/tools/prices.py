"""Price match: what another shop must be, and what the customer gets back."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated

from voicebench.packs import Desk, Enum, Id, Number, Result, ok, refuse, spoken_day, spoken_money, tool

from .common import adjust, no_order, own_order, verified

MATCHED = {"brightway": "Brightway", "parkline": "Parkline"}
EXCLUDED_CLASSES = ("phone", "software")
MATCH_DAYS = {"basic": 14, "plus": 14, "pro": 30}

Competitor = Enum("brightway", "parkline", "online_marketplace", "warehouse_club", "other")
Offer = Enum("new", "open_box", "clearance", "bundle")


def match_until(order: sqlite3.Row) -> dt.date:
    """The last day on which the price of an order is matched."""
    return dt.date.fromisoformat(order["placed_on"]) + dt.timedelta(days=MATCH_DAYS[order["tier"]])


def match_refusal(desk: Desk, order: sqlite3.Row, competitor: str, offer: str, price: float) -> Result | None:
    """Why a price is not matched, or None if it is."""
    if order["seller"]:
        return refuse(
            "MARKETPLACE_SELLER_POLICY", f"{order['seller']}, a marketplace seller, set that price, not Kestrel."
        )
    if order["product_class"] in EXCLUDED_CLASSES:
        return refuse("CLASS_NOT_MATCHED", "Phones and software are left out of our price match.")
    if competitor not in MATCHED:
        return refuse(
            "COMPETITOR_NOT_MATCHED",
            "We match the two shops Brightway and Parkline when they sell it themselves, and no marketplaces or clubs.",
        )
    if offer != "new":
        return refuse("OFFER_EXCLUDED", "We match the price of a new item, not an opened one, a clearance or a bundle.")
    if desk.today > match_until(order):
        return refuse("MATCH_WINDOW_PASSED", f"The time to match that price ended on {spoken_day(match_until(order))}.")
    if desk.one("SELECT 1 FROM adjustments WHERE order_number = ? AND kind = 'price_match'", order["order_number"]):
        return refuse("ALREADY_MATCHED", "The price of that order was matched before, and that is done once.")
    if price >= order["price"]:
        return refuse("PRICE_NOT_LOWER", "That is not lower than what you paid.")
    return None


@tool(writes=False)
@verified
def check_price_match(
    desk: Desk,
    order_number: Annotated[str, Id()],
    competitor: Annotated[str, Competitor],
    offer: Annotated[str, Offer],
    price: Annotated[float, Number()],
) -> Result:
    """Whether another shop's price is matched, and the credit that must be spoken.

    Args:
        order_number: the order number, KE and seven digits.
        competitor: who sells it; online_marketplace for anybody who sells on somebody else's site.
        offer: new, or what kind of special offer it is.
        price: the other shop's price in dollars, as the caller said it.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    refusal = match_refusal(desk, order, competitor, offer, price)
    if refusal is not None:
        return refusal
    credit = round(order["price"] - price, 2)
    return ok(
        {
            "paid": order["price"],
            "credit": credit,
            "match_until": match_until(order).isoformat(),
            "spoken_credit": spoken_money(credit),
        }
    )


@tool(writes=True)
@verified
def apply_price_match(
    desk: Desk,
    order_number: Annotated[str, Id()],
    competitor: Annotated[str, Competitor],
    offer: Annotated[str, Offer],
    price: Annotated[float, Number()],
    credit_quoted: Annotated[float | None, Number()] = None,
) -> Result:
    """Credit the difference to the card that paid, after the caller heard it and agreed.

    Args:
        order_number: the order number, KE and seven digits.
        competitor: who sells it.
        offer: new, or what kind of special offer it is.
        price: the other shop's price in dollars.
        credit_quoted: the credit in dollars that you said aloud.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    refusal = match_refusal(desk, order, competitor, offer, price)
    if refusal is not None:
        return refusal
    credit = round(order["price"] - price, 2)
    if credit_quoted is None or abs(credit_quoted - credit) > 0.004:
        return refuse("CREDIT_NOT_QUOTED", "First I have to tell you the right amount that you get back.")
    adjust(desk, "price_match", -credit, order["order_number"])
    return ok({"credit": credit, "spoken_credit": spoken_money(credit)})
