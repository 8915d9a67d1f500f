"""What makes a caller hang up with its closing, and what must not: done, beside denied, unreal, retracted, asked."""

from __future__ import annotations

from functools import lru_cache

import pytest

from voicebench.language.intents import Intents
from voicebench.packs.loader import load_pack

pytestmark = pytest.mark.unit

SHOP, CLINIC, FIRM = "customer_support", "healthcare", "legal"
MOVED, RETURN, OFF, COPY = "delivery_moved_to_august_6", "return_opened", "renewal_off", "copy_request_filed"

NOT_DONE = [
    (SHOP, MOVED, "Not a thing has been moved to August sixth on my side."),
    (SHOP, MOVED, "None of your deliveries has been moved to Thursday."),
    (SHOP, MOVED, "I could have moved it to Thursday if you had called this morning."),
    (SHOP, MOVED, "It should have been moved to August sixth by my colleague, that went wrong."),
    (SHOP, MOVED, "I haven't been able to get it moved to Thursday."),
    (SHOP, MOVED, "The moment it's been moved to August sixth you will get a text."),
    (SHOP, MOVED, "I was told it had been moved to August sixth. But I see that it is still on the fourth."),
    (SHOP, MOVED, "It was moved to Thursday for another customer."),
    (SHOP, MOVED, "Your delivery was nearly moved to August sixth when the page froze."),
    (SHOP, MOVED, "Your delivery has been moved to Thursday. Oh wait, that is the wrong order."),
    (SHOP, MOVED, "Suppose it is moved to August sixth, would anybody be home?"),
    (SHOP, RETURN, "Nobody here has opened a return for you."),
    (SHOP, RETURN, "I've not been able to open a return, the window is past."),
    (SHOP, RETURN, "Provided the return has been opened, the label comes within two days."),
    (SHOP, RETURN, "By the time the return is open, you will have the label."),
    (SHOP, RETURN, "The return is open, it says, but it can't be this camera."),
    (SHOP, RETURN, "A return was opened three months ago, let me look for the new one."),
    (SHOP, RETURN, "A return must have been opened in the store, I can't find it."),
    (SHOP, OFF, "Neither renewal has been turned off."),
    (SHOP, OFF, "I'd have switched it off already, only the system is slow."),
    (SHOP, OFF, "I assumed your automatic renewal was off, but it's running."),
    (SHOP, OFF, "Usually the renewal is off at this point, I'm going to check."),
    (SHOP, "cancel_confirmed", "No booking of yours has been cancelled."),
    (SHOP, "cancel_confirmed", "It looks like the appointment was cancelled, but no, it is still there."),
    (SHOP, "cancel_confirmed", "Only the reminder has been cancelled so far."),
    (SHOP, "report_filed", "Hardly any report is filed without a phone number."),
    (SHOP, "report_filed", "Your report will have been filed by tonight."),
    (SHOP, COPY, "Your request to erase everything has been filed."),
    (SHOP, COPY, "I've sent in the deletion request for your account."),
    (SHOP, "hold_placed", "Your account isn't on hold yet, I just need your yes."),
    (CLINIC, "visit_booked_with_callaway", "Nothing is booked under your name."),
    (CLINIC, "visit_booked_with_callaway", "I wish your visit was booked already, the calendar is slow today."),
    (CLINIC, "visit_booked_with_callaway", "The system refuses to save it, so your visit is not booked."),
    (CLINIC, "visit_booked_with_callaway", "Last year your exam was booked for the fall."),
    (CLINIC, "visit_booked_with_callaway", "Your exam has been booked, or so I believed, and now the slot is gone."),
    (CLINIC, "visit_booked_with_callaway", "As long as the visit is booked before Friday, you pay nothing."),
    (CLINIC, "visit_booked_with_callaway", "Your visit is booked, but it's for a different patient."),
    (CLINIC, "visit_booked_with_callaway", "You're booked with Doctor Haddad for the twentieth."),
    (CLINIC, "visit_booked_with_callaway", "I have you down for a visit with our nurse practitioner on Monday."),
    (CLINIC, "visit_cancelled", "None of the visits has been canceled yet."),
    (CLINIC, "visit_cancelled", "I might have canceled the wrong one, let me look."),
    (CLINIC, "visit_moved", "I tried to get your visit moved, it has been refused twice."),
    (CLINIC, "refill_asked", "No request has been sent to the pharmacy so far."),
    (CLINIC, "refill_asked", "The refill would have been sent, but it's too early."),
    (CLINIC, "message_left", "Your message was left with the team, I thought, but it bounced."),
    (CLINIC, "link_sent", "A link should have been sent to you, I don't see one."),
    (FIRM, "booked", "No consultation has been booked for you."),
    (FIRM, "booked", "Once the consultation is booked, you get a letter."),
    (FIRM, "booked", "I would have booked you in, but the lawyer is away."),
    (FIRM, "cancelled", "Neither of your meetings has been cancelled."),
    (FIRM, "moved", "It has almost been moved, one second."),
    (FIRM, "message_sent", "Nobody has sent your message yet."),
    (FIRM, "message_sent", "As soon as your message has been sent, I'll tell you."),
    (FIRM, "message_sent", "I could've sent your message to the wrong lawyer, so let me check."),
    (FIRM, "decline_noted", "Nothing has been noted so far."),
    (FIRM, "decline_noted", "I would have noted that you called, but I need your name."),
    (FIRM, "decline_noted", "A note would have been made, if you had given your name."),
    (FIRM, "intake_opened", "No intake has been opened for this matter."),
    (FIRM, "plan_set_up", "It says a plan was set up, but I see that's for someone else."),
    (FIRM, "matter_declined", "We may not be able to help you with that, let me check first."),
]

