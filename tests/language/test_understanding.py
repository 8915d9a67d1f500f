from __future__ import annotations

import datetime as dt

import pytest

from voicebench.language.slots import FactSpec
from voicebench.language.understanding import hear_facts, readable

pytestmark = pytest.mark.unit

POSTAL = FactSpec(type="id", question="?", format=r"\d{5}")
CARD = FactSpec(type="id", question="?", format=r"\d{4}")
DAY = FactSpec(type="date", question="?")


def test_facts_said_together_are_judged_each_on_its_own_digits() -> None:
    heard = hear_facts({"postal": POSTAL, "card": CARD}, {"postal": "94110", "card": "2208"}, "94110 2209")
    assert (heard["postal"].value, heard["postal"].right) == ("94110", True)
    assert (heard["card"].value, heard["card"].right) == ("2209", False)
    assert heard["card"].rule == "id: 2209 ≠ 2208"


def test_where_nothing_of_the_kind_is_heard_nothing_is_understood() -> None:
    lost = hear_facts({"card": CARD}, {"card": "2208"}, "and the car")["card"]
    assert (lost.value, lost.right, lost.rule) == (None, False, "id: nothing found")


def test_a_day_without_its_year_is_placed() -> None:
    heard = hear_facts({"day": DAY}, {"day": "2026-08-07"}, "Friday, August 7th", today=dt.date(2026, 7, 31))
    assert (heard["day"].value, heard["day"].right) == ("2026-08-07", True)


def test_free_words_and_unnamed_choices_cannot_be_read_from_speech() -> None:
    kinds = [FactSpec(type="prose", question="?"), FactSpec(type="enum", question="?"), POSTAL]
    assert [readable(kind) for kind in kinds] == [False, False, True]
    assert readable(FactSpec(type="enum", question="?", choices=["mail"]))
