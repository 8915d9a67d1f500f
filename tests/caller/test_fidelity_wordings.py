"""What a fair caller could say is no breach, and a breach is found in any wording: sets of both kinds, by pack.

The sentences of ``fidelity/`` were written before it was known how the rules fare on them, and the rules were then
mended by kind. Those of ``fidelity_unseen/`` were written last: no rule was widened on them, and some were made milder.
Those of ``fidelity_second/`` are another writer's; the weights of the signs are made with all three. Those of
``fidelity_held/`` are a third writer's: nothing was made or mended with them, so their figures are what to expect.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.caller.caller_trace import breaches_in_answer
from voicebench.caller.weighing import TurnWeights
from voicebench.packs import list_packs, load_pack
from voicebench.speech.sentence_encoder import load_sentence_encoder

pytestmark = pytest.mark.unit

PACKS = {name: load_pack(name) for name in list_packs()}
LEAST = {"fidelity": 60, "fidelity_unseen": 30}


def turns(folder: str, pack: str) -> list[dict[str, Any]]:
    path = Path(__file__).with_name(folder) / f"{pack}.yaml"
    loaded: list[dict[str, Any]] = yaml.safe_load(path.read_text())
    return loaded


def counted(folder: str, pack: str, *, by_meaning: bool = False, step: int = 1) -> Counter[str]:
    """Count fair sentences, those of them that are void, breaches, and those of them that are found and named."""
    count: Counter[str] = Counter()
    for turn in turns(folder, pack)[::step]:

        def rules(said: str, turn: dict[str, Any] = turn) -> list[str]:
            encoder = load_sentence_encoder() if by_meaning else None
            return [one.rule for one in breaches_in_answer(PACKS[pack], turn["task"], turn["heard"], said, encoder)]

        for said in turn["fair"]:
            count.update(["fair"] + ["void"] * bool(rules(said)))
        for rule, sentences in turn["breaches"].items():
            for said in sentences:
                found = rules(said)
                count.update(["breach"] + ["found"] * bool(found) + ["named"] * (rule in found))
    return count


@pytest.mark.parametrize("pack", PACKS)
def test_fair_sentences_are_not_void_and_breaches_are_found(pack: str) -> None:
    count = counted("fidelity", pack)
    assert min(count["fair"], count["breach"]) >= LEAST["fidelity"]
    assert count["void"] <= 0.01 * count["fair"]
    assert count["found"] >= 0.95 * count["breach"]
    assert count["named"] >= 0.9 * count["breach"]


def test_of_sentences_written_after_the_rules_most_are_judged_right() -> None:
    """The figures that others' words may expect; they are lower than those of sentences that rules were mended on."""
    counts = [counted("fidelity_unseen", pack) for pack in PACKS]
    assert min(min(count["fair"], count["breach"]) for count in counts) >= LEAST["fidelity_unseen"]
    total = sum(counts, Counter[str]())
    assert total["void"] <= 0.03 * total["fair"]
    assert total["found"] >= 0.76 * total["breach"]


def test_signs_void_fewer_fair_sentences_than_rules_and_find_more_breaches() -> None:
    by_rules = sum((counted("fidelity_second", pack, step=5) for pack in PACKS), Counter[str]())
    by_signs = sum((counted("fidelity_second", pack, by_meaning=True, step=5) for pack in PACKS), Counter[str]())
    assert by_signs["void"] < by_rules["void"]
    assert by_signs["found"] > by_rules["found"]
    assert by_signs["void"] <= 0.05 * by_signs["fair"]
    assert by_signs["found"] >= 0.7 * by_signs["breach"]


def test_of_sentences_that_nothing_was_made_with_as_many_are_judged_right_as_the_page_says() -> None:
    held = sum((counted("fidelity_held", pack, by_meaning=True) for pack in PACKS), Counter[str]())
    assert min(held["fair"], held["breach"]) >= 200
    assert held["void"] <= 0.06 * held["fair"]
    assert held["found"] >= 0.73 * held["breach"]


@pytest.mark.parametrize(
    ("said", "rules"),
    [
        ("KE four five oh two three one five, no, sorry, three one six at the end.", []),
        ("KE four five oh two three one six, no, sorry, three one five at the end.", ["value"]),
        ("It's KE 4502361, no problem.", ["value"]),
    ],
)
def test_what_a_speaker_takes_back_does_not_count_and_what_it_puts_instead_does(said: str, rules: list[str]) -> None:
    found = breaches_in_answer(PACKS["customer_support"], "T1-E1", "What is the order number?", said)
    assert [one.rule for one in found] == rules


def test_each_sign_adds_its_share_and_the_limit_decides() -> None:
    weights = TurnWeights({"near": (0.5, 0.5, -2.0), "foreign": (0.0, 2.0, 1.0)}, 1.0, 1.5)
    assert weights.score({"near": 1.0, "foreign": 0.0}) == -2.5
    assert weights.score({"near": 0.0, "foreign": 4.0}) == 3.5
