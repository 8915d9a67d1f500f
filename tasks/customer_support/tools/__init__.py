"""The tools of the Kestrel Electronics desk, by what they are about.

What is meant to be spoken is in fields that begin with ``spoken``, in words.
"""

from .coverage import check_coverage, get_protection_plans
from .duties import (
    file_data_request,
    get_recall,
    log_disclosure,
    register_recall,
    set_contact_preference,
    stop_recording,
)
from .identity import get_customer_summary, identify_customer, verify_identity
from .membership import (
    change_membership,
    get_membership,
    quote_tier_change,
    request_renewal_refund,
    set_auto_renewal,
)
from .orders import (
    cancel_order,
    change_delivery_date,
    get_delivery_days,
    get_order,
    report_missing_delivery,
    set_delivery_instructions,
)
from .people import escalate_to_human, file_refusal, log_safety_warning
from .prices import apply_price_match, check_price_match
from .returns import cancel_return, check_return_eligibility, get_return_status, open_return
from .security import dispute_order, place_account_hold, report_scam, sign_out_everywhere
from .service import book_service_appointment, cancel_service_appointment, reschedule_service_appointment

__all__ = [
    "apply_price_match",
    "book_service_appointment",
    "cancel_order",
    "cancel_return",
    "cancel_service_appointment",
    "change_delivery_date",
    "change_membership",
    "check_coverage",
    "check_price_match",
    "check_return_eligibility",
    "dispute_order",
    "escalate_to_human",
    "file_data_request",
    "file_refusal",
    "get_customer_summary",
    "get_delivery_days",
    "get_membership",
    "get_order",
    "get_protection_plans",
    "get_recall",
    "get_return_status",
    "identify_customer",
    "log_disclosure",
    "log_safety_warning",
    "open_return",
    "place_account_hold",
    "quote_tier_change",
    "register_recall",
    "report_missing_delivery",
    "report_scam",
    "request_renewal_refund",
    "reschedule_service_appointment",
    "set_auto_renewal",
    "set_contact_preference",
    "set_delivery_instructions",
    "sign_out_everywhere",
    "stop_recording",
    "verify_identity",
]
