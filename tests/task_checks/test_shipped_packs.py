"""Every shipped task is fair, over text and without audio."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from voicebench.packs import list_packs, load_pack
from voicebench.task_checks import PackReport, TaskReport, check_task
from voicebench.task_checks.calls import BASELINES
from voicebench.task_checks.check import MUTANTS_A_TASK

pytestmark = pytest.mark.unit

PACKS = {name: load_pack(name) for name in list_packs()}
TASKS = [(name, task) for name, pack in PACKS.items() for task in pack.cases]
DOCS = Path(__file__).parents[2] / "docs"


@cache
def report_of(pack: str, task: str) -> TaskReport:
    loaded = PACKS[pack]
    return check_task(loaded, loaded.cases[task], loaded.snapshot())


@pytest.mark.parametrize(("pack", "task"), TASKS)
def test_the_task_is_fair(pack: str, task: str) -> None:
    report = report_of(pack, task)
    assert [str(finding) for finding in report.findings] == []
    assert report.passes == dict.fromkeys(BASELINES, 0)
    assert report.mutants is not None
    assert report.mutants >= MUTANTS_A_TASK
    assert PackReport(pack, [report], whole=True).fair


@pytest.mark.parametrize("page", list(PACKS))
def test_the_figures_on_its_page_are_those_of_the_check(page: str) -> None:
    reports = [report_of(page, task) for task in PACKS[page].cases]
    told = re.search(
        r"([\d,]+) of ([\d,]+) mutants are caught \((\d+) a task\), (\d+) of (\d+) harmless variations pass, and "
        r"the line reference finishes each over text in (\d+) to (\d+) turns",
        " ".join((DOCS / f"{page}.md").read_text(encoding="utf-8").split()),
    )
    assert told is not None
    mutants, variations = (sum(getattr(one, kind) or 0 for one in reports) for kind in ("mutants", "variations"))
    caught = mutants - sum(one.survivors for one in reports)
    accepted = variations - sum(one.rejected for one in reports)
    a_task = round(mutants / len(reports))
    turns = [one.reference.turns for one in reports if one.reference]
    figures = [caught, mutants, a_task, accepted, variations, min(turns), max(turns)]
    assert [int(n.replace(",", "")) for n in told.groups()] == figures
