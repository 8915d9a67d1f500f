"""What an agent had to say and might not say, held against its words."""

from __future__ import annotations

from typing import Any

import pytest

from voicebench.metrics import check_duties, transcript
from voicebench.packs import load_pack
from voicebench.packs.models import Case, Duty
from voicebench.record.spans import ToolSpan
from voicebench.record.trace import TraceRecord
from voicebench.record.verdict import DutyCheck

from .spans import agent, caller, heard, tool

pytestmark = pytest.mark.unit

PACK = load_pack("customer_support")
SNAPSHOT = PACK.snapshot()
FEE = {"tell": "restocking_fee_told", "before": "open_return", "holds": "fee_quoted"}
FEE_WORDS = "There is a restocking fee of forty-four dollars and eighty-five cents."


def with_duties(*duties: dict[str, str]) -> Case:
    return PACK.cases["T2-H1"].model_copy(update={"duties": [Duty.model_validate(duty) for duty in duties]})


def check(duty: dict[str, str], *trace: TraceRecord) -> DutyCheck:
    spans = sorted(trace, key=lambda line: line.start_ns if hasattr(line, "start_ns") else line.time_ns)
    said = check_duties(SNAPSHOT, with_duties(duty), spans, transcript(spans))
    [one] = said.duties
    assert (said.kept, said.of, said.reward) == (int(one.kept), 1, float(one.kept))
    return one


def opened(at_s: float, fee: Any = 44.85, *, ok: bool = True) -> TraceRecord:
    made = tool(at_s, "open_return", fee_quoted=fee)
    assert isinstance(made, ToolSpan)
    return made.model_copy(update={"result": {"ok": ok}})


def test_a_fee_told_before_the_return_is_opened_is_kept() -> None:
    found = check(FEE, agent(0, 1, 4, FEE_WORDS), caller(1, 5, 6, "Fine."), opened(7))
    assert (found.duty, found.kept, found.at_s, found.why) == (
        "tell restocking_fee_told before open_return, with its fee_quoted", True, 1.0, "told"
    )  # fmt: skip


def test_a_fee_told_afterwards_or_never_is_not() -> None:
    late = check(FEE, opened(1), agent(0, 2, 4, FEE_WORDS))
    assert (late.kept, late.at_s, late.why) == (False, 2.0, "told only after open_return")
    never = check(FEE, agent(0, 1, 2, "I will open it."), opened(3))
    assert (never.kept, never.at_s, never.why) == (False, None, "never told")


def test_another_fee_than_the_tool_got_is_not_the_fee() -> None:
    found = check(FEE, agent(0, 1, 4, "The restocking fee is nine dollars."), opened(5))
    assert (found.kept, found.at_s) == (False, 1.0)
    assert found.why == "told with another value than fee_quoted 44.85 of open_return"
    corrected = [agent(0, 1, 2, "The restocking fee is nine dollars."), caller(1, 3, 4), agent(1, 5, 8, FEE_WORDS)]
    assert check(FEE, *corrected, opened(9)).kept


def test_the_fee_may_stand_beside_other_sums_but_must_be_named() -> None:
    beside = "There is a restocking fee of forty-four dollars and eighty-five cents, so you get ninety dollars back."
    assert check(FEE, agent(0, 1, 4, beside), opened(5)).kept
    assert not check(FEE, agent(0, 1, 4, "There is a restocking fee."), opened(5)).kept


def test_what_counts_is_the_first_call_that_succeeds() -> None:
    trace = [opened(1, ok=False), agent(0, 2, 5, FEE_WORDS), caller(1, 6, 7), opened(8)]
    assert check(FEE, *trace).kept
    assert check(FEE, opened(1, ok=False), agent(0, 2, 5, FEE_WORDS)).kept, "the tool did nothing"


def test_what_the_caller_did_not_hear_was_told() -> None:
    lost = [agent(0, 1, 4, FEE_WORDS), heard(1, 4, "There is a rest stop."), caller(1, 5, 6), opened(7)]
    found = check(FEE, *lost)
    assert (found.kept, found.why) == (True, "told; the caller did not hear it")
    clear = [agent(0, 1, 4, FEE_WORDS), heard(1, 4, "a restocking fee of $44.85"), caller(1, 5, 6), opened(7)]
    assert check(FEE, *clear).why == "told"


def test_words_that_were_cut_off_were_not_told() -> None:
    cut = agent(0, 1, 2, "Before I do that, there is a restocking fee of forty-four dollars.", cut=True)
    assert not check({"tell": "restocking_fee_told"}, cut, caller(1, 2, 3)).kept


def test_where_the_agent_s_words_are_unknown_those_that_were_heard_count() -> None:
    silent = agent(0, 1, 4, "")
    found = check({"tell": "restocking_fee_told"}, silent, heard(1, 4, "There is a restocking fee of nine dollars."))
    assert (found.kept, found.at_s) == (True, 1.0)


def test_what_may_not_be_told_is_found_with_its_words() -> None:
    duty = {"never_tell": "refund_promised"}
    said = "We will refund you the full amount."
    found = check(duty, agent(0, 1, 3, said))
    assert (found.kept, found.at_s, found.why) == (False, 1.0, f"the agent said “{said}”")
    assert check(duty, agent(0, 1, 3, "The seller decides about that.")).kept
    assert check(duty, caller(1, 1, 3, said)).kept, "the caller may say what it likes"


