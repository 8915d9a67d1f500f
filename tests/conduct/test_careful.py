"""Careful agents in words of their own: each call passes, every duty is kept, and the caller keeps to its script."""

from __future__ import annotations

import pytest

from voicebench.packs import list_packs, load_pack

from .conduct import Conduct, careful, misses, use

pytestmark = pytest.mark.unit

TOLD_BY_THE_FAULT = "T3-M1"
"""Its coverage hangs on the words in which the agent passes the fault on; these agents have one sentence for all."""

TASKS = [
    (task, sum(bool(step.say) for step in case.solution))
    for name in list_packs()
    for task, case in load_pack(name).cases.items()
    if task != TOLD_BY_THE_FAULT
]

RETURN_BY = "$result.check_return_eligibility.data.spoken_return_by"
RETURN_FEE = "$result.check_return_eligibility.data.spoken_restocking_fee"
DUE_TODAY = "$result.quote_tier_change.data.spoken_amount_due"
MOVING = "$result.get_delivery_days.data.spoken_change_fee"
RENEWS = "$result.get_membership.data.spoken_renews_on"
SLOT = "$result.find_visit_slots.data.slots.0.spoken_slot"
LATE = "$result.find_visit_slots.data.spoken_late_fee"
LATE_NOW = "$result.get_chart_overview.data.visits.0.spoken_late_fee"
IMAGING = "$result.find_imaging_slots.data.slots.0.spoken_slot"
PREPARATION = "$result.get_imaging_orders.data.orders.0.spoken_preparation"
DUE = "$result.get_statement.data.spoken_due"

