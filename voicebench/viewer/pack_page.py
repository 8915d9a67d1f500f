"""The page of a pack: its agents and its tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from voicebench.packs import Case, PackSnapshot, ToolSpec, base_task
from voicebench.viewer.figures import Tally, tally
from voicebench.viewer.graph import draw
from voicebench.viewer.render import Page
from voicebench.viewer.site import CallRow, Site

__all__ = ["page"]


@dataclass(frozen=True)
class _Agent:
    """One agent: its prompt, its tools, and its handoffs as tool, target and description."""

    name: str
    prompt: str
    words: int
    tools: list[ToolSpec]
    handoffs: list[tuple[str, str, str]]


@dataclass(frozen=True)
class _Task:
    """A task with the calls of all runs."""

    id: str
    case: Case
    tally: Tally


@dataclass(frozen=True)
class _Subject:
    """Who was under test, and how it did on this pack."""

    name: str
    tally: Tally


def page(site: Site, pack: str) -> Page:
    """Return the page of a pack, as its newest run has it.

    Raises:
        NotFound: no run used it.
    """
    run, snapshot = site.newest(pack)
    trials = site.trials(pack=pack)
    names = {one.run_id: one.subject for one in site.runs()}
    subjects = sorted({names[row.run] for row in trials})
    spec = snapshot.spec
    context = {
        "title": f"{spec.company.name}: {spec.industry}",
        "pack": pack,
        "spec": spec,
        "snapshot": snapshot,
        "run": run,
        "graph": draw(spec, [], key="agents", title=f"The agents of {spec.company.name} and their handoffs"),
        "agents": _agents(snapshot),
        "tasks": _tasks(snapshot, trials),
        "subjects": [_Subject(name, tally([row for row in trials if names[row.run] == name])) for name in subjects],
    }
    return Page("pack.html", context)


def _agents(snapshot: PackSnapshot) -> list[_Agent]:
    agents = []
    for agent in snapshot.spec.agents:
        prompt = snapshot.prompts.get(agent.name, "")
        tools = [snapshot.tools[name] for name in agent.tools if name in snapshot.tools]
        handoffs = [(name, handoff.to, handoff.description) for name, handoff in agent.handoffs.items()]
        agents.append(_Agent(agent.name, prompt, len(prompt.split()), tools, handoffs))
    return agents


def _tasks(snapshot: PackSnapshot, trials: Sequence[CallRow]) -> list[_Task]:
    """Return all tasks of the pack, and the variants that were called."""
    called = {row.task for row in trials if base_task(row.task) in snapshot.cases}
    return [
        _Task(task, snapshot.cases[base_task(task)], tally([row for row in trials if row.task == task]))
        for task in sorted(snapshot.cases.keys() | called)
    ]
