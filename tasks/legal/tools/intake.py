"""Taking a matter in: whether the firm does it there, how much time is left, what may be fetched, who must know now."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
from typing import Annotated

from voicebench.packs import Bool, Date, Desk, Enum, Phone, Prose, Result, ok, refuse, tool

from .common import iso_day, own_intake, screened, with_intake

AREAS = (
    "personal_injury",
    "medical_malpractice",
    "employment",
    "housing",
    "family",
    "estates",
    "criminal",
    "immigration",
    "bankruptcy",
    "tax",
)
URGENT_DAYS = 30


@tool(writes=False)
@screened
def check_practice_area(
    desk: Desk,
    area: Annotated[str, Enum(*AREAS)],
    state: Annotated[str, Enum("minnesota", "wisconsin", "elsewhere")],
) -> Result:
    """Whether the firm takes matters of this kind from this state.

    Args:
        area: what kind of matter it is.
        state: where it happened, or where the court or the house is; not where the caller lives.
    """
    desk.set_state("area", None)
    desk.set_state("limit", None)
    if desk.one("SELECT 1 FROM practice_areas WHERE area = ?", area) is None:
        return refuse("AREA_NOT_TAKEN", "Our lawyers don't handle matters of that kind.")
    row = desk.one("SELECT * FROM practice_areas WHERE area = ? AND state = ?", area, state)
    if row is None:
        return refuse("STATE_NOT_TAKEN", "Our lawyers don't take matters like that from that state.")
    desk.set_state("area", [area, state])
    return ok({"area": area, "state": state, "taken": True})


def last_day(desk: Desk, area: str, state: str, incident: dt.date, public_body: bool) -> dt.date | None:
    """The last day for a claim by the firm's table; None where nothing runs."""
    rule = desk.one(
        """SELECT * FROM limitation_rules WHERE area = ? AND state = ? AND public_body <= ?
           ORDER BY public_body DESC""",
        area,
        state,
        int(public_body),
    )
    if rule is None:
        return None
    if rule["days"]:
        return incident + dt.timedelta(days=rule["days"])
    year = incident.year + int(rule["years"])
    leap = incident.month == 2 and incident.day == 29
    return dt.date(year, 3, 1) if leap and year % 4 else incident.replace(year=year)


@tool(writes=False)
@screened
def compute_deadline(
    desk: Desk,
    incident_date: Annotated[str, Date()],
    public_body: Annotated[bool, Bool()],
) -> Result:
    """Work out the time limit that counts from the incident. For the firm's own use; callers are never told it.

    Args:
        incident_date: the day on which it happened, with its year.
        public_body: whether the other side is a city, a county, a state, or anything that is run by one.
    """
    area = desk.state("area")
    if not area:
        return refuse("AREA_NOT_CHECKED", "Let me first check whether we take such matters.")
    incident = iso_day(incident_date)
    if incident is None or incident > desk.today:
        return refuse("INVALID_DATE", "I didn't get the day it happened. Could you say it with the year?")
    limit = last_day(desk, area[0], area[1], incident, public_body)
    left = None if limit is None else (limit - desk.today).days
    urgent = left is not None and 0 <= left <= URGENT_DAYS
    if left is not None and left < 0:
        desk.set_state("limit", None)
        return refuse("DEADLINE_PASSED", "I'm sorry, we are not able to take this on.")
    deadline = limit.isoformat() if limit else None
    desk.set_state("limit", [incident.isoformat(), deadline, urgent])
    return ok({"deadline": deadline, "days_left": left, "urgent": urgent})


