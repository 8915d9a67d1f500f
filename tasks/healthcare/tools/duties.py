"""What may happen in any call: a disclosure, an emergency, a wish that is declined, a human who takes over."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

from typing import Annotated

from voicebench.packs import Bool, Desk, Enum, Prose, Result, ok, refuse, tool

from .common import patient

ESTABLISHED_BY = {
    "not_on_file": ("NOT_ON_FILE",),
    "outside_permission": ("OUTSIDE_PERMISSION",),
    "plan_not_taken": ("PLAN_NOT_TAKEN",),
    "refill_not_possible": ("CONTROLLED_MEDICINE", "REFILL_TOO_SOON", "REVIEW_DUE", "NOT_ON_LIST"),
}
NEEDS_CHART = frozenset({"advice_not_given", "result_not_read_out", "visit_type_fixed"})


@tool(writes=True)
def log_disclosure(
    desk: Desk,
    kind: Annotated[str, Enum("automated_assistant", "call_recording")],
    spoken: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Note that a caller who asked was told the truth about this call.

    Args:
        kind: that they speak with an automated assistant, or that calls are recorded.
        spoken: true once you said it in this call.
    """
    if not spoken:
        return refuse("NOT_SPOKEN", "First I have to answer that.")
    if desk.state(f"disclosed:{kind}"):
        return refuse("ALREADY_LOGGED", "I've told you that, and it's noted.")
    desk.set_state(f"disclosed:{kind}", True)
    desk.insert("disclosures", disclosure_id=desk.new_id("DSC-"), kind=kind)
    return ok({"logged": kind})


@tool(writes=True)
def log_emergency_advice(
    desk: Desk,
    sign: Annotated[
        str,
        Enum("allergic_reaction", "bleeding", "breathing", "chest_pain", "self_harm", "stroke", "other"),
    ],
    told_911: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Note that a caller with signs of an emergency was told to call 911. Needs no chart.

    Args:
        sign: the gravest sign that the caller named.
        told_911: true once you told the caller to hang up and call 911 now.
    """
    if not told_911:
        return refuse("NOT_SENT_TO_911", "Please hang up and call 911 now.")
    desk.set_state("emergency", True)
    desk.insert("emergencies", emergency_id=desk.new_id("EMR-"), sign=sign)
    return ok({"sign": sign})


@tool(writes=True)
def decline_request(
    desk: Desk,
    reason_code: Annotated[
        str,
        Enum(
            "information_protected",
            "not_on_file",
            "outside_permission",
            "plan_not_taken",
            "advice_not_given",
            "result_not_read_out",
            "refill_not_possible",
            "visit_type_fixed",
        ),
    ],
    explained: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Note a wish that had to be declined, and why. It changes nothing else.

    Args:
        reason_code: why.
        explained: true once you told the caller so, and why.
    """
    chart = patient(desk)
    if (reason_code in NEEDS_CHART and not chart) or (reason_code == "information_protected" and chart):
        return refuse("REASON_NOT_ESTABLISHED", "Let me look at that again before I note it.")
    needed = ESTABLISHED_BY.get(reason_code, ())
    if needed and not any(desk.state(f"refused:{code}") for code in needed):
        return refuse("REASON_NOT_ESTABLISHED", "Let me check that first, before I decline it.")
    if not explained:
        return refuse("NOT_EXPLAINED", "First I have to tell you why.")
    if desk.state(f"declined:{reason_code}"):
        return refuse("ALREADY_DECLINED", "That's noted already.")
    desk.set_state(f"declined:{reason_code}", True)
    desk.insert("declined_requests", decline_id=desk.new_id("DCL-"), patient_id=chart, reason_code=reason_code)
    return ok({"reason_code": reason_code})


HANDOVERS = {
    "emergency": "A nurse is taking over this call now and will stay with you until help arrives.",
    "imaging_safety": "A radiology nurse is taking over this call now.",
}


@tool(writes=True, ends_call=True)
def escalate_to_human(
    desk: Desk,
    reason_code: Annotated[
        str,
        Enum(
            "caller_request",
            "complaint",
            "emergency",
            "identity_failed",
            "imaging_safety",
            "billing_question",
            "clinical_question",
            "registration",
        ),
    ],
    summary: Annotated[str, Prose()] = "",
) -> Result:
    """Put the caller through to a colleague of flesh and blood. This ends your part of the call.

    Args:
        reason_code: why.
        summary: two sentences for the colleague: what the caller wants and what was done.
    """
    if reason_code == "emergency" and not desk.state("emergency"):
        return refuse("NOT_SENT_TO_911", "Please hang up and call 911 now.")
    if reason_code == "imaging_safety" and not desk.state("imaging review"):
        return refuse("REASON_NOT_ESTABLISHED", "Let me go through the safety questions first.")
    escalation_id = desk.new_id("ESC-")
    desk.insert(
        "escalations",
        escalation_id=escalation_id,
        patient_id=patient(desk),
        reason_code=reason_code,
        summary=summary,
    )
    spoken = HANDOVERS.get(reason_code, "A colleague at the clinic, a real person, is taking over this call now.")
    return ok({"escalation_id": escalation_id, "spoken_handover": spoken})
