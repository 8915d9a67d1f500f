"""Every shipped task is fair, over text and without audio."""

from __future__ import annotations

import pytest

from voicebench.fairness import PackReport, check_task
from voicebench.fairness.calls import BASELINES
from voicebench.fairness.check import MUTANTS_A_TASK
from voicebench.packs import list_packs, load_pack

pytestmark = pytest.mark.unit

PACKS = {name: load_pack(name) for name in list_packs()}
TASKS = [(name, task) for name, pack in PACKS.items() for task in pack.cases]


@pytest.mark.parametrize(("pack", "task"), TASKS)
def test_the_task_is_fair(pack: str, task: str) -> None:
    loaded = PACKS[pack]
    report = check_task(loaded, loaded.cases[task], loaded.snapshot())
    assert [str(finding) for finding in report.findings] == []
    assert report.passes == dict.fromkeys(BASELINES, 0)
    assert report.mutants is not None
    assert report.mutants >= MUTANTS_A_TASK
    assert PackReport(pack, [report], whole=True).fair
