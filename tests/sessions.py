"""A pytest plugin for `scripts/test`, which makes the tests in two sessions and reports them as one.

`--only shared` runs most tests on all cores, and keeps their reports in a file: results do not depend on how busy the
machine is. Whole calls come first and the short tests last, files of many before those of few, so that no core is left
without work at the end; and one process more than there are cores fills the time in which others wait for theirs.
`--only alone` runs those with the mark `alone` one at a time, and counts the kept reports with its own.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest

LONGEST_FIRST = ("e2e", "browser", "audio", "unit")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--only", choices=["shared", "alone"], required=True, help="which tests to run")
    parser.addoption("--reports", type=Path, required=True, help="where the first session keeps its reports")


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers() -> int:
    return len(os.sched_getaffinity(0)) + 1


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # a worker of xdist hands its reports to the session that started it
        kind = Keep if config.getoption("--only") == "shared" else Add
        config.pluginmanager.register(kind(config, config.getoption("--reports")))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import modules without a test for this session; the mark stands in each module that has it."""
    if config.getoption("--only") == "shared" or collection_path.suffix != ".py":
        return None
    return True if "mark.alone" not in collection_path.read_text(encoding="utf-8") else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    shared = config.getoption("--only") == "shared"
    items[:] = [item for item in items if (item.get_closest_marker("alone") is None) == shared]
    of_file = Counter(item.path for item in items)

    def place(item: pytest.Item) -> tuple[int, int]:
        kind = next(at for at, kind in enumerate(LONGEST_FIRST) if item.get_closest_marker(kind))
        return kind, -of_file[item.path]

    items.sort(key=place)


class Keep:
    """Writes the reports of this session to a file."""

    def __init__(self, config: pytest.Config, path: Path) -> None:
        self.config, self.path = config, path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        node = report.__dict__.pop("node", None)  # xdist's handle of the worker, which JSON cannot hold
        line = json.dumps(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))
        if node is not None:
            report.__dict__["node"] = node
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


class Add:
    """Counts the kept reports with those of this session: one summary, one exit status."""

    def __init__(self, config: pytest.Config, path: Path) -> None:
        self.config = config
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        self.reports = [config.hook.pytest_report_from_serializable(config=config, data=line) for line in lines]

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Generator[None]:
        stats = self.config.pluginmanager.getplugin("terminalreporter").stats
        for report in self.reports:
            kind, _, _ = self.config.hook.pytest_report_teststatus(report=report, config=self.config)
            stats.setdefault(kind, []).append(report)
        if any(report.failed for report in self.reports) and exitstatus in (0, 5):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        elif self.reports and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK
        yield
