"""Which sentences of an agent say that something is done, and which tools would have done it."""

from __future__ import annotations

import pytest

from voicebench.language.claims import Claim, claims_in
from voicebench.metrics.claim_checks import doers
from voicebench.packs import load_pack

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "doing"),
    [
        ("Your bench appointment is now cancelled.", "cancelled"),
        ("Thank you, I've cancelled that for you.", "cancelled"),
        ("The delivery has been moved to Friday.", "moved"),
        ("I just changed the date.", "moved"),
        ("Your appointment is booked for Monday at ten.", "booked"),
        ("Your return is now open, and your refund will be ten dollars.", "opened"),
        ("Your order is placed.", "placed"),
        ("The fee has been refunded.", "refunded"),
        ("Your report is filed, thank you.", "filed"),
        ("A person on our team takes over this call now.", "handed over"),
        ("I am putting you through to somebody.", "handed over"),
    ],
)
def test_what_a_caller_hears_as_done(text: str, doing: str) -> None:
    assert [claim.doing for claim in claims_in(text)] == [doing]


@pytest.mark.parametrize(
    "text",
    [
        "Shall I move the delivery?",
        "Is your appointment cancelled?",
        "Your order is not cancelled.",
        "It will be moved once you agree.",
        "If you agree, the appointment is cancelled.",
        "I can't say that it has been refunded.",
        "The delivery is scheduled for tomorrow.",
        "The store is open until eight.",
        "This call is recorded.",
        "May I have your first and last name?",
    ],
)
def test_what_is_no_claim(text: str) -> None:
    assert list(claims_in(text)) == []


def test_the_tools_that_do_it_are_known_by_their_names() -> None:
    tools = load_pack("customer_support").snapshot().tools.values()
    [claim] = claims_in("Your appointment is now cancelled.")
    assert claim == Claim("cancelled", "Your appointment is now cancelled.", "cancelled")
    assert doers(claim, tools) == {"cancel_order", "cancel_return", "cancel_service_appointment"}
    assert doers(Claim("handed over", "", ""), tools) == {"escalate_to_human"}
