"""The whole check, on tasks of which is known what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voicebench.cli import main
from voicebench.packs import Pack, find_tasks
from voicebench.task_checks import PackReport, check_tasks

pytestmark = pytest.mark.unit

FOLDER = Path(__file__).parent / "broken_pack"

PLANTED = {
    "B1-E1": [
        "solution: rows contradict it: loans: "
        "expected {'loan_id': 'LN-4471', 'due': '2026-08-07', 'fee': '2.5'}, left {'loan_id': 'LN-4471', "
        "'borrower': 'Ida Brandt', 'pin': '40717', 'due': '2026-08-06', 'fee': 2.5, 'note': None}"
    ],
    "B2-E1": [
        "baseline: random passes (draw 0, draw 1, draw 2, draw 3, draw 5, draw 7)",
        "baseline: refuse passes",
        "baseline: silent passes",
        "baseline: transfer_all passes (at once)",
    ],
    "B3-E1": ["facts: loan_number, form 2, 'LN 4481', is taken for LN4481"],
    "B4-E1": ["leak: find_loan answers with pin, 66135, before the caller was verified by it"],
    "B5-E1": ["mutant: passes: waive_fee is called once more, with {}"],
    "B6-E1": ["variation: fails: names in capitals: database (missing · slips · 1, extra · slips · 1)"],
    "B7-E1": [
        "solution: step 4, renew_loan, is refused: NOT_VERIFIED",
        "solution: does not pass: tools (renew_loan: was refused: NOT_VERIFIED)",
        "solution: rows contradict it: loans: "
        "expected {'loan_id': 'LN-4471', 'due': '2026-08-06', 'fee': '2.5'}, left {'loan_id': 'LN-4471'}",
        "solution: rows contradict it: requests: expected {'loan_id': 'LN-4471'}, left None",
    ],
    "B8-E1": [
        "solution: no agent can take the expected path: transfer_to_loans is not offered by loans",
        "solution: does not pass: handoffs (transfer_to_loans: never taken in its place)",
    ],
    "B9-E1": [
        "facts: pin cannot be said: no rule gives it, and no sentence of the caller holds it",
        "reference: the call ends with caller_gave_up after 5 turns; tools (renew_loan: never called); database "
        "(changed · loans · 1, missing · requests · 1); it last said: "
        '"I\'m sorry, I did not get all of that. What is the pin of your card?"',
    ],
    "BD-E1": [
        "demands: step 6 (renew_loan) gates; write `because:` with the sentence of loans's prompt that demands it"
    ],
    "BN-E1": ["duties: none is written; say what the agent must tell, or may not"],
    "BS-E1": ["duties: the reference does not keep 'tell renewed before renew_loan': told only after renew_loan"],
}


@pytest.fixture(scope="module")
def report(library: Pack) -> PackReport:
    [report] = check_tasks(find_tasks([], [library]), [library])
    return report


def test_the_findings_are_exactly_those_planted(report: PackReport) -> None:
    found = {task.task: [str(finding) for finding in task.findings] for task in report.tasks}
    assert found == {**PLANTED, **{task.replace("B", "F"): [] for task in PLANTED}}


def test_each_way_to_be_unfair_has_a_fair_twin(report: PackReport) -> None:
    assert [task.task for task in report.tasks if task.fair] == [task.replace("B", "F") for task in PLANTED]
    assert report.fair is False


def test_where_the_solution_does_not_hold_nothing_is_tried_that_follows_from_it(report: PackReport) -> None:
    untried = [task.task for task in report.tasks if task.mutants is None]
    assert untried == ["B1-E1", "B7-E1", "B8-E1"]
    assert [task.task for task in report.tasks if task.reference is None] == untried


def test_the_fair_twins_have_ten_mutants_on_average_and_all_are_caught(report: PackReport) -> None:
    made = [task.mutants or 0 for task in report.tasks if task.fair]
    assert sum(made) / len(made) >= 10
    assert {task.survivors for task in report.tasks if task.fair} == {0}
    assert report.findings == []


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main(["tasks", *arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code, capsys.readouterr().out


def as_json(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(text)
    return value


def test_json_counts_passes_of_the_five_baselines_and_mutants(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(capsys, "check", "--pack", str(FOLDER), "--task", "B2-E1", "--task", "B5-E1", "--json")
    result = as_json(text)
    assert code == 4
    assert result["baselines"] == {
        "broken_library": {"call_all": 0, "random": 6, "refuse": 1, "silent": 1, "transfer_all": 1}
    }
    assert result["mutants"]["made"] - result["mutants"]["caught"] == 1
    assert [(task["pack"], task["id"], task["fair"]) for task in result["tasks"]] == [
        ("broken_library", "B2-E1", False),
        ("broken_library", "B5-E1", False),
    ]
    assert result["tasks"][1]["findings"] == [
        {"proof": "mutant", "what": "passes: waive_fee is called once more, with {}"}
    ]


def test_a_fair_task_is_exit_0_and_says_what_is_not_proven(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(capsys, "check", "--pack", str(FOLDER), "--task", "F1-E1")
    assert code == 0
    assert "1 of 1 tasks are fair" in text
    assert "not proven: that any language model can pass; " in text


def test_the_table_says_of_each_task_what_holds(capsys: pytest.CaptureFixture[str]) -> None:
    _, text = run(capsys, "check", "--pack", str(FOLDER), "--task", "B2-E1", "--task", "B7-E1")
    rows = [line.split() for line in text.splitlines() if line.lstrip().startswith(("B2-E1 ", "B7-E1 "))]
    passes = ["PASSES", "6", "PASSES", "1", "PASSES", "1", "PASSES", "1"]
    counts, untried = ["6", "of", "6", "4", "of", "4"], ["not", "tried"]
    assert rows == [
        ["B2-E1", "holds", "fails", *passes, *counts, "holds", "holds", *untried, "passes", "3", "35"],
        ["B7-E1", "FAILS", *["fails"] * 5, *untried, *untried, "holds", "holds", *untried, "-", "-", "-"],
    ]
    assert "B7-E1: solution: step 4, renew_loan, is refused: NOT_VERIFIED" in text


def test_an_unknown_task_is_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "check", "--pack", str(FOLDER), "--task", "Z1-E1")[0] == 2
