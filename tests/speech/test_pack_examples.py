"""The example sentences of the shipped packs: they name each other, and no question about something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from voicebench.language.intents import Intents
from voicebench.language.nearest import NearestExamples
from voicebench.language.slots import IntentsSpec
from voicebench.packs import load_pack
from voicebench.speech.sentence_encoder import MiniLmEncoder, load_sentence_encoder

pytestmark = pytest.mark.audio

PACKS = ("customer_support", "healthcare", "legal")
OTHERS = [line for line in (Path(__file__).parent / "other_questions.txt").read_text().splitlines() if line]


@pytest.fixture(scope="module")
def encoder() -> MiniLmEncoder:
    return load_sentence_encoder()


def left_out(examples: dict[str, list[str]], encoder: MiniLmEncoder) -> list[tuple[str, str, str | None]]:
    """Return of each sentence its intent, itself, and what it is taken for when it is no example."""
    found = []
    for name, sentences in examples.items():
        for sentence in sentences:
            others = {**examples, name: [one for one in sentences if one != sentence]}
            found.append((name, sentence, NearestExamples(others, encoder).nearest(sentence)))
    return found


@pytest.mark.parametrize("pack", PACKS)
def test_a_sentence_that_is_no_example_is_named_by_the_others(pack: str, encoder: MiniLmEncoder) -> None:
    found = left_out(load_pack(pack).spec.intents.examples, encoder)
    right = sum(taken == name for name, _, taken in found)
    wrong = [one for one in found if one[2] not in (None, one[0])]
    assert right / len(found) > 0.6, f"{right} of {len(found)}"
    assert len(wrong) / len(found) < 0.08, wrong


@pytest.mark.parametrize("pack", PACKS)
def test_questions_about_other_things_are_not_the_packs_own(pack: str, encoder: MiniLmEncoder) -> None:
    nearest = NearestExamples(load_pack(pack).spec.intents.examples, encoder)
    taken = {sentence: name for sentence in OTHERS if (name := nearest.nearest(sentence)) is not None}
    assert len(taken) / len(OTHERS) < 0.06, taken


def test_what_no_expression_knows_is_asked_by_its_nearest_example(encoder: MiniLmEncoder) -> None:
    spec = load_pack("healthcare").spec.intents
    sentence = "Does your skin react to the fluid that they inject for a scan?"
    assert Intents(spec).matching("asked", sentence) == []
    assert Intents(spec, encoder).matching("asked", sentence) == ["dye"]


def test_a_statement_is_compared_with_nothing(encoder: MiniLmEncoder) -> None:
    spec = IntentsSpec(asked={"why": []}, examples={"why": ["You weren't able to show up."] * 6})
    assert Intents(spec, encoder).asked("You weren't able to show up.") == []
    assert Intents(spec, encoder).asked("Tell me: you weren't able to show up.") != []


def test_two_intents_that_are_as_near_are_told_apart_by_nothing(encoder: MiniLmEncoder) -> None:
    examples = {"one": ["Where does it hurt?"], "other": ["Where does it hurt?"]}
    assert NearestExamples(examples, encoder).nearest("Where does it hurt you?") is None
