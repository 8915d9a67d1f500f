"""Insurance: which plan is taken where, whether it pays today, approvals, and paying oneself."""
# ruff: noqa: D417 - a model gives no desk

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Annotated

from voicebench.packs import Bool, Desk, Enum, Id, Number, Result, ok, refuse, spoken_list, spoken_money, tool

from .common import OFFICES, opened, patient, told_wrongly
from .visits import Office, own_visit

Plan = Enum("larkmoor_choice", "larkmoor_saver", "harborline", "timber_trail")
Service = Enum(
    "annual_exam",
    "problem_visit",
    "follow_up",
    "medication_visit",
    "new_patient",
    "procedure",
    "child_checkup",
    "xray",
    "ultrasound",
    "mri",
    "ct",
)
NEED_APPROVAL = ("mri", "ct")


def not_taken(desk: Desk, plan: str, office: str) -> Result | None:
    """The refusal of a plan that this office does not take, which says who does, or None."""
    offices = [row["office"] for row in desk.all("SELECT office FROM plan_offices WHERE plan = ? ORDER BY rowid", plan)]
    if office in offices:
        return None
    named = desk.one("SELECT spoken FROM plans WHERE plan = ?", plan)
    name = plan if named is None else named["spoken"]
    where = spoken_list([OFFICES[one] for one in offices])
    desk.set_state("refused:PLAN_NOT_TAKEN", True)
    return refuse("PLAN_NOT_TAKEN", f"{OFFICES[office]} does not take {name}. It is taken at {where}.")


@tool(writes=False)
def check_plan_at_office(desk: Desk, plan: Annotated[str, Plan], office: Annotated[str, Office]) -> Result:
    """Whether an office takes a plan. Needs no chart, and says nothing of what the plan pays.

    Args:
        plan: the insurance plan.
        office: the office.
    """
    return not_taken(desk, plan, office) or ok({"taken": True, "spoken_office": OFFICES[office]})


def own_plan(desk: Desk) -> sqlite3.Row | None:
    """The plan in the open chart."""
    return desk.one(
        "SELECT p.*, n.spoken FROM patient_plans p JOIN plans n USING (plan) WHERE patient_id = ?", patient(desk)
    )


def not_paid(desk: Desk, office: str, service: str) -> Result | None:
    """Why the plan in the chart pays nothing for a service at an office, or None if it pays."""
    plan = own_plan(desk)
    if plan is None:
        return refuse("NO_PLAN", "There is no insurance plan in the chart.")
    if plan["ends_on"] is not None and plan["ends_on"] < desk.today.isoformat():
        return refuse("COVERAGE_ENDED", f"{plan['spoken']} tells us that this coverage has ended.")
    if (refusal := not_taken(desk, plan["plan"], office)) is not None:
        return refusal
    if service not in NEED_APPROVAL:
        return None
    approved = desk.one(
        """SELECT 1 FROM approvals JOIN imaging_orders USING (order_number)
           WHERE patient_id = ? AND kind = ? AND approvals.status = 'approved'""",
        patient(desk),
        service,
    )
    return None if approved else refuse("APPROVAL_NEEDED", f"{plan['spoken']} has to approve that first.")


@tool(writes=False)
@opened("coverage")
def check_eligibility(desk: Desk, service: Annotated[str, Service], office: Annotated[str, Office]) -> Result:
    """Ask the patient's plan, as of today, whether it pays for a service at an office, and what the patient pays.

    Args:
        service: a kind of visit, or of imaging.
        office: where.
    """
    refusal = not_paid(desk, office, service)
    if refusal is not None:
        price = self_pay_price(desk, service)
        alone = {"self_pay_price": price, "spoken_self_pay": spoken_money(price)} if price else {}
        return replace(refusal, data=alone)
    plan = own_plan(desk)
    row = plan and desk.one("SELECT copay FROM copays WHERE plan = ? AND service = ?", plan["plan"], service)
    if plan is None or row is None:
        raise LookupError(f"no copay for {service}")
    return ok(
        {
            "plan": plan["plan"],
            "ends_on": plan["ends_on"],
            "copay": row["copay"],
            "spoken_plan": plan["spoken"],
            "spoken_copay": spoken_money(row["copay"]),
        }
    )


