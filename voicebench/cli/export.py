"""``voicebench export``, ``index`` and ``schema``: the calls of runs for other tools, and what their files hold."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from voicebench.cli.output import INCOMPLETE, print_json

__all__ = ["export", "index", "schema"]


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    output: Annotated[
        Literal["csv", "parquet", "jsonl", "otlp-json"],
        typer.Option("--format", help="Calls as rows, calls as JSON lines, or traces for OpenTelemetry."),
    ] = "csv",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Default: standard output.")] = None,
    otlp_endpoint: Annotated[
        str | None,
        typer.Option("--otlp-endpoint", metavar="URL", help="Send the traces to a collector and write nothing."),
    ] = None,
) -> None:
    """Write a run's calls or traces for other tools."""
    from voicebench.store import write_file
    from voicebench.stored.export import export_parquet, export_run, send_traces

    if otlp_endpoint is not None:
        typer.echo(f"{otlp_endpoint}: traces of {send_traces(run, otlp_endpoint)} calls sent")
        return
    if output == "parquet":
        pieces = iter([export_parquet(run)])
    else:
        pieces = (piece.encode() for piece in export_run(run, output))
    if out is None:
        for piece in pieces:
            typer.echo(piece, nl=False)
    else:
        write_file(out.resolve(), b"".join(pieces))


def index(
    runs: Annotated[Path, typer.Argument(metavar="[RUNS_DIR]", help="A folder of runs, or a run's own.")] = Path(
        "runs"
    ),
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build it again even if it is there.")] = False,
) -> int:
    """Make index.db, a SQLite database of all calls in a folder of runs.

    What cannot be read is printed, and listed in its table problems: exit 3.
    """
    from voicebench.errors import ConfigError
    from voicebench.store import find_runs
    from voicebench.store.index import Index, rebuild_index

    found = find_runs(runs)
    if not found:
        raise ConfigError(f"{runs}: no run in it (a run has a run.json); give a folder of runs")
    path = runs / "index.db"
    if path.exists() and not rebuild:
        typer.echo(f"{path}: is there; --rebuild builds it again")
        return 0
    count = rebuild_index(path, found)
    with Index(path) as made:
        [runs_listed] = made.query(int, "select count(*) from runs")
        problems = made.query(str, "select problem from problems")
    typer.echo(f"{path}: {runs_listed} runs, {count} calls")
    for problem in problems:
        print(f"error: not listed: {problem}", file=sys.stderr)
    return INCOMPLETE if problems else 0


def schema(
    what: Annotated[
        Literal["call", "trace", "exchanges", "run", "row"],
        typer.Argument(help="call.json, a line of trace.jsonl or exchanges.jsonl, run.json, or a row of a board."),
    ],
) -> None:
    """Print the JSON Schema of a stored file, with what each field means."""
    from voicebench.record.schema import json_schema

    print_json(json_schema(what))
