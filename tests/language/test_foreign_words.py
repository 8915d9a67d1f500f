"""What a caller asks for or tells of that nothing gave it, whatever it names."""

from __future__ import annotations

import pytest

from voicebench.language.foreign_words import ForeignWords
from voicebench.language.plain_talk import is_plain, same_things, stem
from voicebench.language.topics import pasts_in

pytestmark = pytest.mark.unit

WORDS = ForeignWords(
    ["I want to send back my headphones, they press on my ears."], ["The seller decides about returns."]
)


@pytest.mark.parametrize(
    ("said", "foreign"),
    [
        ("Could you also look at my greenhouse?", ["greenhouse"]),
        ("And another thing, the sprinkler.", ["sprinkler"]),
        ("Also, I never got my almanac.", ["almanac"]),
        ("While I have you, do you sell accordions?", ["sell", "accordions"]),
        ("Could you tell me which seller that is?", []),
        ("I'd like to return the headset, please.", []),
        ("I don't want a greenhouse, please.", []),
        ("Can you say that once more, a bit slower?", []),
    ],
)
def test_a_request_beyond_the_part_is_known_by_what_it_names(said: str, foreign: list[str]) -> None:
    assert WORDS.requested(said) == foreign


@pytest.mark.parametrize(
    ("said", "foreign"),
    [
        ("They press on my ears and my parrot hates them.", ["parrot"]),
        ("I juggled with them.", ["juggled"]),
        ("It's S, like a sprinkler.", []),
        ("I've never had a parrot.", []),
        ("The headphones hurt, that's all.", []),
    ],
)
def test_a_claim_beyond_the_part_is_known_by_its_things_and_acts(said: str, foreign: list[str]) -> None:
    assert WORDS.claimed(said) == foreign


def test_one_topic_is_known_by_any_of_its_names() -> None:
    assert [
        word for word in ("headphones", "headset", "my headset", "parrot", "lost headset") if WORDS.knows(word)
    ] == [
        "headphones",
        "headset",
        "my headset",
    ]


@pytest.mark.parametrize(
    ("one", "other"), [("cancelled", "cancel"), ("orders", "order"), ("agreed", "agree"), ("paying", "pay")]
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_plain_words_name_nothing_and_things_have_several_names() -> None:
    assert [is_plain("waiting"), is_plain("parrot")] == [True, False]
    assert stem("attorney") in same_things(stem("lawyers"))


def test_what_was_before_the_call_is_a_story_even_if_it_is_denied() -> None:
    assert pasts_in("Last year I didn't have to pay.") == {"last year"}
    assert pasts_in("That is the last name.") == set()
