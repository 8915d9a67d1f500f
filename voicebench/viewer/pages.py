"""The five pages: start, run, pack, task and call; what each shows, and its template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voicebench.errors import StoreError
from voicebench.metrics import quantiles
from voicebench.metrics.causes import CAUSES
from voicebench.metrics.latency import QUALIFYING_TTFT_MS
from voicebench.packs import Case, ToolSpec, base_task
from voicebench.packs.loader import VARIANT_LINES
from voicebench.stored.identity import TaskKey
from voicebench.viewer.call_view import call_view
from voicebench.viewer.chosen import choices, default_choice
from voicebench.viewer.command import command_of
from voicebench.viewer.figures import GATES, VERDICTS, Tally, tally
from voicebench.viewer.graph import draw
from voicebench.viewer.path import expected_path
from voicebench.viewer.render import Page
from voicebench.viewer.script import script_text
from voicebench.viewer.site import AttemptRow, NotFound, Site, SiteRun

__all__ = ["call_page", "pack_page", "run_page", "start_page", "task_page"]


@dataclass(frozen=True)
class ListedRun:
    """A run in the list of the start page."""

    run: SiteRun
    tally: Tally


@dataclass(frozen=True)
class MatrixCell:
    """One trial in the matrix of a run: its verdict, and the attempt that its link opens."""

    trial: int
    attempt: int
    verdict: str
    failed_gates: list[str]
    call_s: float | None


@dataclass(frozen=True)
class MatrixRow:
    """One task in the matrix; title, category and difficulty are empty where the copy of the pack cannot be read."""

    pack: str
    task: str
    title: str
    category: str
    difficulty: str
    cells: list[MatrixCell]
    tally: Tally


@dataclass(frozen=True)
class AgentEntry:
    """An agent of a pack: its prompt, its tools, and its handoffs as tool, target and description."""

    name: str
    prompt: str
    words: int
    tools: list[ToolSpec]
    handoffs: list[tuple[str, str, str]]


@dataclass(frozen=True)
class TaskEntry:
    """A task of a pack with the calls of all runs."""

    id: str
    case: Case
    tally: Tally


@dataclass(frozen=True)
class SubjectEntry:
    """A model or harness, and how it did on a pack."""

    name: str
    tally: Tally


def start_page(site: Site) -> Page:
    """Return the start page: what the benchmarks are, and the runs."""
    runs = site.runs()
    trials: dict[str, list[AttemptRow]] = {run.run_id: [] for run in runs}
    for row in site.trials():
        trials.setdefault(row.run, []).append(row)
    listed = [ListedRun(run, tally(trials[run.run_id], sum(site.planned(run.run_id).values()))) for run in runs]
    context = {
        "title": "Calls to voice agents",
        "runs": listed,
        "packs": site.packs(),
        "problems": site.relative(site.problems),
        "verdicts": [verdict for verdict in VERDICTS if any(one.tally.counts[verdict] for one in listed)],
        "folder": site.root.name,
    }
    return Page("start.html", context)


def run_page(site: Site, run: str) -> Page:
    """Return the page of a run: its summary, and a matrix of tasks and trials.

    Raises:
        NotFound: there is no such run.
    """
    found = site.run(run)
    trials = site.trials(run)
    cases: dict[TaskKey, Case] = {}
    problems = []
    for pack in found.record.packs:
        try:
            cases.update(((pack, task), case) for task, case in site.snapshot(run, pack).cases.items())
        except StoreError as error:
            problems.append(str(error))
    planned = site.planned(run)
    tasks = _matrix(trials, planned, cases)
    attempts = site.rows(run)
    causes = Counter(row.cause for row in trials if row.cause is not None)
    verdicts = [cell.verdict for task in tasks for cell in task.cells]
    context = {
        "title": f"Run {run}",
        "run": found,
        "tally": tally(trials, sum(planned.values())),
        "tasks": tasks,
        "causes": [(cause, causes[cause], causes[cause] / causes.total()) for cause in CAUSES if causes[cause]],
        "columns": max((len(task.cells) for task in tasks), default=0),
        "attempts": {"n": len(attempts), **{one: sum(row.verdict == one for row in attempts) for one in VERDICTS}},
        "voids": Counter(row.void_kind for row in attempts if row.void_kind),
        "ttft": quantiles(site.latencies_ms(run, "ttft")),
        "v2v": quantiles(site.latencies_ms(run, "v2v")),
        "limit_ms": QUALIFYING_TTFT_MS,
        "problems": site.relative([*problems, *(row.problem for row in attempts if row.problem)]),
        "filters": {
            "pack": sorted({task.pack for task in tasks}),
            "category": sorted({task.category for task in tasks if task.category}),
            "difficulty": [level for level in ("easy", "medium", "hard") if any(t.difficulty == level for t in tasks)],
            "gate": list(GATES),
            "verdict": [verdict for verdict in VERDICTS if verdict in verdicts],
        },
    }
    return Page("run.html", context)


def _matrix(
    trials: Sequence[AttemptRow], planned: Mapping[TaskKey, int], cases: Mapping[TaskKey, Case]
) -> list[MatrixRow]:
    """Return a row for each task that was planned or called, with a cell for each of its trials."""
    grouped: dict[TaskKey, dict[int, AttemptRow]] = {key: {} for key in planned}
    for row in trials:
        grouped.setdefault((row.pack, row.task), {})[row.trial] = row
    rows = []
    for (pack, task), made in sorted(grouped.items()):
        case = cases.get((pack, base_task(task)))
        asked = max([planned.get((pack, task), 0), *made])
        cells = [
            MatrixCell(number, found.attempt, found.outcome, found.failed_gates, found.call_s)
            if (found := made.get(number))
            else MatrixCell(number, 1, "unfinished", [], None)
            for number in range(1, asked + 1)
        ]
        described = (case.title, case.category, case.difficulty) if case else ("", "", "")
        rows.append(MatrixRow(pack, task, *described, cells, tally(list(made.values()), asked)))
    return rows


def pack_page(site: Site, pack: str) -> Page:
    """Return the page of a pack, its agents and its tasks, as its newest run has it.

    Raises:
        NotFound: no run used it.
    """
    run, snapshot = site.newest(pack)
    trials = site.trials(pack=pack)
    names = {one.run_id: one.subject for one in site.runs()}
    subjects = sorted({names[row.run] for row in trials})
    spec = snapshot.spec
    called = {row.task for row in trials if base_task(row.task) in snapshot.cases}  # with the variants
    agents = []
    for agent in spec.agents:
        prompt = snapshot.prompts.get(agent.name, "")
        tools = [snapshot.tools[name] for name in agent.tools if name in snapshot.tools]
        handoffs = [(name, handoff.to, handoff.description) for name, handoff in agent.handoffs.items()]
        agents.append(AgentEntry(agent.name, prompt, len(prompt.split()), tools, handoffs))
    context = {
        "title": f"{spec.company.name}: {spec.industry}",
        "pack": pack,
        "spec": spec,
        "snapshot": snapshot,
        "run": run,
        "graph": draw(spec, [], key="agents", title=f"The agents of {spec.company.name} and their handoffs"),
        "agents": agents,
        "tasks": [
            TaskEntry(task, snapshot.cases[base_task(task)], tally([row for row in trials if row.task == task]))
            for task in sorted(snapshot.cases.keys() | called)
        ],
        "subjects": [SubjectEntry(name, tally([row for row in trials if names[row.run] == name])) for name in subjects],
    }
    return Page("pack.html", context)


def task_page(site: Site, pack: str, task: str, choice: str | None = None) -> Page:
    """Return the page of a task, as its newest run has it, with one call of it in full.

    Args:
        site: the runs.
        pack: name of the pack.
        task: its id, with the suffix of a variant.
        choice: the key of the call to show; None for the default.

    Raises:
        NotFound: there is no such task, or no such call to choose.
    """
    newest, snapshot = site.newest(pack)
    case = snapshot.cases.get(base_task(task))
    if case is None:
        raise NotFound(f"no task {pack}/{task}")
    rows = site.rows(pack=pack, task=task)
    last = list({(row.run, row.trial): row for row in rows}.values())
    found = choices(site, last)
    default = default_choice(found)
    chosen = default if choice is None else next((one for one in found if one.key == choice), None)
    if choice is not None and chosen is None:
        raise NotFound(f"no call {choice} to choose")
    runs = {run.run_id: run for run in site.runs()}
    path = expected_path(snapshot.spec, case)
    made_by = runs[chosen.row.run] if chosen else newest
    context = {
        "title": f"{task}: {case.title}",
        "pack": pack,
        "task": task,
        "case": case,
        "spec": snapshot.spec,
        "line": next((line for suffix, line in VARIANT_LINES.items() if task.endswith(f"-{suffix}")), None),
        "script": script_text(case.caller, snapshot.spec),
        "graph": draw(snapshot.spec, path, key="task-path", title="The path that this task expects", expected=True),
        "command": command_of(made_by, pack, task, chosen.row.trial if chosen else 1),
        "tally": tally(last),
        "subjects": list(dict.fromkeys(one.subject for one in found)),
        "choices": found,
        "chosen": chosen,
        "default": default,
        "call": call_view(site, *chosen.row.key) if chosen else None,
        "rows": [
            (runs[row.run], row)
            for row in sorted(rows, key=lambda row: (runs[row.run].started_at, -row.trial, row.attempt), reverse=True)
        ],
    }
    return Page("task.html", context)


def call_page(site: Site, run: str, pack: str, task: str, trial: int, attempt: int) -> Page:
    """Return the page of a call, also of one that is corrupt or has not ended.

    Raises:
        NotFound: there is no such call.
    """
    view = call_view(site, run, pack, task, trial, attempt)
    return Page("call.html", {"title": f"{view.task}, {view.title}: {view.verdict}", "call": view})
