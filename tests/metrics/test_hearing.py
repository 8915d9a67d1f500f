"""Whether a fact reached the agent: the hard cases of saying it again, of bursts, and of a caller who misspeaks."""

from __future__ import annotations

import pytest

from tests.metrics.spans import asr, caller
from tests.metrics.test_fact_mentions import FORMS, gives, shop
from voicebench.caller.shadow import scripted_replies
from voicebench.metrics import find_fact_mentions, transcript
from voicebench.metrics.causes.diagnosed_call import DiagnosedCall
from voicebench.metrics.causes.hearing import fact_not_heard, lost_turn
from voicebench.record.call import CallScore
from voicebench.record.events import PacketLossEvent
from voicebench.record.trace import TraceRecord

pytestmark = pytest.mark.unit

RIGHT, WRONG, OTHER = "Order number KE 4479002.", "Order number KE 4479052.", "Order number KE 4479012."


def scored(*trace: TraceRecord) -> DiagnosedCall:
    case, turns = shop().cases["T2-H3"], transcript(trace)
    mentions = find_fact_mentions(turns, trace, case, shop().spec)
    score = CallScore(verdict="failed", transcript=tuple(turns), fact_mentions=tuple(mentions))
    replies = scripted_replies(case.caller, shop().spec, trace)
    return DiagnosedCall(shop().snapshot(), case, trace, score, "caller_hung_up", replies)


def said(turn: int, start_s: float, heard: str | None, spoken: str = FORMS[0]) -> list[TraceRecord]:
    """The order number said from ``start_s`` for two seconds, and what was heard of it."""
    words = [gives(turn, start_s, spoken, order_number=(turn - 1) % 2)]
    return words if heard is None else [*words, asr(start_s + 2.3, start_s + 2.6, heard)]


def loss(at_s: float, packets: int, leg: str = "caller_to_agent") -> TraceRecord:
    return PacketLossEvent(time_ns=round(at_s * 1e9), leg=leg, packets=packets, sequence=0, lost=packets, late=0)


def cause(*trace: TraceRecord, used: str | None = None, by_s: float = float("inf")) -> tuple[str, float] | None:
    found = fact_not_heard(scored(*trace), "order_number", used=used, by_s=by_s)
    return None if found is None else (found.cause, found.at_s)


def test_misheard_once_and_right_the_second_time_is_no_cause() -> None:
    assert cause(*said(1, 1.0, WRONG), *said(2, 6.0, RIGHT, FORMS[1])) is None


def test_unless_the_agent_acted_on_it_before() -> None:
    assert cause(*said(1, 1.0, WRONG), *said(2, 6.0, RIGHT, FORMS[1]), used="KE4479052", by_s=5.0) == ("asr", 1.0)


def test_misheard_each_time_the_first_is_the_cause() -> None:
    assert cause(*said(1, 1.0, WRONG), *said(2, 6.0, OTHER, FORMS[1]), used="KE-4479012") == ("asr", 1.0)


def test_right_and_then_misheard_counts_if_the_agent_went_by_it() -> None:
    both = [*said(1, 1.0, RIGHT), *said(2, 6.0, WRONG, FORMS[1])]
    assert cause(*both, used="KE-4479052") == ("asr", 6.0)
    assert cause(*both, used="KE-4471111") is None


def test_a_fact_that_was_never_said_was_not_misheard() -> None:
    assert cause(caller(1, 1.0, 2.0, "Hello."), asr(2.3, 2.6, "Hello.")) is None


def test_where_nobody_listens_through_a_recognizer_it_arrived() -> None:
    assert cause(*said(1, 1.0, None)) is None


def test_a_saying_of_which_nothing_was_heard_did_not_arrive() -> None:
    later = [caller(2, 6.0, 7.0, "Hello?"), asr(7.3, 7.6, "Hello?")]
    assert cause(*said(1, 1.0, None), *later) == ("harness", 1.0)
    assert cause(*said(1, 1.0, ""), *later) == ("asr", 1.0)


def test_a_burst_on_the_words_makes_it_the_line() -> None:
    assert cause(*said(1, 1.0, WRONG), loss(2.0, 5)) == ("line", 1.0)


@pytest.mark.parametrize(
    "elsewhere", [loss(2.0, 2), loss(5.0, 50), loss(0.2, 20), loss(2.0, 50, "agent_to_caller")], ids=str
)
def test_a_short_loss_one_elsewhere_and_one_on_the_other_leg_leave_it_to_the_recognizer(
    elsewhere: TraceRecord,
) -> None:
    assert cause(*said(1, 1.0, WRONG), elsewhere) == ("asr", 1.0)


def test_a_burst_on_the_other_words_of_the_turn_leaves_it_to_the_recognizer() -> None:
    spoken = f"Well, let me see, I have it here on the letter that came with the headphones, {FORMS[0]}"
    long = [gives(1, 1.0, spoken, end_s=11.0, order_number=0), asr(11.3, 11.6, WRONG)]
    assert cause(*long, loss(2.0, 30)) == ("asr", 1.0)
    assert cause(*long, loss(9.0, 30)) == ("line", 1.0)


def test_a_caller_who_gives_another_number_than_its_own_is_the_cause() -> None:
    found = fact_not_heard(
        scored(*said(1, 1.0, WRONG, "order number K E, four four seven, nine zero, five two")), "order_number"
    )
    assert found is not None
    assert (found.cause, found.sentence) == (
        "caller",
        "The caller gave KE4479052 as order_number, where its script has KE-4479002.",
    )


def test_other_words_are_lost_when_a_third_of_them_was_heard_otherwise() -> None:
    wish = "Please send the headphones back to the seller."
    assert (
        lost_turn(scored(caller(1, 1.0, 3.0, wish), asr(3.3, 3.6, "Please send the head phones to the seller.")), 9.0)
        is None
    )
    found = lost_turn(scored(caller(1, 1.0, 3.0, wish), asr(3.3, 3.6, "Please mend the headset.")), 9.0)
    assert found is not None
    assert (found.cause, found.heard) == ("asr", "Please mend the headset.")


def test_words_lost_after_what_went_wrong_are_not_its_cause() -> None:
    assert lost_turn(scored(caller(1, 5.0, 7.0, "Please send them back."), asr(7.3, 7.6, "")), 4.0) is None
