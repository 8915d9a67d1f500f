"""``voicebench tasks``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import CHECK_SAID_NO, only_json, print_json, print_lines, print_table, progress

if TYPE_CHECKING:
    from voicebench.record.json_types import JsonObject
    from voicebench.task_checks import PackReport

__all__ = ["app"]

app = typer.Typer(help="The packs' tasks.", no_args_is_help=True)

Packs = Annotated[
    list[str] | None, typer.Option("--pack", metavar="PACK", help="Name or folder of a pack; may be repeated.")
]


@app.command("list")
def list_tasks(pack: Packs = None, as_json: Json = False) -> None:
    """List all tasks."""
    from voicebench.runner import load_packs

    rows = [
        {"pack": one.name, "id": case.id, "difficulty": case.difficulty, "category": case.category, "title": case.title}
        for one in load_packs(pack or ())
        for case in one.cases.values()
    ]
    if as_json:
        print_json({"tasks": rows})
    else:
        print_table(("pack", "id", "difficulty", "category", "title"), [tuple(row.values()) for row in rows])


@app.command("show")
def show_task(
    task: Annotated[str, typer.Argument(metavar="[PACK/]ID")], pack: Packs = None, as_json: Json = False
) -> None:
    """Show one task: what it measures, what its caller wants, and how it is solved."""
    from voicebench.packs import find_tasks
    from voicebench.runner import load_packs

    [ref] = find_tasks([task], load_packs(pack or ()))
    case = ref.case
    if as_json:
        print_json({"pack": ref.pack.name, **case.model_dump(mode="json", by_alias=True, exclude_defaults=True)})
        return
    print_lines(
        [
            f"{ref.pack.name}/{case.id}: {case.title} ({case.difficulty}, {case.category})",
            f"measures: {case.measures}",
            f"why: {case.why}",
            f"succeeds when: {case.succeeds_when}",
            f"caller{f' (voice {case.caller.voice})' if case.caller.voice else ''}: {case.caller.opening}",
            *(f"  {name}: {fact.value}" for name, fact in case.caller.facts.items()),
            "solution:",
            *(f"  {step.model_dump(mode='json', by_alias=True, exclude_defaults=True)}" for step in case.solution),
            f"handoffs: {' → '.join(case.expect.handoffs) or 'none'}",
        ]
    )


@app.command("new")
def new_task(
    pack: Annotated[str, typer.Argument(metavar="PACK", help="Name or folder of a pack.")],
    task: Annotated[str, typer.Argument(metavar="ID", help="The new task's id, as T2-H3.")],
) -> None:
    """Make a case to fill in."""
    from voicebench.packs import load_pack
    from voicebench.task_checks import new_case

    path = new_case(load_pack(pack), task)
    print_lines([str(path)])


@app.command("check")
def check(
    pack: Packs = None,
    task: Annotated[
        list[str] | None, typer.Option("--task", metavar="[PACK/]ID", help="Only this task; may be repeated.")
    ] = None,
    audio: Annotated[
        bool, typer.Option("--audio", help="Say the forms of all facts over a line first; keeps what was heard.")
    ] = False,
    wordings: Annotated[
        Path | None,
        typer.Option("--wordings", metavar="FILE", help="Other words to ask in than the built-in ones; JSON lines."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Draws the other words that each task is asked in once.")] = 0,
    as_json: Json = False,
) -> int:
    """Prove that tasks are fair: exit 0 if all are, 4 if one is not.

    Only --audio needs models; what it heard is stored in the pack's folder, and every check reads it.
    """
    from voicebench.packs import find_tasks
    from voicebench.runner import load_packs
    from voicebench.task_checks import check_tasks
    from voicebench.task_checks.wordings import WORDINGS, read_wordings

    asked = WORDINGS if wordings is None or str(wordings) == "ours" else read_wordings(wordings)
    packs = load_packs(pack or ())
    refs = find_tasks(task or [], packs)
    with only_json(as_json):
        if audio:
            from voicebench.task_checks.spoken_forms import say_all

            say_all(refs, lambda text: print(text, file=sys.stderr, flush=True))
        with progress("checked", len({(ref.pack.name, ref.case.id) for ref in refs})) as done:
            reports = list(check_tasks(refs, packs, done, wordings=asked, seed=seed))
    if as_json:
        print_json(to_json(reports))
    else:
        for report in reports:
            print_report(report)
        print_end(reports)
    return 0 if all(report.fair for report in reports) else CHECK_SAID_NO


def to_json(reports: list[PackReport]) -> JsonObject:
    """Return what ``tasks check --json`` prints."""
    tasks = [task for report in reports for task in report.tasks]
    return {
        "tasks": [task.to_json() for task in tasks],
        "baselines": {report.pack: {**report.baselines} for report in reports},
        "mutants": {
            "made": sum(task.mutants or 0 for task in tasks),
            "caught": sum((task.mutants or 0) - task.survivors for task in tasks),
        },
        "packs": {report.pack: {"fair": report.fair, "findings": [*report.findings]} for report in reports},
    }


def print_report(report: PackReport) -> None:
    """Print the table of a pack with its sums, and why each task that is not fair is not."""
    agents = list(report.baselines)
    proofs = ("mutants", "variations", "facts", "leaks", "spoken", "reference", "turns", "words")
    rows: list[list[object]] = []
    for task in report.tasks:
        call = task.reference
        rows.append(
            [
                task.task,
                _holds(task.holds("solution", "demands", "text")),
                *("fails" if count == 0 else f"PASSES {count}" for count in task.passes.values()),
                _share(task.mutants, task.survivors),
                _share(task.variations, task.rejected),
                _holds(task.holds("facts")),
                _holds(task.holds("leak")),
                "FAILS" if not task.holds("audio") else "not tried" if task.unsaid else "holds",
                "-" if call is None else "passes" if task.holds("reference", "wording") else "FAILS",
                "-" if call is None else call.turns,
                "-" if call is None else call.words,
            ]
        )
    tasks, calls = report.tasks, [task.reference for task in report.tasks if task.reference is not None]
    rows.append(
        [
            f"{sum(task.fair for task in tasks)} of {len(tasks)} fair",
            sum(task.holds("solution", "demands", "text") for task in tasks),
            *report.baselines.values(),
            _share(sum(task.mutants or 0 for task in tasks), sum(task.survivors for task in tasks)),
            _share(sum(task.variations or 0 for task in tasks), sum(task.rejected for task in tasks)),
            sum(task.holds("facts") for task in tasks),
            sum(task.holds("leak") for task in tasks),
            sum(task.holds("audio") and not task.unsaid for task in tasks),
            sum(task.reference is not None and task.holds("reference", "wording") for task in tasks),
            sum(call.turns for call in calls),
            sum(call.words for call in calls),
        ]
    )
    print_table(("task", "solution", *agents, *proofs), rows, title=f"Pack {report.pack}")
    print_lines(f"{task.task}: {finding}" for task in report.tasks for finding in task.findings)
    print_lines(f"{report.pack}: {finding}" for finding in report.findings)


def print_end(reports: list[PackReport]) -> None:
    """Say how many tasks are fair, and what was not proven."""
    from voicebench.task_checks import UNPROVEN

    tasks = [task for report in reports for task in report.tasks]
    print_lines([f"{sum(task.fair for task in tasks)} of {len(tasks)} tasks are fair"])
    print_lines([f"not proven: {'; '.join(UNPROVEN)}"])
    print_lines(
        f"not proven: {report.unsaid} spoken forms of facts in {report.pack} over a line; "
        "tasks check --audio tries them"
        for report in reports
        if report.unsaid
    )
    print_lines(f"not proven: {task.pack}/{task.task}: {what}" for task in tasks for what in task.unproven)


def _holds(holds: bool) -> str:
    return "holds" if holds else "FAILS"


def _share(made: int | None, lost: int) -> str:
    return "not tried" if made is None else f"{made - lost} of {made}"
