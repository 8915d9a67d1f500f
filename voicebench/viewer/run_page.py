"""The page of a run: its summary, and a matrix of tasks and trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voicebench.errors import StoreError
from voicebench.metrics import quantiles
from voicebench.metrics.causes import CAUSES
from voicebench.metrics.latency import QUALIFYING_TTFT_MS
from voicebench.packs import Case, base_task
from voicebench.stored.identity import TaskKey
from voicebench.viewer.figures import GATES, VERDICTS, Tally, tally
from voicebench.viewer.render import Page
from voicebench.viewer.site import CallRow, Run, Site

__all__ = ["page"]


@dataclass(frozen=True)
class _Cell:
    """One trial in the matrix: what became of it, and the attempt that its link opens."""

    trial: int
    attempt: int
    verdict: str
    failed_gates: list[str]
    call_s: float | None


@dataclass(frozen=True)
class _Task:
    """One row of the matrix; title, category and difficulty are empty where the copy of the pack cannot be read."""

    pack: str
    task: str
    title: str
    category: str
    difficulty: str
    cells: list[_Cell]
    tally: Tally


def page(site: Site, run: str) -> Page:
    """Return the page of a run.

    Raises:
        NotFound: there is no such run.
    """
    found = site.run(run)
    trials = site.trials(run)
    cases, problems = _cases(site, found)
    planned = site.planned(run)
    tasks = _tasks(trials, planned, cases)
    attempts = site.rows(run)
    verdicts = [cell.verdict for task in tasks for cell in task.cells]
    context: dict[str, Any] = {
        "title": f"Run {run}",
        "run": found,
        "tally": tally(trials, sum(planned.values())),
        "tasks": tasks,
        "causes": _causes(trials),
        "columns": max((len(task.cells) for task in tasks), default=0),
        "attempts": {"n": len(attempts), **{one: sum(row.verdict == one for row in attempts) for one in VERDICTS}},
        "ttft": quantiles(site.latencies_ms(run, "ttft")),
        "v2v": quantiles(site.latencies_ms(run, "v2v")),
        "limit_ms": QUALIFYING_TTFT_MS,
        "problems": site.told([*problems, *(row.problem for row in attempts if row.problem)]),
        "filters": {
            "pack": sorted({task.pack for task in tasks}),
            "category": sorted({task.category for task in tasks if task.category}),
            "difficulty": [level for level in ("easy", "medium", "hard") if any(t.difficulty == level for t in tasks)],
            "gate": list(GATES),
            "verdict": [verdict for verdict in VERDICTS if verdict in verdicts],
        },
    }
    return Page("run.html", context)


def _causes(trials: list[CallRow]) -> list[tuple[str, int, float]]:
    """Return the first causes of the trials that did not pass: name, trials, and their share of those with a cause."""
    counts = Counter(row.cause for row in trials if row.cause is not None)
    return [(cause, counts[cause], counts[cause] / counts.total()) for cause in CAUSES if counts[cause]]


def _cases(site: Site, run: Run) -> tuple[dict[TaskKey, Case], list[str]]:
    """Return the tasks of the run's packs, and what could not be read."""
    cases: dict[TaskKey, Case] = {}
    problems = []
    for pack in run.record["packs"]:
        try:
            cases.update(((pack, task), case) for task, case in site.snapshot(run.run_id, pack).cases.items())
        except StoreError as error:
            problems.append(str(error))
    return cases, problems


def _tasks(trials: list[CallRow], planned: Mapping[TaskKey, int], cases: Mapping[TaskKey, Case]) -> list[_Task]:
    grouped: dict[TaskKey, dict[int, CallRow]] = {key: {} for key in planned}
    for row in trials:
        grouped.setdefault((row.pack, row.task), {})[row.trial] = row
    tasks = []
    for (pack, task), made in sorted(grouped.items()):
        case = cases.get((pack, base_task(task)))
        asked = max([planned.get((pack, task), 0), *made])
        cells = [_cell(number, made.get(number)) for number in range(1, asked + 1)]
        described = (case.title, case.category, case.difficulty) if case else ("", "", "")
        tasks.append(_Task(pack, task, *described, cells, tally(list(made.values()), asked)))
    return tasks


def _cell(trial: int, row: CallRow | None) -> _Cell:
    if row is None:
        return _Cell(trial, 1, "unfinished", [], None)
    return _Cell(trial, row.attempt, row.verdict, row.failed_gates, row.call_s)
