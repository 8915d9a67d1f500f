"""The page of a task, with one call of it in full."""

from __future__ import annotations

from typing import Any

from voicebench.packs import base_task
from voicebench.packs.loader import VARIANT_LINES
from voicebench.viewer.call_view import call_view
from voicebench.viewer.chosen import Choice, choices, default_choice
from voicebench.viewer.command import command_of
from voicebench.viewer.figures import tally
from voicebench.viewer.graph import draw
from voicebench.viewer.path import expected_hops
from voicebench.viewer.render import Page
from voicebench.viewer.script import script_text
from voicebench.viewer.site import NotFound, Site

__all__ = ["page"]


def page(site: Site, pack: str, task: str, choice: str | None = None) -> Page:
    """Return the page of a task, as its newest run has it.

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
    chosen = _chosen(found, choice)
    runs = {run.run_id: run for run in site.runs()}
    hops = expected_hops(snapshot.spec, case)
    made_by = runs[chosen.row.run] if chosen else newest
    context: dict[str, Any] = {
        "title": f"{task}: {case.title}",
        "pack": pack,
        "task": task,
        "case": case,
        "spec": snapshot.spec,
        "line": next((line for suffix, line in VARIANT_LINES.items() if task.endswith(f"-{suffix}")), None),
        "script": script_text(case.caller, snapshot.spec),
        "graph": draw(snapshot.spec, hops, key="task-path", title="The path that this task expects", expected=True),
        "command": command_of(made_by, pack, task, chosen.row.trial if chosen else 1),
        "tally": tally(last),
        "subjects": list(dict.fromkeys(choice.subject for choice in found)),
        "choices": found,
        "chosen": chosen,
        "is_default": chosen == default_choice(found),
        "default": default_choice(found),
        "call": call_view(site, *_key(chosen)) if chosen else None,
        "rows": [
            (runs[row.run], row)
            for row in sorted(rows, key=lambda row: (runs[row.run].started_at, -row.trial, row.attempt), reverse=True)
        ],
    }
    return Page("task.html", context)


def _chosen(found: list[Choice], key: str | None) -> Choice | None:
    if key is None:
        return default_choice(found)
    chosen = next((choice for choice in found if choice.key == key), None)
    if chosen is None:
        raise NotFound(f"no call {key} to choose")
    return chosen


def _key(choice: Choice) -> tuple[str, str, str, int, int]:
    row = choice.row
    return row.run, row.pack, row.task, row.trial, row.attempt
