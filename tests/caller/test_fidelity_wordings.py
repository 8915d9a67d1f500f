"""What a fair caller could say is no breach, and a breach is found in any wording: sets of both kinds, by pack.

The sentences of ``fidelity/`` were written before it was known how the rules fare on them, and the rules were then
mended by kind. Those of ``fidelity_unseen/`` were written last: no rule was widened on them, and some were made milder.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.caller.caller_trace import breaches_in_answer
from voicebench.packs import list_packs, load_pack

pytestmark = pytest.mark.unit

PACKS = {name: load_pack(name) for name in list_packs()}
LEAST = {"fidelity": 60, "fidelity_unseen": 30}


def turns(folder: str, pack: str) -> list[dict[str, Any]]:
    path = Path(__file__).with_name(folder) / f"{pack}.yaml"
    loaded: list[dict[str, Any]] = yaml.safe_load(path.read_text())
    return loaded


def counted(folder: str, pack: str) -> Counter[str]:
    """Count fair sentences, those of them that are void, breaches, and those of them that are found and named."""
    count: Counter[str] = Counter()
    for turn in turns(folder, pack):

        def rules(said: str, turn: dict[str, Any] = turn) -> list[str]:
            return [one.rule for one in breaches_in_answer(PACKS[pack], turn["task"], turn["heard"], said)]

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
