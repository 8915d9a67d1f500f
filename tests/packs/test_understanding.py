"""What a pack says of generic labels, its own nouns and example sentences, and how that is checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from voicebench.language.intents import Intents
from voicebench.language.slots import IntentsSpec
from voicebench.packs import load_pack
from voicebench.packs.crossrefs import check_understanding

pytestmark = pytest.mark.unit

SHIPPED = ("customer_support", "healthcare", "legal")
GENERAL = (
    "full_name",
    "order_number",
    "account_or_member_number",
    "phone",
    "postal_code",
    "email",
    "address",
    "card_last4",
    "birth_date",
    "day_or_time",
    "reason",
    "what_happened",
    "which_item",
    "other",
    "not_found",
    "proceed",
    "anything_else",
    "what_help",
    "offers_person",
    "transfers_now",
    "offers_callback",
    "still_there",
)
ACCOUNT = {"asked": {"account": ["account number"], "code": ["code"]}, "heard": {"passed_on": []}}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_pack_has_an_intent_for_all_that_callers_are_generally_asked(name: str) -> None:
    labels: dict[str, Any] = load_pack(name).spec.intents.labels  # type: ignore[assignment]
    assert set(GENERAL) - set(labels) == set()


@pytest.mark.parametrize(
    ("intents", "problem"),
    [
        (
            {"labels": {"phone": "acount"}},
            "intents.labels.phone: no intent of 'asked' 'acount'; did you mean 'account'?",
        ),
        ({"labels": {"hold": "passed_on"}}, "intents.labels.hold: no intent of 'asked' 'passed_on'"),
        ({"details": {"acount": ["meter"]}}, "intents.details: no intent of 'asked' 'acount'; did you mean 'account'?"),
        ({"details": {"code": ["(pin"]}}, "intents.details.code: '(pin' is no regular expression"),
        ({"details": {"code": ["PIN"]}}, "intents.details.code: 'PIN' holds capitals"),
        ({"instead": {"code": "acount"}}, "intents.instead.code: no intent of 'asked' 'acount'"),
        ({"unless": {"passed": "desk"}}, "intents.unless: no intent of 'heard' 'passed'"),
        ({"questions": {"passed": "code"}}, "intents.questions: no intent of 'heard' 'passed'"),
        ({"questions": {"passed_on": "cod"}}, "intents.questions.passed_on: no intent of 'asked' 'cod'"),
        ({"examples": {"code": ["What is it?"] * 5}}, "intents.examples.code: write at least 6 sentences"),
        (
            {"examples": {"code": list("abcdef"), "account": list("Aghijk")}},
            "intents.examples.account: 'A' stands with 'code' as well",
        ),
        (
            {"labels": {"proceed": "code"}, "examples": {"code": list("abcdef")}},
            "intents.examples.code: a caller agrees to nothing by examples; 'proceed' is understood without",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(intents: dict[str, object], problem: str) -> None:
    found = list(check_understanding(IntentsSpec.model_validate(ACCOUNT | intents)))
    assert found
    assert found[0].startswith(problem)


def test_a_transfer_may_be_an_intent_that_callers_wait_for() -> None:
    intents = IntentsSpec.model_validate(ACCOUNT | {"labels": {"transfers_now": "passed_on"}})
    assert list(check_understanding(intents)) == []


def test_who_has_no_answer_to_one_intent_may_answer_another_instead() -> None:
    intents = Intents(IntentsSpec.model_validate(ACCOUNT | {"instead": {"code": "account"}}))
    assert [question.intents for question in intents.asked("What is the code?")] == [("code", "account")]
    assert intents.matching("asked", "What is the code?") == ["code"]


def test_a_question_that_is_heard_is_heard_whenever_it_is_asked() -> None:
    pack = load_pack(Path("tasks/legal"))
    intents = Intents(pack.spec.intents)
    question = "Would you rather talk by phone or come to the office?"
    assert "which_mode" in intents.matching("asked", question)
    assert "asks_which_mode" in intents.matching("heard", question)
    assert not intents.match("heard", "asks_which_mode", "I have noted that.")


def test_a_question_of_the_packs_own_asks_for_no_consent_whatever_its_form() -> None:
    intents = Intents(load_pack("healthcare").spec.intents)
    assert intents.matching("asked", "Which office would you like to go to?") == ["which_office"]
    asked = intents.matching("asked", "Which office would you like to go to? And shall I book it?")
    assert asked == ["proceed", "which_office"]


def test_a_desk_of_the_company_is_no_other_person() -> None:
    intents = Intents(load_pack("legal").spec.intents)
    assert intents.match("heard", "person_takes_over", "I'm transferring you to a colleague now.")
    assert not intents.match("heard", "person_takes_over", "I'm transferring you to our intake team now.")