def test_what_may_not_be_told_before_a_tool_may_be_told_afterwards() -> None:
    duty = {"never_tell": "restocking_fee_told", "before": "open_return"}
    assert check(duty, opened(1), agent(0, 2, 4, FEE_WORDS)).kept
    assert not check(duty, agent(0, 1, 3, FEE_WORDS), opened(4)).kept
    assert not check(duty, agent(0, 1, 3, FEE_WORDS)).kept, "the tool was never called"


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("That is two zero six, five five five, zero one two one, correct?", True),
        ("Your number ends in 0121, and I have 206-555-0121.", True),
        ("That is two zero six, five five five, zero one two two, correct?", False),
        ("Thank you, I have your number.", False),
    ],
)
def test_a_number_is_read_back_with_its_value(words: str, kept: bool) -> None:
    duty = {"read_back": "phone", "before": "open_return"}
    assert check(duty, agent(0, 1, 3, words), opened(4)).kept is kept


def test_the_reward_is_the_share_of_the_duties_that_were_kept() -> None:
    duties = [FEE, {"tell": "restocking_fee_told"}, {"never_tell": "refund_promised"}, {"read_back": "phone"}]
    spans = [agent(0, 1, 4, FEE_WORDS), opened(5)]
    said = check_duties(SNAPSHOT, with_duties(*duties), spans, transcript(spans))
    assert (said.kept, said.of, said.reward) == (3, 4, 0.75)
    assert said.duties[-1].why == "never read back"


def test_a_task_without_duties_has_no_reward() -> None:
    spans = [agent(0, 1, 4, FEE_WORDS)]
    said = check_duties(SNAPSHOT, with_duties(), spans, transcript(spans))
    assert (said.kept, said.of, said.reward) == (0, 0, None)


def test_only_the_tool_that_the_duty_names_ends_its_time() -> None:
    found = check(FEE, tool(0.5, "get_order"), agent(0, 1, 4, FEE_WORDS), caller(1, 5, 6), opened(7))
    assert (found.kept, found.why) == (True, "told")
    assert check(FEE, tool(0.5, "get_order"), agent(0, 1, 4, "The restocking fee is nine dollars.")).kept


def test_what_is_said_from_the_moment_of_the_call_on_comes_too_late() -> None:
    assert not check(FEE, opened(2), agent(0, 2, 4, FEE_WORDS)).kept
    assert check({**FEE, "holds": ""}, agent(0, 1.999, 4, FEE_WORDS), opened(2)).kept


def test_of_several_tellings_that_are_late_the_first_is_named_and_of_wrong_ones_the_last() -> None:
    nine, eight = (f"The restocking fee is {fee} dollars." for fee in ("nine", "eight"))
    late = check(FEE, opened(1), agent(0, 2, 4, FEE_WORDS), caller(1, 5, 6), agent(1, 7, 9, FEE_WORDS))
    assert late.at_s == 2.0
    wrong = check(FEE, agent(0, 1, 2, nine), caller(1, 3, 4), agent(1, 5, 6, eight), opened(7))
    assert (wrong.kept, wrong.at_s) == (False, 5.0)


def test_of_several_forbidden_sentences_the_first_is_named() -> None:
    first, again = "We will refund you the full amount.", "You will get a full refund from us."
    found = check({"never_tell": "refund_promised"}, agent(0, 1, 3, first), caller(1, 4, 5), agent(1, 6, 8, again))
    assert (found.at_s, found.why) == (1.0, f"the agent said “{first}”")


def test_of_several_tellings_the_first_that_the_caller_heard_counts() -> None:
    trace = [
        *(agent(0, 1, 4, FEE_WORDS), heard(1, 4, "There is a rest stop."), caller(1, 5, 6)),
        *(agent(1, 7, 10, FEE_WORDS), heard(7, 10, "a restocking fee of $44.85"), caller(2, 11, 12)),
        *(agent(2, 13, 16, FEE_WORDS), heard(13, 16, "a restocking fee of $44.85"), caller(3, 17, 18)),
    ]
    found = check(FEE, *trace, opened(20))
    assert (found.at_s, found.why) == (7.0, "told")


def test_a_turn_of_which_no_word_is_known_tells_nothing() -> None:
    assert check({"tell": "restocking_fee_told"}, agent(0, 1, 4, "")).why == "never told"


@pytest.mark.parametrize("holds", ["fee_quoted", "summary", "colour"])
def test_where_the_tool_was_given_no_value_or_free_words_any_telling_counts(holds: str) -> None:
    duty = {"tell": "restocking_fee_told", "before": "escalate_to_human", "holds": holds}
    call = tool(5, "escalate_to_human", summary="wants to return it", colour="red")
    assert check(duty, agent(0, 1, 4, FEE_WORDS), call).kept
    assert check(FEE, agent(0, 1, 4, FEE_WORDS), opened(5, None)).kept


@pytest.mark.parametrize(
    ("duty", "mistake"),
    [
        ({}, "exactly one of tell, never_tell, read_back"),
        ({"tell": "a", "never_tell": "b"}, "exactly one of tell, never_tell, read_back"),
        ({"tell": "a", "holds": "b"}, "'holds' is an argument of the tool in 'before'"),
        ({"never_tell": "a", "before": "b", "holds": "c"}, "'holds' is an argument of the tool in 'before'"),
    ],
)
def test_a_duty_that_says_two_things_is_refused(duty: dict[str, str], mistake: str) -> None:
    with pytest.raises(ValueError, match=mistake):
        Duty.model_validate(duty)
