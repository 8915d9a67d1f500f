"""Memory over many calls: neither the run's process nor its workers grow."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from statistics import median

import pytest

from tests.processes import workers
from voicebench.config import load_pipeline
from voicebench.engines import ProcessEngine
from voicebench.runner import NullReporter, Progress, RunRequest, run

from .survival import TASKS

pytestmark = pytest.mark.e2e

WORKERS = 2
GROWTH = 1.035


class Scale(NullReporter):
    """Weighs this process and its workers, each by itself, whenever a call has ended."""

    def __init__(self) -> None:
        self.weights_mb: list[list[float]] = []

    def finished(self, name: str, line: str, standing: Progress) -> None:
        self.weights_mb.append([resident_mb("self"), *(resident_mb(pid) for pid in workers("self"))])


def resident_mb(pid: int | str) -> float:
    """The resident memory of a process that is not shared with files, megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("RssAnon:"))


@pytest.mark.parametrize("calls", [200, pytest.param(2_000, marks=pytest.mark.long)])
def test_memory_is_flat(calls: int, tmp_path: Path) -> None:
    pipeline = load_pipeline("fast", ["channel=text"])
    request = RunRequest(pipeline, tasks=TASKS, trials=calls // len(TASKS), out=tmp_path / "run", workers=WORKERS)
    scale = Scale()
    result = run(request, reporter=scale, make_engine=partial(ProcessEngine, workers=WORKERS))
    assert result.summary.passed == calls
    quarter = len(scale.weights_mb) // 4
    early, late = usual(scale.weights_mb[quarter : 2 * quarter]), usual(scale.weights_mb[-quarter:])
    assert len(early) == len(late) == 1 + WORKERS
    for before_mb, after_mb in zip(early, late, strict=True):
        assert after_mb < GROWTH * before_mb, (early, late)


def usual(weights_mb: list[list[float]]) -> list[float]:
    """What each process weighs as a rule: between two calls it is up to 3% more or less, by what malloc keeps."""
    return [median(of_one) for of_one in zip(*weights_mb, strict=True)]