@tool(writes=True)
@screened
def open_intake(
    desk: Desk,
    phone: Annotated[str, Phone()],
    summary: Annotated[str, Prose()],
    not_clients_yet_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Open the caller's intake, with the area and the time limit that were worked out before.

    Args:
        phone: the number at which we may call them, ten digits.
        summary: two or three sentences of what happened, in the caller's words.
        not_clients_yet_told: true once you said that this call does not make us their lawyers.
    """
    area, limit = desk.state("area"), desk.state("limit")
    if not area:
        return refuse("AREA_NOT_CHECKED", "Let me first check whether we take such matters.")
    if not limit:
        return refuse("DEADLINE_NOT_COMPUTED", "First I need the day it happened.")
    if desk.state("intake"):
        return refuse("INTAKE_EXISTS", "Your intake is already open.")
    if not not_clients_yet_told:
        return refuse("NOTICE_NOT_GIVEN", "First I have to say that this call does not make us your lawyers.")
    caller, other = desk.state("screened_names")
    intake_id = desk.new_id("INT-")
    desk.insert(
        "intakes",
        intake_id=intake_id,
        caller_name=caller,
        phone=phone,
        other_party=other,
        area=area[0],
        state=area[1],
        incident_date=limit[0],
        deadline=limit[1],
        urgent=int(limit[2]),
        summary=summary,
        status="open",
    )
    desk.set_state("intake", intake_id)
    return ok({"intake_opened": True, "urgent": limit[2]})


@tool(writes=True)
def page_duty_lawyer(
    desk: Desk,
    reason_code: Annotated[str, Enum("time_limit", "court_papers", "hearing")],
    phone: Annotated[str, Phone()],
) -> Result:
    """Page the lawyer on duty, who calls back the same day. For an urgent intake, or for papers of a client.

    Args:
        reason_code: what cannot wait: a time limit, papers from a court, or a hearing within a week.
        phone: where the caller can be reached today, ten digits.
    """
    intake, matter = desk.state("intake"), desk.state("matter")
    if not intake and not matter:
        return refuse("NOBODY_KNOWN", "First I need to know who the lawyer should call.")
    if reason_code == "time_limit" and not (intake and own_intake(desk)["urgent"]):
        return refuse("NOT_URGENT", "That can wait for a consultation.")
    if desk.state("paged"):
        return refuse("ALREADY_PAGED", "The lawyer on duty already knows.")
    desk.set_state("paged", True)
    desk.insert(
        "duty_pages",
        page_id=desk.new_id("PAG-"),
        intake_id=intake,
        matter_number=None if intake else matter,
        reason_code=reason_code,
        phone=phone,
    )
    return ok({"paged": True, "spoken_answer_by": "today"})


@tool(writes=True)
@with_intake
def record_consent(
    desk: Desk,
    kind: Annotated[str, Enum("medical_records", "employment_file", "police_report")],
    whose: Annotated[str, Enum("own", "minor_child", "other_adult")],
    scope_read: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Record that we may ask for records. Nobody can agree for another adult.

    Args:
        kind: which records.
        whose: whose they are: the caller's own, those of a child under eighteen, or those of another adult.
        scope_read: true once you read out what is asked for and that they can take it back at any time.
    """
    intake = own_intake(desk)
    if whose == "other_adult":
        return refuse("NOT_THEIRS_TO_GIVE", "Another adult has to agree for themselves.")
    if not scope_read:
        return refuse("SCOPE_NOT_READ", "First I have to read you what you would be agreeing to.")
    if desk.one("SELECT 1 FROM consents WHERE intake_id = ? AND kind = ? AND whose = ?", intake[0], kind, whose):
        return refuse("CONSENT_EXISTS", "That consent is already on file.")
    desk.insert("consents", consent_id=desk.new_id("CNS-"), intake_id=intake["intake_id"], kind=kind, whose=whose)
    return ok({"recorded": kind})


@tool(writes=True)
@with_intake
def request_interpreter(
    desk: Desk,
    language: Annotated[str, Enum("spanish", "hmong", "somali", "russian", "sign_language")],
    free_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Request an interpreter for the consultation.

    Args:
        language: which one.
        free_told: true once you said that the interpreter costs the caller nothing.
    """
    intake = own_intake(desk)
    if desk.one("SELECT 1 FROM interpreter_requests WHERE intake_id = ?", intake["intake_id"]):
        return refuse("INTERPRETER_EXISTS", "An interpreter has already been requested.")
    if not free_told:
        return refuse("FREE_NOT_TOLD", "First I have to tell you that it costs you nothing.")
    desk.insert(
        "interpreter_requests",
        request_id=desk.new_id("TRL-"),
        intake_id=intake["intake_id"],
        language=language,
    )
    return ok({"requested": language})
