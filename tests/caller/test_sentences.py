"""Sentences of callers, fair ones and others, against the rules of fidelity."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from voicebench.caller.fidelity import Rule, breaches
from voicebench.packs import Pack, load_pack
from voicebench.store import Tracer

pytestmark = pytest.mark.unit

SENTENCES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text())
FAIR = [entry for entry in SENTENCES if "breach" not in entry]
BREACHES = [entry for entry in SENTENCES if "breach" in entry]


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("customer_support")


class Told:
    """The trace of a call over text, turn by turn."""

    def __init__(self, greeting: str, opening: str) -> None:
        self._tracer = Tracer(1, lambda: 0)
        self._at_ns = 0
        self.turn(greeting, opening, "opening")

    def turn(self, heard: str, said: str | None, rule: str = "model") -> None:
        self._at_ns += 1_000_000_000
        spoken: dict[str, Any] = {"intended": heard, "spoken": heard, "turn": self._at_ns, "interrupted": False}
        self._tracer.span("agent.speech", self._at_ns, self._at_ns, **spoken)
        if said is None:
            self._tracer.event("caller.waits", self._at_ns, heard=heard)
        if said is not None:
            words: dict[str, Any] = {
                "intended": said,
                "spoken": said,
                "rule": rule,
                "answers": heard,
                "interrupts": False,
            }
            self._tracer.span("caller.speech", self._at_ns, self._at_ns, **words)

    def lines(self) -> list[dict[str, Any]]:
        """The trace of the call, which went on for 20 s after the last words."""
        self._tracer.span("call", 0, self._at_ns + 20_000_000_000)
        return self._tracer.lines()


def broken(pack: Pack, entry: dict[str, Any]) -> list[str]:
    script = pack.cases[entry["task"]].caller
    told = Told(pack.spec.greeting, script.opening)
    for heard, said in entry.get("before", ()):
        told.turn(heard, said)
    gave_up = entry["said"] == script.give_up
    end_reason = "agent_silent"
    rule = "model"
    if entry.get("hangs_up"):
        end_reason, rule = ("caller_gave_up", "give_up") if gave_up else ("caller_hung_up", "closing")
    told.turn(entry["heard"], entry["said"], rule)
    return [breach.rule for breach in breaches(script, pack.spec, told.lines(), end_reason=end_reason)]


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
    assert min(count[rule] for rule in get_args(Rule) if rule != "opening") >= 2
