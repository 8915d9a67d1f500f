"""``voicebench bench``."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Annotated, Any

import typer

from voicebench.cli.options import Json, Seed, Set, configured
from voicebench.cli.output import only_json, print_json, print_table, seconds
from voicebench.cli.run import ending

__all__ = ["app"]

app = typer.Typer(help="How fast the simulator is on this machine.", no_args_is_help=True)


@app.callback()
def root() -> None:
    """How fast the simulator is on this machine."""


@app.command("call")
def call(
    task: Annotated[str, typer.Argument(metavar="[[PACK/]TASK]")] = "T2-H3",
    pipeline: Annotated[str, typer.Argument(metavar="[PIPELINE]")] = "local-cpu",
    repeat: Annotated[int, typer.Option("--repeat", min=1, metavar="N", help="How often the call is made.")] = 3,
    seed: Seed = 0,
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Make one call several times, and compare its length with the seconds and CPU seconds it took here."""
    from tempfile import TemporaryDirectory

    from voicebench.runner import RunRequest, run, watcher

    configuration = configured(pipeline, settings)
    with TemporaryDirectory() as folder, only_json(as_json), watcher() as watch:
        request = RunRequest(configuration, (), [task], repeat, seed, None, Path(folder) / "bench")
        result = run(request, watch=watch)
    timed = [_timing(row) for row in result.calls if row["call_s"] is not None]
    medians = {key: statistics.median(row[key] for row in timed) for key in timed[0]} if timed else {}
    if as_json:
        print_json({"task": task, "pipeline": configuration.name, "calls": timed, "median": medians})
    else:
        rows = [(number, *_cells(row)) for number, row in enumerate(timed, start=1)]
        print_table(
            ("call", "length", "wall", "CPU", "times real time"),
            [*rows, *([("median", *_cells(medians))] if timed else [])],
        )
    return ending(result)


def _timing(row: dict[str, Any]) -> dict[str, float]:
    call_s, wall_s, cpu_s = (float(row[key]) for key in ("call_s", "wall_s", "cpu_s"))
    return {"call_s": call_s, "wall_s": wall_s, "cpu_s": cpu_s, "speed": call_s / wall_s}


def _cells(row: dict[str, float]) -> list[str]:
    return [*(seconds(row[key]) for key in ("call_s", "wall_s", "cpu_s")), f"{row['speed']:.2f}"]
