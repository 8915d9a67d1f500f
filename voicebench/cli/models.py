"""``voicebench models``."""

from __future__ import annotations

from typing import Annotated

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import print_json, print_lines, print_table

__all__ = ["app"]

app = typer.Typer(help="The weights of recognizers and voices.", no_args_is_help=True)


@app.command("list")
def list_models(as_json: Json = False) -> None:
    """Say of every known model where it was found, and whether its files are the pinned ones."""
    from voicebench.speech import models

    rows = models.list_models()
    if as_json:
        listed = [{**vars(row), "path": None if row.path is None else str(row.path)} for row in rows]
        print_json({"models": listed})
        return
    state = {True: "ok", False: "WRONG", None: "absent"}
    cells = [(row.name, row.kind, state[row.hash_ok], row.source or "-", row.licence, row.package) for row in rows]
    print_table(("name", "kind", "SHA-256", "found in", "licence", "package"), cells)
    print_lines(row.problem for row in rows if row.problem)


@app.command("pull")
def pull(names: Annotated[list[str], typer.Argument(metavar="NAME ...", help="As `models list` names them.")]) -> None:
    """Fetch models by name from the Hugging Face hub, and check them."""
    from voicebench.speech import models

    for name in names:
        found = models.pull(name)
        typer.echo(f"{name}: {found.folder}")
