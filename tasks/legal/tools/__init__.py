"""The tools of the Merrin Halvorsen desk, by what they are about.

What is meant to be spoken is in fields that begin with ``spoken``, in words.
"""

from .billing import arrange_installments, get_invoice
from .clients import (
    confirm_attendance,
    get_court_dates,
    get_matter_overview,
    get_matter_team,
    leave_message,
    request_document,
    set_contact_rule,
)
from .duties import escalate_to_human, log_refused_request, log_safety_advice, note_disclosure
from .intake import (
    check_practice_area,
    compute_deadline,
    open_intake,
    page_duty_lawyer,
    record_consent,
    request_interpreter,
)
from .scheduling import (
    book_consultation,
    cancel_consultation,
    get_consultation,
    get_consultation_slots,
    get_hold,
    hold_slot,
    move_consultation,
    release_hold,
)
from .screening import (
    decline_matter,
    find_intake,
    record_screening,
    run_conflict_check,
    take_outside_message,
    verify_client,
)

__all__ = [
    "arrange_installments",
    "book_consultation",
    "cancel_consultation",
    "check_practice_area",
    "compute_deadline",
    "confirm_attendance",
    "decline_matter",
    "escalate_to_human",
    "find_intake",
    "get_consultation",
    "get_consultation_slots",
    "get_court_dates",
    "get_hold",
    "get_invoice",
    "get_matter_overview",
    "get_matter_team",
    "hold_slot",
    "leave_message",
    "log_refused_request",
    "log_safety_advice",
    "move_consultation",
    "note_disclosure",
    "open_intake",
    "page_duty_lawyer",
    "record_consent",
    "record_screening",
    "release_hold",
    "request_document",
    "request_interpreter",
    "run_conflict_check",
    "set_contact_rule",
    "take_outside_message",
    "verify_client",
]
