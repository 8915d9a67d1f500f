"""The first cause is found in every call into which one was put, and without it the call passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.causes.calls import Injection, healthy, hold
from tests.causes.injections import OVER_TEXT, Expected
from tests.causes.more_injections import MORE
from tests.causes.other_packs import IN_OTHER_PACKS
from tests.causes.over_audio import CHEAP, IN_CI, OVER_AUDIO, RARER_AUDIO
from tests.causes.rarer_injections import NEVER_LOOKS, RARER, speechless_after
from voicebench.caller import CallerDecision, ScriptedCaller

ALL_OVER_TEXT = {**OVER_TEXT, **IN_OTHER_PACKS, **MORE, **RARER}
SOON = {**IN_CI, **CHEAP}
LATER = {name: expected for name, expected in {**OVER_AUDIO, **RARER_AUDIO}.items() if name not in SOON}


def check(expected: Expected, folder: Path) -> None:
    held = hold(expected.injection, folder)
    found = held.call["attribution"]
    assert held.call["verdict"] in ("failed", "void", "error")
    assert (found["cause"], found["sentence"]) == (expected.cause, found["sentence"])
    assert expected.words in found["sentence"]
    spans = {line["span_id"] for line in held.trace if line["type"] == "span"}
    assert found["evidence"]
    assert spans.issuperset(found["evidence"])
    without = healthy(expected.injection.without())
    assert (without.call["verdict"], without.call["attribution"]) == ("passed", None)


@pytest.mark.unit
def test_there_are_enough_of_them() -> None:
    assert len(ALL_OVER_TEXT) == len(OVER_TEXT) + len(IN_OTHER_PACKS) + len(MORE) + len(RARER)
    assert len(OVER_TEXT) + len(OVER_AUDIO) >= 40
    assert len(MORE) + len(RARER) + len(RARER_AUDIO) >= 24
    assert len(IN_CI) == 10
    assert {expected.cause for expected in OVER_AUDIO.values()} == {"caller", "line", "asr", "model", "harness", "task"}


@pytest.mark.unit
@pytest.mark.parametrize("name", ALL_OVER_TEXT)
def test_the_cause_of_a_call_over_text(name: str, tmp_path: Path) -> None:
    check(ALL_OVER_TEXT[name], tmp_path)


@pytest.mark.unit
def test_what_is_true_is_not_called_untrue() -> None:
    held = hold(RARER[NEVER_LOOKS].injection, Path())
    assert held.call["gates"]["database"]["passed"]
    assert held.call["end_reason"] == "caller_hung_up"
    assert "before it was true" not in held.call["attribution"]["sentence"]


class Hesitates(ScriptedCaller):
    """Makes nothing of the greeting."""

    async def begin(self, greeting: str) -> CallerDecision:
        return CallerDecision("wait") if greeting else await super().begin(greeting)


@pytest.mark.unit
def test_a_caller_that_made_nothing_of_the_greeting_opens_after_a_silence() -> None:
    held = hold(Injection(caller=Hesitates), Path())
    first = held.attributes("caller.speech")[0]
    assert first["rule"] == "opening"
    assert held.lines("caller.speech")[0]["start_ns"] == 10_000_000_000
    assert held.outcome == ("passed", "caller_hung_up")


@pytest.mark.unit
def test_the_cause_of_silence_is_the_first_request_that_brought_nothing() -> None:
    held = hold(Injection(model=speechless_after(1)), Path())
    asked = held.lines("llm")
    empty = [line for line in asked if line["attributes"]["gen_ai.usage.output_tokens"] in (None, 0)]
    assert [turn["intended"] for turn in held.call["transcript"]][-1] == "Hello?"
    assert len(asked) > asked.index(empty[0]) + 1
    assert empty[0]["span_id"] in held.call["attribution"]["evidence"]
    assert asked[-1]["span_id"] not in held.call["attribution"]["evidence"]


@pytest.mark.audio
@pytest.mark.parametrize("name", SOON)
def test_the_cause_of_a_call_over_the_telephone(name: str, tmp_path: Path) -> None:
    check(SOON[name], tmp_path)


@pytest.mark.audio
@pytest.mark.long
@pytest.mark.parametrize("name", LATER)
def test_the_cause_of_another_call_over_the_telephone(name: str, tmp_path: Path) -> None:
    check(LATER[name], tmp_path)
