"""``voicebench bench pages``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from voicebench.cli.options import Json, configured
from voicebench.cli.output import only_json, print_json, print_table

__all__ = ["bench_pages"]


def bench_pages(
    calls: Annotated[int, typer.Option("--calls", min=1, metavar="N", help="How many calls the run shall have.")] = 500,
    minutes: Annotated[float, typer.Option("--minutes", min=0.1, help="How long the long call shall be.")] = 10.0,
    as_json: Json = False,
) -> None:
    """Time the pages of a run of many calls and of a long call: a few real ones, multiplied."""
    from tempfile import TemporaryDirectory

    from voicebench.machine.bench_pages import bench_pages as bench

    with TemporaryDirectory() as folder, only_json(as_json):
        text = configured("fast", None, channel="text")
        timed = bench(text, configured("fast", None), Path(folder), calls, minutes)
    if as_json:
        print_json(asdict(timed))
        return
    rows = [
        (
            page.name,
            *(f"{ms:.0f} ms" for ms in (page.first_ms, page.first_cpu_ms, page.median_ms, page.worst_ms, page.cpu_ms)),
            f"{page.size / 1e3:.0f} kB",
        )
        for page in timed.pages
    ]
    print_table(
        ("page", "first", "its CPU", "median", "worst", "CPU", "size"),
        rows,
        title=f"the server was up in {timed.start_s:.1f} s",
    )
