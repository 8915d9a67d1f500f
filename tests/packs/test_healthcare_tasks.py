"""The tasks of the Marlow Ridge Clinic: what their sentences set off, and what their callers may say."""

from __future__ import annotations

import re

import pytest

from voicebench.language.extract import extract
from voicebench.language.intents import Intents
from voicebench.packs.loader import Pack, load_pack
from voicebench.packs.models import Step
from voicebench.packs.templates import fill
from voicebench.task_checks.sandbox import TaskSandbox

pytestmark = pytest.mark.unit

TASKS = list(load_pack("healthcare").cases)


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("healthcare")


@pytest.fixture(scope="module")
def intents(pack: Pack) -> Intents:
    return Intents(pack.spec.intents)


def sentences(pack: Pack, task: str) -> list[str]:
    """Return what a task's solution says, its references filled."""
    sandbox = TaskSandbox(pack, pack.cases[task], pack.snapshot())
    results = sandbox.solution.results

    def say(step: Step) -> str:
        return fill(step.say or "", sandbox.facts, results)

    return [say(step) for step in sandbox.case.solution if step.say]


@pytest.mark.parametrize("task", TASKS)
def test_the_last_sentence_is_the_cue_to_hang_up_and_no_earlier_one_is(pack: Pack, intents: Intents, task: str) -> None:
    *earlier, last = sentences(pack, task)
    end = pack.cases[task].caller.hangs_up
    assert intents.match("heard", end.heard, last)
    if not end.needs:
        assert [text for text in earlier if intents.match("heard", end.heard, text)] == []


@pytest.mark.parametrize("task", TASKS)
def test_what_is_marked_as_told_is_told(pack: Pack, task: str) -> None:
    said = " ".join(sentences(pack, task)).casefold()
    words = {
        "told_911": "nine one one",
        "notice_told": "privacy notice",
        "wait_told": "up to five working days",
        "terms_told": "three days",
        "hold_told": "thirty days",
        "effect_told": "in writing",
        "form_explained": "release form",
    }
    used = {name for step in pack.cases[task].solution for name in step.with_}
    assert [name for name in words if name in used and words[name] not in said] == []


@pytest.mark.parametrize("task", TASKS)
def test_a_caller_says_each_digit_once_and_by_itself(pack: Pack, task: str) -> None:
    for name, fact in pack.cases[task].caller.facts.items():
        spec = pack.spec.facts[name]
        digits = re.sub(r"\D", "", fact.value.replace("555", "5"))
        assert spec.type in ("date", "name", "number") or not re.search(r"(\d)\1", digits), (name, fact.value)
        for form in fact.forms:
            assert extract(spec, form, today=pack.today), (name, form)
            assert not re.search(r"\b(double|oh)\b", form)


def test_a_caller_who_speaks_for_another_has_two_names(pack: Pack) -> None:
    for case in pack.cases.values():
        spoken_for = any(step.call == "check_representative" for step in case.solution)
        assert ("patient_name" in case.caller.facts) == spoken_for == ("caller_name" in case.caller.facts), case.id
