"""``voicebench index``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["index"]


def index(
    runs: Annotated[Path, typer.Argument(metavar="[RUNS_DIR]", help="A folder of runs, or a run's own.")] = Path(
        "runs"
    ),
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build it anew even if it is there.")] = False,
) -> None:
    """Make index.db, a SQLite database of all calls in a folder of runs."""
    from voicebench.errors import ConfigError
    from voicebench.store import find_runs
    from voicebench.store.index import rebuild_index

    found = find_runs(runs)
    if not found:
        raise ConfigError(f"{runs}: no run in it (a run has a run.json); give a folder of runs")
    path = runs / "index.db"
    if path.exists() and not rebuild:
        typer.echo(f"{path}: is there; --rebuild makes it anew")
        return
    count = rebuild_index(path, found)
    typer.echo(f"{path}: {len(found)} runs, {count} calls")
