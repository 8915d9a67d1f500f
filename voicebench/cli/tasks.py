"""``voicebench tasks``."""

from __future__ import annotations

from typing import Annotated

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import print_json, print_lines, print_table

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
            f"caller: {case.caller.opening}",
            *(f"  {name}: {fact.value}" for name, fact in case.caller.facts.items()),
            "solution:",
            *(f"  {step.model_dump(mode='json', by_alias=True, exclude_defaults=True)}" for step in case.solution),
            f"handoffs: {' → '.join(case.expect.handoffs) or 'none'}",
        ]
    )
