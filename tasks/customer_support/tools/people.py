"""Where the desk ends: a warning that was given, a wish that was refused, a person who takes over."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

from typing import Annotated

from voicebench.packs import Bool, Desk, Enum, Id, Prose, Result, ok, refuse, tool

from .common import no_order, own_order

ESTABLISHED_BY = {
    "window_passed": ("WINDOW_PASSED",),
    "final_sale": ("FINAL_SALE",),
    "price_not_matched": (
        "CLASS_NOT_MATCHED",
        "COMPETITOR_NOT_MATCHED",
        "OFFER_EXCLUDED",
        "MATCH_WINDOW_PASSED",
        "PRICE_NOT_LOWER",
        "ALREADY_MATCHED",
    ),
    "signature_required": ("ADULT_SIGNATURE_REQUIRED",),
    "no_refund_due": ("RENEWAL_REFUND_WINDOW_PASSED", "BENEFIT_USED"),
}


@tool(writes=True)
def log_safety_warning(
    desk: Desk,
    hazard: Annotated[str, Enum("swollen", "heat_or_smoke", "leak", "shock")],
    warning_given: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Note that a caller with an unsafe device was warned. Needs no identity.

    Args:
        hazard: what the device does.
        warning_given: true once you spoke the warning.
    """
    if not warning_given:
        return refuse("WARNING_NOT_SPOKEN", "First I have to tell you how to be safe.")
    desk.set_state("warned", True)
    desk.insert("safety_reports", report_id=desk.new_id("SAF-"), customer_id=desk.state("verified"), hazard=hazard)
    return ok({"hazard": hazard})


@tool(writes=True)
def file_refusal(
    desk: Desk,
    reason_code: Annotated[
        str,
        Enum(
            "window_passed",
            "final_sale",
            "price_not_matched",
            "signature_required",
            "no_refund_due",
            "identity_not_proved",
            "information_protected",
            "offer_not_available",
        ),
    ],
    explained: Annotated[bool | None, Bool()] = None,
    order_number: Annotated[str | None, Id()] = None,
) -> Result:
    """Note a wish that had to be refused for good, and why. It changes nothing else.

    Args:
        reason_code: why.
        explained: true once you told the caller so and why.
        order_number: the order it was about, if it was about one.
    """
    customer = desk.state("verified")
    if (reason_code == "identity_not_proved") == bool(customer):
        return refuse("REASON_NOT_ESTABLISHED", "Let me check that again before I note it.")
    needed = ESTABLISHED_BY.get(reason_code, ())
    if needed and not any(desk.state(f"refused:{code}") for code in needed):
        return refuse("REASON_NOT_ESTABLISHED", "Let me check that first, before I refuse it.")
    order = None if order_number is None or not customer else own_order(desk, order_number)
    if order_number is not None and customer and order is None:
        return no_order()
    if not explained:
        return refuse("EXPLANATION_MISSING", "First I have to tell you why.")
    filed = f"filed:{reason_code}:{order['order_number'] if order else ''}"
    if desk.state(filed):
        return refuse("ALREADY_FILED", "That is already noted.")
    desk.set_state(filed, True)
    desk.insert(
        "refusals",
        refusal_id=desk.new_id("REF-"),
        customer_id=customer,
        order_number=order["order_number"] if order else None,
        reason_code=reason_code,
    )
    return ok({"reason_code": reason_code})


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
    if reason_code == "safety" and not desk.state("warned"):
        return refuse("SAFETY_WARNING_NOT_LOGGED", "Before that, I have to tell you how to be safe.")
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
