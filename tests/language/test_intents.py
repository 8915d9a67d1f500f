"""Intents over what was said."""

from __future__ import annotations

import pytest

from voicebench.errors import ConfigError
from voicebench.language.intents import Intents
from voicebench.language.slots import IntentsSpec

pytestmark = pytest.mark.unit

INTENTS = Intents(
    IntentsSpec(
        asked={"postal_code": [r"\b(zip|postal code)\b"], "phone": [r"phone number", r"\bcall you back\b"]},
        heard={"fee": [r"\b35 dollars\b"], "booked": [r"booked .*\baugust 3\b"]},
    )
)


def test_an_intent_is_searched_in_the_plain_form() -> None:
    assert INTENTS.match("heard", "fee", "That would be thirty-five dollars.")
    assert INTENTS.match("heard", "fee", "It's $35.00, okay?")
    assert not INTENTS.match("heard", "fee", "That would be three hundred thirty-five dollars.")
    assert INTENTS.match("heard", "booked", "You are booked for Monday, August third.")


def test_all_intents_of_a_turn_are_named_in_the_pack_s_order() -> None:
    turn = "Your phone number and your ZIP, please?"
    assert INTENTS.matching("asked", turn) == ["postal_code", "phone"]
    assert INTENTS.matching("said", turn) == []


def test_an_intent_that_the_pack_lacks_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        INTENTS.match("said", "fee", "")


def test_an_expression_that_does_not_compile_names_its_intent() -> None:
    with pytest.raises(ConfigError, match=r"intents\.said\.broken"):
        Intents(IntentsSpec(said={"broken": ["("]}))