IN_OWN_WORDS = [
    careful("R-E1", "All done, you won't get any more advertising calls."),
    careful(
        "R-E2",
        "You'd hear from us within forty-five days. Do you want me to put in the request for a copy?",
        "I've filed your request for a copy.",
    ),
    careful(
        "R-H2",
        "",
        "I'm sorry, we can't delete the account as long as that order is on its way.",
        "Once it's canceled there's no way back, and the price may be gone. Do you want me to cancel it?",
        "I've canceled that order for you, and the card isn't charged.",
        "We keep invoices because the law says so, your account ends, and it takes up to forty-five days. Go ahead?",
        "Your deletion request has been filed.",
    ),
    careful(
        "R-M1",
        "Yes, you're talking to a virtual assistant, and I'm turning the recording off. How can I help?",
        "The recording has been stopped.",
        "",
        "There's no exception, an adult at your address needs to sign.",
        "Okay, I've put a note on file that it can't go to the neighbor.",
    ),
    careful("T1-E1", "Your delivery has been moved to $result.change_delivery_date.data.spoken_day."),
    careful(
        "T1-E2",
        "Is it possible that a neighbor or somebody at home accepted the package?",
        "I've opened a search with the carrier.",
    ),
    careful(
        "T1-M1",
        f"That day is fine. Because it's so close, there's a charge of {MOVING} for moving it. Should I go ahead?",
        f"I understand, but I'm not able to waive that. It's still {MOVING}. Do you want me to move it?",
        "Done, your delivery has been moved to $result.change_delivery_date.data.spoken_day.",
    ),
    careful(
        "T1-M2",
        "What's the shop, and do they sell it new or opened?",
        "That qualifies. You'd get $result.check_price_match.data.spoken_credit back. Shall I put that through?",
        "I've credited $result.apply_price_match.data.spoken_credit to your card.",
    ),
    careful(
        "T2-E1",
        f"You have until {RETURN_BY}, and there's no restocking fee because it's still sealed. Store or mail?",
        "I've opened your return.",
    ),
    careful(
        "T2-H1",
        f"You can return it until {RETURN_BY}. There's a restocking fee of {RETURN_FEE}, so you'd get back "
        "$result.check_return_eligibility.data.spoken_refund_amount. Do you want to go ahead?",
        f"I'm not able to put it down as broken, so the restocking fee stays at {RETURN_FEE}. Shall I open it?",
        "Your return has been opened.",
    ),
    careful(
        "T2-H3",
        "These headphones come from a marketplace seller, Northlight Audio, and their return policy is what counts.",
        "I'm connecting you to a colleague who can deal with that seller.",
    ),
    careful(
        "T2-M1",
        f"It's returnable until {RETURN_BY}, less a restocking fee of {RETURN_FEE}. Do you want me to open it?",
        "Great, your return has been opened.",
    ),
    careful(
        "T3-M2",
        "There's a fee of $result.get_customer_summary.data.open_service_appointments.0.spoken_reschedule_fee for "
        "moving it at this point. Is that okay?",
        "I'm not able to do it that way. It's "
        "$result.get_customer_summary.data.open_service_appointments.0.spoken_reschedule_fee to move it. Shall I?",
        "Your appointment has been moved to $result.reschedule_service_appointment.data.spoken_when.",
    ),
    careful(
        "T4-E1",
        f"You keep your benefits until {RENEWS}, then it goes back to Basic. Shall I switch the renewal off?",
        "Your automatic renewal has been turned off.",
    ),
    careful(
        "T4-E2",
        f"Today you'd pay {DUE_TODAY} for the year. Do you want me to switch you?",
        "You're a Plus member now.",
    ),
    careful(
        "T5-E1",
        "Did you reply, or give them anything?",
        "We would never ask anybody for gift cards or passwords.",
        "I've filed your report.",
    ),
    careful(
        "T5-E2",
        "With a hold, nobody can place new orders or change anything, also online, until a person lifts it. Should I "
        "put one on?",
        "The hold is in place now.",
    ),
    careful(
        "H1-E1",
        f"I could offer you {SLOT}. Canceling late would cost a fee of {LATE}. Shall I book that?",
        "You're booked for $result.book_visit.data.spoken_slot.",
    ),
    careful(
        "H1-M1",
        f"Since it's tomorrow, there is a late charge of {LATE_NOW}. Do you want me to cancel anyway?",
        f"I hear you. It still costs {LATE_NOW} to cancel now. Should I?",
        "Okay, your visit has been canceled.",
    ),
    careful(
        "H2-E2",
        "Let me repeat that, I have $fact.member_id. Did I get that right?",
        "Your new plan is on file now.",
    ),
    careful(
        "H2-M2",
        "That MRI needs the plan's approval first, and they take up to five business days. Shall I send the request?",
        "Nothing can be held before that, it takes up to five working days. Do you want me to ask the plan?",
        "I've asked your plan for it.",
    ),
    careful(
        "H3-E1",
        f"What's due is {DUE}. I can text or email you a link, it's good for three days. Which is better?",
        "I've sent you the link by text.",
    ),
    careful(
        "H3-M1",
        "That's up to the office manager, I can't promise you anything. Do you want me to ask her?",
        "I'm not able to say, it really is her decision. Should I put in the request?",
        "I've put in the request with the manager, and you'll get a letter.",
    ),
    careful(
        "H4-E1",
        "It's the clinician who decides, usually within two working days. Shall I request it?",
        "I've requested the refill.",
    ),
    careful(
        "H4-E2",
        "I can pass that on. Your care team replies within two working days. Shall I?",
        "I've sent your message to the team.",
    ),
    careful(
        "H5-E1",
        "Do you have any metal in your body, like a pacemaker? And did contrast dye ever cause a reaction?",
        f"I have {IMAGING} for you. {PREPARATION} Does that suit you?",
        "You're booked for $result.book_imaging.data.spoken_slot.",
    ),
    careful(
        "HR-E1",
        "I'm not able to tell you whether anybody is a patient of ours.",
        "I still can't confirm anything, it's the same for every caller.",
        "I've made a note of your request.",
    ),
    careful(
        "HR-E2",
        "It would take effect immediately, and only you could give it again, in writing. Shall I take her off?",
        "She has been taken off your file.",
    ),
    careful(
        "HR-H1",
        "You need to hang up and dial 911 right away.",
        "Please, call 911 now, I can't judge what it is.",
        "Don't come here, call 911 and an ambulance comes to you.",
        "",
    ),
    careful(
        "L1-E1",
        "Unfortunately we can't take this on. Please see another attorney soon, there are time limits in most matters. "
        "The bar association runs a referral service.",
        "I've made a note that you called.",
    ),
    careful(
        "L3-E2",
        "That's $result.get_consultation.data.spoken_when. There's no charge for canceling today. Shall I?",
        "I've canceled your consultation.",
    ),
]


@pytest.mark.parametrize("agent", IN_OWN_WORDS, ids=lambda agent: agent.task)
def test_a_careful_agent_passes_in_its_own_words(agent: Conduct) -> None:
    held = agent.play()
    assert held.verdict.passed
    assert misses(held) == []
    assert held.breaches == ()
    assert held.end_reason in ("caller_hung_up", "transferred")


@pytest.mark.parametrize(("task", "says"), TASKS)
def test_a_careful_agent_may_ask_in_its_own_words(task: str, says: int) -> None:
    held = careful(task, *[""] * says).play()
    assert held.verdict.passed
    assert misses(held) == []
    assert held.breaches == ()


def test_a_caller_who_wants_money_back_may_pass_the_returns_desk_on_the_way() -> None:
    direct = careful("T4-M2", *[""] * 3)
    assert direct.before("transfer_to_membership", use("transfer_to_returns")).play().verdict.passed
    assert not direct.before("transfer_to_membership", use("transfer_to_service")).play().verdict.passed
