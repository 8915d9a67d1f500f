"""The tools of the Marlow Ridge Clinic's telephone desk, by what they are about.

What is meant to be spoken is in fields that begin with ``spoken``, in words.
"""

from .access import check_representative, confirm_identity, get_chart_overview, revoke_representative
from .billing import dispute_charge, get_statement, request_fee_waiver, send_payment_link, set_payment_plan
from .clinical import get_result_status, leave_clinical_message, request_records, request_refill
from .coverage import check_eligibility, check_plan_at_office, record_self_pay, request_prior_approval, update_plan
from .duties import decline_request, escalate_to_human, log_disclosure, log_emergency_advice
from .imaging import book_imaging, find_imaging_slots, get_imaging_orders, record_safety_answers
from .registration import register_new_patient
from .visits import book_visit, cancel_visit, find_visit_slots, join_waiting_list, move_visit

__all__ = [
    "book_imaging",
    "book_visit",
    "cancel_visit",
    "check_eligibility",
    "check_plan_at_office",
    "check_representative",
    "confirm_identity",
    "decline_request",
    "dispute_charge",
    "escalate_to_human",
    "find_imaging_slots",
    "find_visit_slots",
    "get_chart_overview",
    "get_imaging_orders",
    "get_result_status",
    "get_statement",
    "join_waiting_list",
    "leave_clinical_message",
    "log_disclosure",
    "log_emergency_advice",
    "move_visit",
    "record_safety_answers",
    "record_self_pay",
    "register_new_patient",
    "request_fee_waiver",
    "request_prior_approval",
    "request_records",
    "request_refill",
    "revoke_representative",
    "send_payment_link",
    "set_payment_plan",
    "update_plan",
]
