"""``voicebench index``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from voicebench.cli.codes import INCOMPLETE

__all__ = ["index"]


def index(
    runs: Annotated[Path, typer.Argument(metavar="[RUNS_DIR]", help="A folder of runs, or a run's own.")] = Path(
        "runs"
    ),
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build it anew even if it is there.")] = False,
) -> int:
    """Make index.db, a SQLite database of all calls in a folder of runs.

    What cannot be read is told, and is in its table problems: exit 3.
    """
    from voicebench.errors import ConfigError
    from voicebench.store import find_runs
    from voicebench.store.index import Index, rebuild_index

    found = find_runs(runs)
    if not found:
        raise ConfigError(f"{runs}: no run in it (a run has a run.json); give a folder of runs")
    path = runs / "index.db"
    if path.exists() and not rebuild:
        typer.echo(f"{path}: is there; --rebuild makes it anew")
        return 0
    count = rebuild_index(path, found)
    with Index(path) as made:
        [(runs_listed,)] = (row.values() for row in made.query("select count(*) from runs"))
        problems = [str(row["problem"]) for row in made.query("select problem from problems")]
    typer.echo(f"{path}: {runs_listed} runs, {count} calls")
    for problem in problems:
        print(f"error: not listed: {problem}", file=sys.stderr)
    return INCOMPLETE if problems else 0
