"""Who speaks the callers of the packs."""

from __future__ import annotations

from collections import Counter

import pytest

from voicebench.packs import load_pack
from voicebench.task_checks.spoken import caller_voices

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("pack", ["healthcare", "legal"])
def test_three_voices_speak_ten_callers_or_more_each_over_all_categories(pack: str) -> None:
    cases = load_pack(pack).cases.values()
    voices = Counter(case.caller.voice for case in cases)
    assert len(voices) == 3
    assert min(voices.values()) >= 10
    assert set(voices) <= set(caller_voices())
    heard = {(case.category, case.caller.voice) for case in cases}
    assert len(heard) == 3 * len({case.category for case in cases})


def test_customer_support_leaves_its_callers_the_usual_voice() -> None:
    assert {case.caller.voice for case in load_pack("customer_support").cases.values()} == {None}
