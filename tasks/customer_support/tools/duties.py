"""What the law asks for: recording, disclosures, recalls, the customer's data, calls that nobody wants."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

from typing import Annotated

from voicebench.packs import Bool, Desk, Enum, Id, Result, ok, refuse, spoken_list, tool

from .common import no_order, own_order, verified


@tool(writes=True)
def log_disclosure(
    desk: Desk,
    kind: Annotated[str, Enum("automated_assistant", "call_recording")],
    spoken: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Note that the caller was told something that the law lets them know.

    Args:
        kind: what was told: that they speak with an automated assistant, or that calls are recorded and why.
        spoken: true once you said it in this call.
    """
    if not spoken:
        return refuse("DISCLOSURE_MISSING", "First I have to tell you that.")
    if desk.state(f"logged:{kind}"):
        return refuse("ALREADY_LOGGED", "I've told you that, and it's noted.")
    desk.set_state(f"logged:{kind}", True)
    desk.insert("disclosures", disclosure_id=desk.new_id("DIS-"), kind=kind)
    return ok({"logged": kind})


@tool(writes=True)
def stop_recording(desk: Desk) -> Result:
    """Stop the recording of this call because the caller does not want it; it can't be started again."""
    if desk.state("recording_stopped"):
        return refuse("ALREADY_STOPPED", "This call is not recorded any more.")
    desk.set_state("recording_stopped", True)
    desk.insert("recording_stops", stop_id=desk.new_id("REC-"), wanted_by="caller")
    return ok({"recording": False})


@tool(writes=False)
@verified
def get_recall(desk: Desk, order_number: Annotated[str, Id()]) -> Result:
    """The recall of an order's model: the notice that must be read aloud, and the remedies.

    Args:
        order_number: the order number, KE and seven digits.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    if not order["recall_notice"]:
        return refuse("NOT_RECALLED", "That model is not under recall.")
    return ok(
        {
            "product": order["product"],
            "remedies": ["refund", "replacement"],
            "refund_amount": order["price"],
            "spoken_notice": order["recall_notice"],
        }
    )


@tool(writes=True)
@verified
def register_recall(
    desk: Desk,
    order_number: Annotated[str, Id()],
    remedy: Annotated[str, Enum("refund", "replacement")],
    notice_read: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Register a recalled item; a special carrier fetches it, and nothing is mailed.

    Args:
        order_number: the order number, KE and seven digits.
        remedy: what the caller chose.
        notice_read: true once you read the notice aloud.
    """
    order = own_order(desk, order_number)
    if order is None:
        return no_order()
    if not order["recall_notice"]:
        return refuse("NOT_RECALLED", "That model is not under recall.")
    if desk.one("SELECT 1 FROM recall_claims WHERE order_number = ?", order["order_number"]):
        return refuse("ALREADY_REGISTERED", "That item is registered for the recall already.")
    if not notice_read:
        return refuse("NOTICE_NOT_READ", "First I have to read you the recall notice.")
    claim_id = desk.new_id("RCL-")
    desk.insert(
        "recall_claims",
        claim_id=claim_id,
        customer_id=order["customer_id"],
        order_number=order["order_number"],
        remedy=remedy,
    )
    return ok({"claim_id": claim_id, "remedy": remedy})


@tool(writes=True)
@verified
def set_contact_preference(
    desk: Desk,
    channel: Annotated[str, Enum("phone", "text", "email")],
    allowed: Annotated[bool, Bool()],
) -> Result:
    """Allow or forbid advertising to the verified customer by one channel.

    Args:
        channel: which channel.
        allowed: false when the caller wants no advertising there.
    """
    customer = desk.state("verified")
    row = desk.one("SELECT allowed FROM contact_preferences WHERE customer_id = ? AND channel = ?", customer, channel)
    if row is not None and bool(row["allowed"]) == allowed:
        return refuse("ALREADY_SET", "That is how it is set already.")
    desk.db.execute(
        "INSERT OR REPLACE INTO contact_preferences (customer_id, channel, allowed) VALUES (?, ?, ?)",
        (customer, channel, int(allowed)),
    )
    return ok({"channel": channel, "allowed": allowed})


def open_business(desk: Desk) -> list[str]:
    """What has to be finished before an account can be deleted, in words."""
    customer = desk.state("verified")
    found = {
        "an order on its way": "SELECT 1 FROM orders WHERE customer_id = ? AND status IN ('processing', 'shipped')",
        "an open return": "SELECT 1 FROM returns WHERE customer_id = ? AND status = 'open'",
        "a service appointment": "SELECT 1 FROM service_appointments WHERE customer_id = ? AND status = 'booked'",
    }
    return [words for words, query in found.items() if desk.one(query, customer)]


@tool(writes=True)
@verified
def file_data_request(
    desk: Desk,
    kind: Annotated[str, Enum("copy", "deletion", "correction")],
    disclosed: Annotated[bool | None, Bool()] = None,
) -> Result:
    """File what the customer wants done with their personal data.

    Args:
        kind: a copy of the data, its deletion, or a correction.
        disclosed: true once you said when the answer comes and, for a deletion, what has to be kept.
    """
    customer = desk.state("verified")
    left = open_business(desk)
    if kind == "deletion" and left:
        return refuse("OPEN_BUSINESS", f"An account can't be deleted while there is {spoken_list(left)}.")
    if desk.one("SELECT 1 FROM data_requests WHERE customer_id = ? AND kind = ?", customer, kind):
        return refuse("REQUEST_EXISTS", "That request was filed before and is being worked on.")
    if not disclosed:
        return refuse("DISCLOSURE_MISSING", "First I have to tell you what happens with such a request.")
    desk.insert("data_requests", request_id=desk.new_id("DAT-"), customer_id=customer, kind=kind)
    return ok({"kind": kind, "spoken_answer_by": "within forty-five days"})
