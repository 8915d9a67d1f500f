"""For those on a file: what may be told, messages to the right desk, dates in court, papers, and how we may call."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Annotated

from voicebench.packs import Bool, Desk, Enum, Phone, Result, ok, refuse, spoken_day, spoken_when, tool

from .common import client_only, on_file


def own_matter(desk: Desk) -> sqlite3.Row:
    """The matter on whose file the caller is."""
    row = desk.one("SELECT * FROM matters WHERE matter_number = ?", desk.state("matter"))
    assert row is not None
    return row


@tool(writes=False)
@client_only
def get_matter_overview(desk: Desk) -> Result:
    """What the client may be told of the matter: its kind, where it stands, which of its papers we have."""
    matter = own_matter(desk)
    papers = desk.all("SELECT kind, dated FROM documents WHERE matter_number = ?", matter["matter_number"])
    return ok(
        {
            "area": matter["area"],
            "spoken_standing": matter["told"],
            "documents": [dict(row) for row in papers],
        }
    )


def desk_of(desk: Desk, role: str) -> sqlite3.Row:
    """Who has a role in the caller's matter; billing and records are the same for all."""
    matter = own_matter(desk)
    if role in ("lawyer", "paralegal"):
        row = desk.one("SELECT * FROM staff WHERE staff_id = ?", matter[role])
    else:
        row = desk.one("SELECT * FROM staff WHERE role = ?", role)
    assert row is not None
    return row


@tool(writes=False)
@on_file
def get_matter_team(desk: Desk) -> Result:
    """Who works on the caller's matter, who of them is away, and who stands in."""
    team = []
    for role in ("lawyer", "paralegal", "billing", "records"):
        row = desk_of(desk, role)
        cover = desk.one("SELECT full_name FROM staff WHERE staff_id = ?", row["covered_by"])
        away = dt.date.fromisoformat(row["away_until"]) if row["away_until"] else None
        team.append(
            {
                "role": role,
                "full_name": row["full_name"],
                "spoken_away_until": spoken_day(away) if away else None,
                "stands_in": cover["full_name"] if cover else None,
            }
        )
    return ok({"team": team})


@tool(writes=True)
@on_file
def leave_message(
    desk: Desk,
    recipient: Annotated[str, Enum("lawyer", "paralegal", "billing", "records")],
    topic: Annotated[
        str,
        Enum("progress", "papers_to_hand_in", "court_papers", "settlement_offer", "invoice", "appointment", "other"),
    ],
    callback: Annotated[str, Phone()],
    read_back: Annotated[bool | None, Bool()] = None,
    to_stand_in: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Leave a message with somebody who works on the caller's matter.

    Args:
        recipient: by the role in this matter, not by a name that the caller remembers.
        topic: what it is about.
        callback: the number for the answer, ten digits.
        read_back: true once you said who it goes to and what it says.
        to_stand_in: true once you said that the recipient is away and the caller wants it to go to the one filling in.
    """
    row = desk_of(desk, recipient)
    if not read_back:
        return refuse("NOT_READ_BACK", "First I have to tell you who it goes to and what it says.")
    if row["covered_by"] and not to_stand_in:
        cover = desk.one("SELECT full_name FROM staff WHERE staff_id = ?", row["covered_by"])
        stands_in = cover["full_name"] if cover else None
        away = spoken_day(dt.date.fromisoformat(row["away_until"]))
        told = f"{row['full_name']} is away until {away}. {stands_in} is filling in. Should the message go there?"
        return refuse("RECIPIENT_AWAY", told, {"stands_in": stands_in})
    desk.insert(
        "messages",
        message_id=desk.new_id("MSG-"),
        matter_number=desk.state("matter"),
        recipient=row["covered_by"] or row["staff_id"],
        topic=topic,
        callback=callback,
        from_role=desk.state("role"),
    )
    return ok({"sent": True, "spoken_answer_by": "the end of the next business day"})


@tool(writes=False)
@on_file
def get_court_dates(desk: Desk) -> Result:
    """The upcoming court dates of the caller's matter. A contact may know them too."""
    rows = desk.all(
        "SELECT * FROM court_dates WHERE matter_number = ? AND starts_at > ? ORDER BY starts_at",
        desk.state("matter"),
        desk.today.isoformat(),
    )
    dates = [
        {
            "what": row["what"],
            "spoken_place": row["place"],
            "spoken_when": spoken_when(dt.datetime.fromisoformat(row["starts_at"])),
            "confirmed": bool(row["confirmed"]),
        }
        for row in rows
    ]
    return ok({"court_dates": dates})


@tool(writes=True)
@client_only
def confirm_attendance(desk: Desk, told_when_and_where: Annotated[bool | None, Bool()] = None) -> Result:
    """Note that the client will be at the next court date.

    Args:
        told_when_and_where: true once you said day, hour and place.
    """
    row = desk.one(
        "SELECT * FROM court_dates WHERE matter_number = ? AND starts_at > ? ORDER BY starts_at",
        desk.state("matter"),
        desk.today.isoformat(),
    )
    if row is None:
        return refuse("NO_COURT_DATE", "I see no court date for this matter.")
    if row["confirmed"]:
        return refuse("ALREADY_CONFIRMED", "Your attendance is already confirmed.")
    if not told_when_and_where:
        return refuse("DATE_NOT_TOLD", "First I have to tell you when and where it is.")
    desk.db.execute("UPDATE court_dates SET confirmed = 1 WHERE date_id = ?", (row["date_id"],))
    return ok({"confirmed": True})


@tool(writes=True)
@client_only
def request_document(
    desk: Desk,
    kind: Annotated[
        str, Enum("engagement_letter", "complaint", "medical_summary", "deposition", "will_draft", "expert_report")
    ],
    channel: Annotated[str, Enum("portal", "mail")],
) -> Result:
    """Have a copy of a paper sent to the client.

    Args:
        kind: which paper.
        channel: to the client portal, or by mail to the address on the file.
    """
    row = desk.one("SELECT * FROM documents WHERE matter_number = ? AND kind = ?", desk.state("matter"), kind)
    if row is None:
        return refuse("NO_SUCH_DOCUMENT", "I don't see that document on the file.")
    if row["kept_back"]:
        return refuse("KEPT_BACK", "Under a court order, that document has to stay with the firm.")
    rule = "no_mail" if channel == "mail" else None
    if rule and desk.one("SELECT 1 FROM contact_rules WHERE matter_number = ? AND rule = ?", row[0], rule):
        return refuse("CONTACT_RULE", "You told us not to send anything by mail.")
    desk.insert(
        "document_requests",
        request_id=desk.new_id("DOC-"),
        matter_number=desk.state("matter"),
        kind=kind,
        channel=channel,
    )
    return ok({"requested": kind, "spoken_arrival": "tomorrow" if channel == "portal" else "within a week"})


@tool(writes=True)
@client_only
def set_contact_rule(
    desk: Desk,
    rule: Annotated[str, Enum("no_voicemail", "no_mail", "no_email")],
    effect_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Note how the client must not be contacted.

    Args:
        rule: what we must not do.
        effect_told: true once you said what it changes: we call without leaving a message, or write only elsewhere.
    """
    if desk.one("SELECT 1 FROM contact_rules WHERE matter_number = ? AND rule = ?", desk.state("matter"), rule):
        return refuse("RULE_EXISTS", "That is already noted on the file.")
    if not effect_told:
        return refuse("EFFECT_NOT_TOLD", "First I have to tell you what that changes.")
    desk.insert("contact_rules", matter_number=desk.state("matter"), rule=rule)
    return ok({"rule": rule})
