"""Whose chart is opened, and for whom: the patient, or somebody whom the patient's file names."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

from voicebench.packs import (
    Date,
    Desk,
    Enum,
    Id,
    Name,
    Phone,
    Result,
    ok,
    refuse,
    same_name,
    spoken_list,
    spoken_money,
    spoken_when,
    tool,
)

from .common import OFFICES, SCOPES, age, open_chart, opened, patient
from .visits import late_fee, visits_of

MAX_TRIES = 3
TEENAGER = 13
NOT_CONFIRMED = "Those details don't match our files. Could you give them to me once more?"
SPOKEN_SCOPES = {
    "full": "everything about the care",
    "teenager": "visits and bills, not the care itself",
    "appointments": "visits only",
    "billing": "bills and plans only",
}


@tool(writes=False)
def confirm_identity(
    desk: Desk,
    full_name: Annotated[str, Name()],
    date_of_birth: Annotated[str, Date()],
    calling_for: Annotated[str, Enum("self", "other")],
    phone: Annotated[str | None, Phone()] = None,
    chart_number: Annotated[str | None, Id()] = None,
) -> Result:
    """Compare what the caller said of the patient with our files. Name, date of birth and one more must all agree.

    Args:
        full_name: the patient's first and last name.
        date_of_birth: the patient's date of birth, YYYY-MM-DD.
        calling_for: self if the caller says that they are the patient; other if they speak for the patient.
        phone: the phone number in the patient's file, ten digits.
        chart_number: the chart number, K L and six digits, instead of the phone number.
    """
    if phone is None and chart_number is None:
        return refuse("ONE_MORE_NEEDED", "Besides name and date of birth I need the phone number or the chart number.")
    tries = int(desk.state("failed_tries", 0))
    if tries >= MAX_TRIES:
        return refuse("IDENTITY_LOCKED", "I can't check these details any further on this call.")
    rows = desk.all(
        "SELECT * FROM patients WHERE date_of_birth = ? AND (phone = ? OR same_id(chart_number, ?))",
        date_of_birth,
        phone or "",
        chart_number or "",
    )
    row = next((row for row in rows if same_name(full_name, row["full_name"])), None)
    if row is None:
        desk.set_state("failed_tries", tries + 1)
        return refuse("IDENTITY_NOT_CONFIRMED", NOT_CONFIRMED)
    if calling_for == "other":
        desk.set_state("spoken_for", row["patient_id"])
        return ok({"confirmed": True, "chart_open": False, "ask_next": "the caller's own name and relation"})
    open_chart(desk, row["patient_id"], acting="self", scope="self")
    return ok({"confirmed": True, "chart_open": True, "first_name": row["full_name"].split()[0]})


@tool(writes=False)
def check_representative(
    desk: Desk,
    caller_name: Annotated[str, Name()],
    relation: Annotated[str, Enum("parent", "spouse", "child", "guardian", "carer", "other")],
) -> Result:
    """Look in the patient's file whether this caller may speak for the patient, and about what.

    Args:
        caller_name: the caller's own first and last name.
        relation: what the caller is to the patient: a daughter who calls for her mother is a child.
    """
    spoken_for = desk.state("spoken_for")
    if spoken_for is None:
        return refuse("PATIENT_NOT_CONFIRMED", "First I need the patient's name, date of birth and one more detail.")
    rows = desk.all("SELECT * FROM representatives WHERE patient_id = ? AND active = 1", spoken_for)
    row = next((r for r in rows if r["relation"] == relation and same_name(caller_name, r["full_name"])), None)
    if row is None:
        desk.set_state("refused:NOT_ON_FILE", True)
        return refuse("NOT_ON_FILE", "I have nothing on file that lets me speak with you about this.")
    born = desk.one("SELECT date_of_birth FROM patients WHERE patient_id = ?", spoken_for)
    teenager = row["relation"] == "parent" and born is not None and age(desk, born["date_of_birth"]) >= TEENAGER
    scope = "teenager" if teenager and row["scope"] == "full" else str(row["scope"])
    open_chart(desk, spoken_for, acting=row["representative_id"], scope=scope)
    return ok({"chart_open": True, "spoken_scope": SPOKEN_SCOPES[scope]})


def open_statements(desk: Desk) -> list[dict[str, Any]]:
    """The open bills of the chart with their amounts in words."""
    rows = desk.all(
        "SELECT statement_number, issued_on, balance FROM statements WHERE patient_id = ? AND status = 'open'",
        patient(desk),
    )
    return [{**dict(row), "spoken_balance": spoken_money(row["balance"])} for row in rows]


@tool(writes=False)
@opened("overview")
def get_chart_overview(desk: Desk) -> Result:
    """What the open chart holds, as far as this caller may know: visits, open bills, imaging orders, who may call."""
    row = desk.one("SELECT * FROM patients WHERE patient_id = ?", patient(desk))
    if row is None:
        raise LookupError("the open chart has no patient")
    reach = SCOPES[desk.state("scope")]
    data: dict[str, Any] = {"first_name": row["full_name"].split()[0], "own_clinician": row["clinician"]}
    if "appointments" in reach:
        data["visits"] = [
            {
                **{key: visit[key] for key in ("visit_id", "visit_type", "clinician", "office", "starts_at")},
                "late_fee": late_fee(desk, visit),
                "spoken_visit": f"{visit['spoken']} with {visit['title']} at {OFFICES[visit['office']]}",
                "spoken_when": spoken_when(dt.datetime.fromisoformat(visit["starts_at"])),
                "spoken_late_fee": spoken_money(late_fee(desk, visit)),
            }
            for visit in visits_of(desk)
        ]
    if "billing" in reach:
        data["open_statements"] = open_statements(desk)
    if "clinical" in reach:
        orders = desk.all("SELECT order_number, spoken FROM imaging_orders WHERE patient_id = ?", patient(desk))
        data["imaging_orders"] = [dict(order) for order in orders]
    if "patient_only" in reach:
        names = desk.all(
            "SELECT representative_id, full_name, relation FROM representatives WHERE patient_id = ? AND active = 1",
            patient(desk),
        )
        data["representatives"] = [dict(name) for name in names]
        data["spoken_representatives"] = spoken_list([name["full_name"] for name in names]) or "nobody"
    return ok(data)


@tool(writes=True)
@opened("patient_only")
def revoke_representative(
    desk: Desk,
    representative_id: Annotated[str, Id()],
    effect_told: bool | None = None,
) -> Result:
    """Take away, at the patient's own wish, the permission of somebody on file to call for them.

    Args:
        representative_id: from the chart overview.
        effect_told: true once you said that it holds at once and that only the patient can give it again, in writing.
    """
    row = desk.one(
        "SELECT * FROM representatives WHERE patient_id = ? AND active = 1 AND same_id(representative_id, ?)",
        patient(desk),
        representative_id,
    )
    if row is None:
        return refuse("REPRESENTATIVE_NOT_FOUND", "I don't see that name among the people who may call for you.")
    if not effect_told:
        return refuse("EFFECT_NOT_TOLD", "First I have to tell you what that does.")
    found = (row["representative_id"],)
    desk.db.execute("UPDATE representatives SET active = 0 WHERE representative_id = ?", found)
    return ok({"full_name": row["full_name"], "active": False})
