"""Sentences of callers, fair ones and others, against the rules of fidelity."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from tests.caller.caller_trace import CallerTrace
from voicebench.caller.fidelity import FidelityRule, breaches
from voicebench.packs import Pack, load_pack

pytestmark = pytest.mark.unit

SENTENCES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text())
FAIR = [entry for entry in SENTENCES if "breach" not in entry]
BREACHES = [entry for entry in SENTENCES if "breach" in entry]


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("customer_support")


def broken(pack: Pack, entry: dict[str, Any]) -> list[str]:
    script = pack.cases[entry["task"]].caller
    trace = CallerTrace(pack.spec.greeting, script.opening)
    for heard, said in entry.get("before", ()):
        trace.turn(heard, said)
    gave_up = entry["said"] == script.give_up
    end_reason = "agent_silent"
    rule = "model"
    if entry.get("hangs_up"):
        end_reason, rule = ("caller_gave_up", "give_up") if gave_up else ("caller_hung_up", "closing")
    trace.turn(entry["heard"], entry["said"], rule)
    return [breach.rule for breach in breaches(script, pack.spec, trace.records(), end_reason=end_reason)]


@pytest.mark.parametrize("entry", FAIR, ids=lambda entry: str(entry["said"])[:50])
def test_a_fair_sentence_trips_no_check(pack: Pack, entry: dict[str, Any]) -> None:
    assert broken(pack, entry) == []


@pytest.mark.parametrize(
    "entry",
    BREACHES,
    ids=lambda entry: f"{entry['breach']}-{entry['said']}"[:60],
)
def test_a_breach_is_found_and_named(pack: Pack, entry: dict[str, Any]) -> None:
    named = entry["breach"] if isinstance(entry["breach"], list) else [entry["breach"]]
    assert set(named) <= set(broken(pack, entry))


def test_there_are_enough_of_both_kinds_and_some_for_each_rule() -> None:
    count = Counter(entry["breach"] for entry in BREACHES if isinstance(entry["breach"], str))
    assert len(FAIR) >= 45
    assert len(BREACHES) >= 35
    assert min(count[rule] for rule in get_args(FidelityRule) if rule != "opening") >= 2