@tool(writes=True)
@opened("coverage")
def update_plan(
    desk: Desk,
    plan: Annotated[str, Plan],
    member_id: Annotated[str, Id()],
    read_back: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Put another insurance plan into the chart, as it stands on the card. It replaces the one before.

    Args:
        plan: the plan.
        member_id: the member number, M L and seven digits.
        read_back: true once you read the member number back and the caller said yes.
    """
    clean = member_id.replace(" ", "").replace("-", "").upper()
    if len(clean) != 9 or not clean.startswith("ML") or not clean[2:].isdigit():
        return refuse("MEMBER_NUMBER_WRONG", "A member number has the letters M L and seven digits.")
    if not read_back:
        return refuse("NOT_READ_BACK", "Let me read the member number back to you first.")
    values = (patient(desk), plan, f"ML-{clean[2:]}")
    desk.db.execute("INSERT OR REPLACE INTO patient_plans (patient_id, plan, member_id) VALUES (?, ?, ?)", values)
    return ok({"plan": plan})


@tool(writes=True)
@opened("coverage")
def request_prior_approval(
    desk: Desk,
    order_number: Annotated[str, Id()],
    wait_told: Annotated[bool | None, Bool()] = None,
) -> Result:
    """Ask the patient's plan to approve an imaging order.

    Args:
        order_number: of the imaging order, from the chart overview.
        wait_told: true once you said that the plan takes up to five working days and may say no.
    """
    order = desk.one(
        "SELECT * FROM imaging_orders WHERE patient_id = ? AND same_id(order_number, ?)", patient(desk), order_number
    )
    if order is None:
        return refuse("ORDER_NOT_FOUND", "I don't see that order in the chart.")
    if order["kind"] not in NEED_APPROVAL:
        return refuse("APPROVAL_NOT_NEEDED", "That kind of imaging doesn't need approval.")
    if desk.one("SELECT 1 FROM approvals WHERE order_number = ?", order["order_number"]):
        return refuse("APPROVAL_ASKED", "The plan has already been asked for that.")
    if not wait_told:
        return refuse("WAIT_NOT_TOLD", "First I have to tell you how long that takes.")
    desk.insert("approvals", order_number=order["order_number"], status="asked")
    return ok({"order_number": order["order_number"], "status": "asked"})


def self_pay_price(desk: Desk, visit_type: str) -> float:
    """What a visit costs without a plan."""
    row = desk.one("SELECT self_pay FROM visit_types WHERE visit_type = ?", visit_type)
    return 0.0 if row is None else float(row["self_pay"])


@tool(writes=True)
@opened("coverage")
def record_self_pay(
    desk: Desk,
    visit_id: Annotated[str, Id()],
    price_told: Annotated[float | None, Number()] = None,
) -> Result:
    """Note that the patient pays a booked visit themselves, because no plan pays for it.

    Args:
        visit_id: from the chart overview.
        price_told: the price in dollars that you said aloud and the caller accepted.
    """
    visit = own_visit(desk, visit_id)
    if isinstance(visit, Result):
        return visit
    if not_paid(desk, visit["office"], visit["visit_type"]) is None:
        return refuse("PLAN_PAYS", "The plan pays for that visit, so there is nothing to agree on.")
    if desk.one("SELECT 1 FROM self_pay_agreements WHERE visit_id = ?", visit["visit_id"]):
        return refuse("ALREADY_AGREED", "That has already been noted.")
    price = self_pay_price(desk, visit["visit_type"])
    refusal = told_wrongly(price, price_told, "the price")
    if refusal is not None:
        return refusal
    agreement_id = desk.new_id("SPA-")
    desk.insert(
        "self_pay_agreements",
        agreement_id=agreement_id,
        patient_id=patient(desk),
        visit_id=visit["visit_id"],
        price=price,
    )
    return ok({"agreement_id": agreement_id, "price": price, "spoken_price": spoken_money(price)})
