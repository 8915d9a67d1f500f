"""The first cause is found in every call into which one was put, and without it the call passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.causes.calls import healthy, hold
from tests.causes.injections import OVER_TEXT, Expected
from tests.causes.more_injections import MORE
from tests.causes.other_packs import IN_OTHER_PACKS
from tests.causes.over_audio import IN_CI, OVER_AUDIO

LATER = {name: expected for name, expected in OVER_AUDIO.items() if name not in IN_CI}


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
    assert len(OVER_TEXT) + len(OVER_AUDIO) >= 40
    assert len(IN_CI) == 10
    assert {expected.cause for expected in OVER_AUDIO.values()} == {"caller", "line", "asr", "model", "harness", "task"}


@pytest.mark.unit
@pytest.mark.parametrize("name", OVER_TEXT)
def test_the_cause_of_a_call_over_text(name: str, tmp_path: Path) -> None:
    check(OVER_TEXT[name], tmp_path)


@pytest.mark.unit
@pytest.mark.parametrize("name", IN_OTHER_PACKS)
def test_the_cause_of_a_call_of_another_pack(name: str, tmp_path: Path) -> None:
    check(IN_OTHER_PACKS[name], tmp_path)


@pytest.mark.unit
@pytest.mark.parametrize("name", MORE)
def test_the_cause_of_a_call_with_two_faults_or_none_of_the_usual(name: str, tmp_path: Path) -> None:
    check(MORE[name], tmp_path)


@pytest.mark.audio
@pytest.mark.parametrize("name", IN_CI)
def test_the_cause_of_a_call_over_the_telephone(name: str, tmp_path: Path) -> None:
    check(OVER_AUDIO[name], tmp_path)


@pytest.mark.audio
@pytest.mark.long
@pytest.mark.parametrize("name", LATER)
def test_the_cause_of_another_call_over_the_telephone(name: str, tmp_path: Path) -> None:
    check(OVER_AUDIO[name], tmp_path)
