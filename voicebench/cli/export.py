"""``voicebench export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

__all__ = ["export"]


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
