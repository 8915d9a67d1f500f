"""What all tests share: one mark a module, no settings from outside, no silent skips, and requests for runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from voicebench.config import load_pipeline
from voicebench.runner import RunRequest

# How long an example takes says how busy the machine is, and no test is timed.
hypothesis.settings.register_profile("voicebench", deadline=None)
hypothesis.settings.load_profile("voicebench")

MARKS = {"unit", "audio", "e2e", "browser"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        marks = MARKS & {mark.name for mark in item.iter_markers()}
        if len(marks) != 1:
            raise pytest.UsageError(f"{item.nodeid}: has the marks {sorted(marks)}; give it one of {sorted(MARKS)}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped; under CI every test runs"
    return report


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("VOICEBENCH_")]:
        if name not in ("VOICEBENCH_CACHE", "VOICEBENCH_MODELS"):
            monkeypatch.delenv(name)


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., RunRequest]:
    """Makes requests for runs of two tasks with fixed charges."""

    def make(**changes: Any) -> RunRequest:
        values: dict[str, Any] = {"tasks": ["T1-E1", "T2-H3"], "out": tmp_path / "run", **changes}
        return RunRequest(values.pop("pipeline", load_pipeline("fast")), **values)

    return make
