"""Before anything else: whose names stand in the way, who has a lawyer, who is on a file, who is told no."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

from typing import Annotated

from voicebench.packs import Bool, Date, Desk, Enum, Id, Name, Phone, Result, ok, refuse, same_name, tool

from .common import needs, remember, was_refused

MAX_TRIES = 3
STANDING = {"other": ("client", "former_client"), "caller": ("adverse",)}
ESTABLISHED_BY = {
    "conflict": "CONFLICT_FOUND",
    "represented": "REPRESENTED",
    "area_not_taken": "AREA_NOT_TAKEN",
    "state_not_taken": "STATE_NOT_TAKEN",
    "time_limit": "DEADLINE_PASSED",
}


def towns_of(desk: Desk, name: str, sides: tuple[str, ...]) -> list[str]:
    """The towns of those on some sides whose name, present or former, sounds like this one."""
    rows = [row for row in desk.all("SELECT * FROM parties") if row["side"] in sides]
    names = [(name_on_file, row["town"]) for row in rows for name_on_file in (row["full_name"], row["former_name"])]
    return [town for name_on_file, town in names if name_on_file and same_name(name, name_on_file)]


@tool(writes=False)
def run_conflict_check(
    desk: Desk,
    caller_name: Annotated[str, Name()],
    other_party: Annotated[str, Name()],
    details_held_back: Annotated[bool | None, Bool()] = None,
    other_town: Annotated[str | None, Name()] = None,
    caller_town: Annotated[str | None, Name()] = None,
) -> Result:
    """Look for the caller and the other side among all clients and opponents of the firm, by the sound of the names.

    Args:
        caller_name: first and last name of the caller.
        other_party: first and last name of the person, or the name of the company, on the other side.
        details_held_back: true once you asked the caller to hold back what happened until after this check.
        other_town: where the other side lives or has its business; only when the check asks for it.
        caller_town: where the caller lives; only when the check asks for it.
    """
    if not details_held_back:
        return refuse("DETAILS_NOT_STOPPED", "Please hold back the details until I have checked the names.")
    asked = {"other": (other_party, other_town), "caller": (caller_name, caller_town)}
    desk.set_state("check", None)
    for who, (name, town) in asked.items():
        towns = towns_of(desk, name, STANDING[who])
        if towns and town is None:
            where = "What town is the other side in?" if who == "other" else "What town do you live in?"
            missing = "other_town" if who == "other" else "caller_town"
            return refuse("POSSIBLE_MATCH", f"So that I have the right name: {where}", {"missing": missing})
        if any(same_name(town, other) for other in towns):
            desk.set_state("declined_names", [caller_name, other_party])
            return remember(desk, refuse("CONFLICT_FOUND", "I'm sorry, we are not able to take this on."))
    desk.set_state("check", [caller_name, other_party])
    return ok({"clear": True, "ask_next": "whether the caller has a lawyer for this already"})


@tool(writes=True)
@needs("check", "NAMES_NOT_CLEARED", "First I have to check the names of both sides.")
def record_screening(desk: Desk, has_lawyer: Annotated[bool, Bool()]) -> Result:
    """File that the names are clear and nobody else acts for the caller, without which no intake can begin.

    Args:
        has_lawyer: whether the caller has a lawyer for this already, as they said when you asked.
    """
    caller, other = desk.state("check")
    if has_lawyer:
        desk.set_state("declined_names", [caller, other])
        return refuse("REPRESENTED", "Since you already have a lawyer for this, we are not able to step in.")
    if desk.state("screened_names") == [caller, other]:
        return refuse("ALREADY_SCREENED", "I already have that on file.")
    screening_id = desk.new_id("SCR-")
    desk.insert("screenings", screening_id=screening_id, caller_name=caller, other_party=other, outcome="clear")
    desk.set_state("screening", screening_id)
    desk.set_state("screened_names", [caller, other])
    return ok({"screened": True})


@tool(writes=True)
def decline_matter(
    desk: Desk,
    reason_code: Annotated[str, Enum("conflict", "represented", "area_not_taken", "state_not_taken", "time_limit")],
    other_lawyer_urged: Annotated[bool | None, Bool()] = None,
) -> Result:
    """File that the firm does not take a matter. An intake that was opened for it is withdrawn.

    Args:
        reason_code: why; it stays inside the firm.
        other_lawyer_urged: true once you told the caller to see another lawyer soon.
    """
    if not was_refused(desk, ESTABLISHED_BY[reason_code]):
        return refuse("REASON_NOT_ESTABLISHED", "Let me check that first, before I say no.")
    if desk.state("declined"):
        return refuse("ALREADY_DECLINED", "That is already on file.")
    if not other_lawyer_urged:
        return refuse("NOT_URGED", "First I have to tell you to see another lawyer soon.")
    caller, other = desk.state("declined_names") or desk.state("screened_names") or [None, None]
    desk.insert(
        "declined_matters",
        decline_id=desk.new_id("DCL-"),
        caller_name=caller,
        other_party=other,
        reason_code=reason_code,
    )
    desk.set_state("declined", True)
    desk.db.execute("UPDATE intakes SET status = 'withdrawn' WHERE intake_id = ?", (desk.state("intake"),))
    desk.set_state("intake", None)
    desk.set_state("screening", None)
    return ok({"declined": True})


@tool(writes=False)
def find_intake(desk: Desk, phone: Annotated[str, Phone()], caller_name: Annotated[str, Name()]) -> Result:
    """Find the open intake of a caller who is no client yet and was screened in an earlier call.

    Args:
        phone: the number that they left, ten digits.
        caller_name: their first and last name; both have to match.
    """
    rows = desk.all("SELECT * FROM intakes WHERE phone = ? AND status = 'open'", phone)
    row = next((row for row in rows if same_name(caller_name, row["caller_name"])), None)
    if row is None:
        return refuse("INTAKE_NOT_FOUND", "I can't find that. Could you give me your number once more?")
    desk.set_state("intake", row["intake_id"])
    desk.set_state("screening", row["intake_id"])
    desk.set_state("screened_names", [row["caller_name"], row["other_party"]])
    return ok({"intake_found": True, "area": row["area"], "state": row["state"]})


@tool(writes=False)
def verify_client(
    desk: Desk,
    matter_number: Annotated[str, Id()],
    date_of_birth: Annotated[str, Date()],
    phone_code: Annotated[str, Id()],
) -> Result:
    """Check that the caller is on the file of a matter. All three have to be right.

    Args:
        matter_number: six digits, as the caller said them.
        date_of_birth: the caller's own, with its year.
        phone_code: five digits from the welcome letter, as the caller said them.
    """
    tries = int(desk.state("failed_tries") or 0)
    if tries >= MAX_TRIES:
        return refuse("IDENTITY_LOCKED", "I can't check these details any further on this call.")
    row = desk.one(
        """SELECT p.*, phone_code FROM matter_people p JOIN matters USING (matter_number)
           WHERE same_id(matter_number, ?) AND date_of_birth = ?""",
        matter_number,
        date_of_birth,
    )
    if row is None or row["phone_code"] != phone_code:
        desk.set_state("failed_tries", tries + 1)
        return refuse("IDENTITY_MISMATCH", "Those details don't match. Could you give me all three once more?")
    desk.set_state("matter", row["matter_number"])
    desk.set_state("role", row["role"])
    return ok({"verified": True, "full_name": row["full_name"], "role": row["role"]})


@tool(writes=True)
def take_outside_message(
    desk: Desk,
    sender: Annotated[str, Enum("insurer", "opposing_counsel", "court", "medical_office", "other")],
    caller_name: Annotated[str, Name()],
    callback: Annotated[str, Phone()],
    nothing_confirmed: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Take a message from somebody who calls for another office. It goes to the duty lawyer, who knows whose it is.

    Args:
        sender: for whom they call.
        caller_name: their first and last name.
        callback: the number at which they want an answer, ten digits.
        nothing_confirmed: true once you told them that you neither confirm nor deny who our clients are.
    """
    if not nothing_confirmed:
        return refuse("CONFIDENTIALITY_NOT_TOLD", "First I have to say that I can't tell you who our clients are.")
    desk.insert(
        "outside_messages",
        message_id=desk.new_id("OUT-"),
        caller_name=caller_name,
        callback=callback,
        sender=sender,
    )
    return ok({"taken": True, "spoken_recipient": "the lawyer on duty"})
