"""``voicebench bench load``."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from voicebench.cli.options import Json, configured
from voicebench.cli.output import print_json, print_table, seconds

__all__ = ["bench_load"]


def bench_load(
    calls: Annotated[
        int, typer.Option("--calls", min=1, metavar="N", help="How many calls the folder shall hold.")
    ] = 2_000,
    as_json: Json = False,
) -> None:
    """Time listing and resuming a run of many calls: a few real ones over text, multiplied."""
    from tempfile import TemporaryDirectory

    from voicebench.machine.bench_load import bench_load as bench
    from voicebench.runner import RunRequest

    with TemporaryDirectory() as folder:
        request = RunRequest(configured("fast", None, channel="text"), limit=4)
        loaded = bench(replace(request, out=Path(folder) / "run"), calls)
    if as_json:
        print_json(asdict(loaded))
        return
    rows = (
        ("listing the calls", seconds(loaded.list_s, 2)),
        ("building the index anew", seconds(loaded.index_s, 2)),
        ("resuming, calls new to the index", seconds(loaded.first_s, 2)),
        ("resuming", seconds(loaded.resume_s, 2)),
    )
    print_table((f"{loaded.calls} calls", "wall time"), rows)
