"""``voicebench leaderboard``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from voicebench.cli.output import print_lines, print_table

__all__ = ["leaderboard"]


def leaderboard(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN ...", help="Folders of runs, or folders that hold runs.")],
    max_ttft: Annotated[
        float, typer.Option("--max-ttft", min=0, metavar="MS", help="Median latency up to which a model qualifies.")
    ] = 1_000.0,
    output: Annotated[Literal["table", "json", "csv", "md"], typer.Option("--format", help="How to print.")] = "table",
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME|any", help="Pipeline that is ranked; default callm and mivas."),
    ] = None,
    rule: Annotated[
        Literal["ttft", "ttfat"], typer.Option("--rule", help="First token of any kind, or of the answer.")
    ] = "ttft",
    k: Annotated[int, typer.Option("--k", min=1, metavar="K", help="Of pass^k.")] = 5,
    breakdowns: Annotated[
        bool, typer.Option("--breakdowns", help="Also by pack, category, difficulty, line and gate, and all latencies.")
    ] = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Also the ranked models against each other.")] = False,
) -> None:
    """Rank the models of stored runs, with what may be said of each."""
    from voicebench import api
    from voicebench.leaderboard import formats, render

    board = api.leaderboard(runs, max_ttft=max_ttft, k=k, profile=profile, rule=rule)
    if output != "table":
        typer.echo(render(board, output, with_breakdowns=breakdowns, with_pairs=pairs), nl=False)
        return
    for ranking in board.rankings:
        print_table(formats.COLUMNS, formats.cells(ranking), formats.title(ranking))
        if breakdowns:
            print_table(formats.BREAKDOWN_COLUMNS, formats.breakdown_cells(ranking))
            print_table(formats.LATENCY_COLUMNS, formats.latency_cells(ranking))
    print_lines(formats.footnotes(board, with_pairs=pairs))
