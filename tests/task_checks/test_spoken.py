"""What is known of the spoken forms: kept beside the pack, and read by the check."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from voicebench.errors import ConfigError
from voicebench.packs import Pack, find_tasks, load_pack
from voicebench.task_checks import check_tasks
from voicebench.task_checks.spoken import SpokenForm, SpokenForms, caller_voices, check_spoken, each_spoken_form
from voicebench.task_checks.spoken_forms import say_all

pytestmark = pytest.mark.unit


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    shutil.copytree(Path(__file__).parent / "broken_pack", tmp_path / "library")
    return load_pack(tmp_path / "library")


def forms_heard(pack: Pack, task: str, **heard: str) -> SpokenForms:
    """All spoken forms of a task in one voice, heard as they were said but for those of some facts."""
    forms = SpokenForms(pack)
    for spoken in each_spoken_form(pack, pack.cases[task], ["heart"]):
        forms.add(spoken, heard.get(spoken.fact, spoken.form))
    return forms


def test_there_is_a_spoken_form_for_each_form_of_each_fact_in_each_voice_of_a_caller(pack: Pack) -> None:
    assert caller_voices() == ["heart", "heart-low", "joe-high", "joe-slow"]
    said = list(each_spoken_form(pack, pack.cases["F1-E1"], caller_voices()))
    assert len({one.key for one in said}) == len(said) == 2 * 3 * 4


def test_an_entry_stops_counting_when_what_it_depends_on_changes(pack: Pack) -> None:
    spoken = next(each_spoken_form(pack, pack.cases["F1-E1"], ["heart"]))
    forms = forms_heard(pack, "F1-E1")
    assert forms.of(spoken) == "L N, four four seven one"
    assert forms.of(replace(spoken, form="LN 4471, please")) is None
    assert forms.of(replace(spoken, voice="joe-high")) is None
    assert forms.of(replace(spoken, value="LN-4472")) is None
    assert forms.of(replace(spoken, spec=pack.spec.facts["pin"])) is None


def test_a_fact_that_is_lost_twice_is_a_finding_and_one_heard_the_second_time_is_not(pack: Pack) -> None:
    case = pack.cases["F1-E1"]
    findings, untried = check_spoken(pack, case, forms_heard(pack, "F1-E1", pin="4 0 7 1"), ["heart"])
    assert untried == 0
    assert [str(finding) for finding in findings] == [
        "audio: pin is lost on heart over pstn: 'four zero seven one seven' is heard as '4 0 7 1'; "
        "'40717' is heard as '4 0 7 1'"
    ]
    forms = forms_heard(pack, "F1-E1")
    first = next(one for one in each_spoken_form(pack, case, ["heart"]) if one.fact == "pin")
    forms.add(first, "4 0 7 1")
    assert check_spoken(pack, case, forms, ["heart"]) == ([], 0)


def test_a_name_that_no_call_needs_may_be_lost(pack: Pack) -> None:
    signs, case = pack.cases["F6-E1"], pack.cases["F6-E1"].model_copy(update={"solution": []})
    forms = forms_heard(pack, "F6-E1", full_name="I'd have brand.")
    assert [finding.what[:19] for finding in check_spoken(pack, signs, forms, ["heart"])[0]] == ["full_name is lost o"]
    assert check_spoken(pack, case, forms, ["heart"])[0] == []


def test_what_was_heard_is_kept_beside_the_pack_and_does_not_change_it(pack: Pack) -> None:
    forms = forms_heard(pack, "F1-E1", pin="4 0 7 1")
    forms.save()
    assert forms.path == pack.root.parent / "library.spoken.json"
    again = load_pack(pack.root)
    assert again.hash == pack.hash
    assert SpokenForms(again).heard == forms.heard
    [report] = check_tasks(find_tasks(["F1-E1"], [again]), [again])
    assert [finding.proof for finding in report.tasks[0].findings] == ["audio"]
    assert report.unsaid == 2 * 3 * 3


def test_a_file_that_is_no_json_is_named(pack: Pack) -> None:
    (pack.root.parent / "library.spoken.json").write_text("{")
    with pytest.raises(ConfigError, match=r"library\.spoken\.json: cannot be read"):
        SpokenForms(pack)


def test_only_what_was_not_said_yet_is_said(pack: Pack) -> None:
    said: list[SpokenForm] = []

    def say(spoken: SpokenForm) -> str:
        said.append(spoken)
        return spoken.form

    told: list[str] = []
    for _ in range(2):
        say_all(find_tasks(["F1-E1"], [pack]), told.append, say)
    assert len(said) == 24
    assert told == ["broken_library/F1-E1: 24 spoken forms", "broken_library/F1-E1: 0 spoken forms"]
    [report] = check_tasks(find_tasks(["F1-E1"], [pack]), [pack])
    assert (report.fair, report.unsaid) == (True, 0)