DONE = [
    (SHOP, MOVED, "We've pushed your television back to Thursday, August sixth, so you're good to go."),
    (SHOP, MOVED, "You're down for August sixth now."),
    (SHOP, MOVED, "Done, Thursday the sixth it is."),
    (SHOP, MOVED, "No problem, your delivery has been moved to Thursday, and there is no fee for that."),
    (SHOP, MOVED, "Your TV now arrives on Thursday, August sixth."),
    (SHOP, MOVED, "Nothing else to pay, your delivery is moved to August sixth."),
    (SHOP, MOVED, "All done. I have your delivery down for the sixth of August."),
    (SHOP, RETURN, "Your return's been created, you'll see a label in your mailbox."),
    (SHOP, RETURN, "I went ahead and opened the return, the label is on its way."),
    (SHOP, RETURN, "Okay, the return for the camera is in the system."),
    (SHOP, OFF, "Okay, it won't renew."),
    (SHOP, OFF, "Auto-renew is off, your membership simply ends in September."),
    (SHOP, OFF, "Your membership will not renew automatically any more."),
    (SHOP, "cancel_confirmed", "That's taken care of, your appointment is cancelled. You don't have to do anything."),
    (SHOP, COPY, "I've put in your request for a copy of your data."),
    (SHOP, COPY, "Your data request is filed. You will hear from us within thirty days."),
    (SHOP, "report_filed", "Your report is in, thanks for letting us know."),
    (
        CLINIC,
        "visit_booked_with_callaway",
        "Your yearly exam is booked with Doctor Callaway on the twentieth at nine fifteen.",
    ),
    (CLINIC, "visit_booked_with_callaway", "I've got you on the calendar with Doctor Callaway for Tuesday."),
    (CLINIC, "visit_booked_with_callaway", "Your visit is all set for Tuesday the twentieth."),
    (CLINIC, "visit_cancelled", "No worries, your visit has been canceled, and no fee is charged."),
    (CLINIC, "refill_asked", "I've sent the refill request to the pharmacy, you can pick it up tomorrow."),
    (FIRM, "booked", "Your consultation is all set."),
    (FIRM, "booked", "You're on the calendar for Wednesday at one, by phone."),
    (FIRM, "cancelled", "Your meeting has been cancelled, and there is nothing to pay."),
    (FIRM, "message_sent", "Your message has gone out to your lawyer."),
    (FIRM, "message_sent", "I have passed your message on, she reads it tomorrow."),
    (FIRM, "decline_noted", "I've written down that you called today."),
    (FIRM, "intake_opened", "Your intake is open now. If you think of anything else, just call."),
    (FIRM, "matter_declined", "I'm sorry, but that's not something we can help with."),
    (FIRM, "matter_declined", "Unfortunately we don't do bankruptcy here."),
    (FIRM, "matter_declined", "Bankruptcy isn't one of our practice areas."),
]


@lru_cache
def intents(pack: str) -> Intents:
    return Intents(load_pack(pack).spec.intents)


@pytest.mark.parametrize(("pack", "intent", "text"), NOT_DONE)
def test_what_is_not_done_is_not_heard_as_done(pack: str, intent: str, text: str) -> None:
    assert not intents(pack).match("heard", intent, text)


@pytest.mark.parametrize(("pack", "intent", "text"), DONE)
def test_what_is_done_is_heard_in_other_words_too(pack: str, intent: str, text: str) -> None:
    assert intents(pack).match("heard", intent, text)
