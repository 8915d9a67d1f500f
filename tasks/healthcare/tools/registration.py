"""Somebody who has never been here gets a chart."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

from typing import Annotated

from voicebench.packs import Bool, Date, Desk, Name, Phone, Result, ok, refuse, tool

from .common import iso_day, open_chart, patient


@tool(writes=True)
def register_new_patient(
    desk: Desk,
    full_name: Annotated[str, Name()],
    date_of_birth: Annotated[str, Date()],
    phone: Annotated[str, Phone()],
    notice_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Make a chart for a caller who has never been a patient here, and open it for a first visit.

    Args:
        full_name: first and last name.
        date_of_birth: YYYY-MM-DD.
        phone: ten digits.
        notice_told: true once you said that we keep these details for care and billing only, and that the privacy
            notice is handed out at the first visit.
    """
    if patient(desk):
        return refuse("CHART_OPEN", "We have a chart open already.")
    born = iso_day(date_of_birth)
    if born is None or born > desk.today:
        return refuse("INVALID_DATE", "I need the date of birth with its year.")
    if len(phone) != 10:
        return refuse("INVALID_PHONE", "I need a phone number of ten digits.")
    if desk.one("SELECT 1 FROM patients WHERE date_of_birth = ? AND phone = ?", date_of_birth, phone):
        return refuse("CANNOT_REGISTER", "I can't set that up by phone. A colleague has to do it with you.")
    if not notice_told:
        return refuse("NOTICE_NOT_TOLD", "First I have to tell you what we do with these details.")
    patient_id = desk.new_id("NEW-")
    desk.insert("patients", patient_id=patient_id, full_name=full_name, date_of_birth=date_of_birth, phone=phone)
    open_chart(desk, patient_id, acting="self", scope="appointments")
    return ok({"patient_id": patient_id})
