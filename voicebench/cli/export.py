"""``voicebench export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

__all__ = ["export"]


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    output: Annotated[
        Literal["csv", "jsonl", "otlp-json"],
        typer.Option("--format", help="Calls as rows, calls as JSON lines, or traces for OpenTelemetry."),
    ] = "csv",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Default: standard output.")] = None,
) -> None:
    """Write a run's calls or traces for other tools."""
    from voicebench.runner.export import export_run
    from voicebench.store import write_file

    pieces = export_run(run, output)
    if out is None:
        for piece in pieces:
            typer.echo(piece, nl=False)
    else:
        write_file(out.resolve(), "".join(pieces).encode())
