"""``voicebench bench``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voicebench.cli.options import Json, Seed, Set, configured
from voicebench.cli.output import only_json, print_json, print_lines, print_table, seconds
from voicebench.cli.run import ending

if TYPE_CHECKING:
    from voicebench.machine.bench_call import CallBench

__all__ = ["app"]

app = typer.Typer(help="How fast the simulator is on this machine.", no_args_is_help=True)


@app.callback()
def root() -> None:
    """How fast the simulator is on this machine."""


@app.command("call")
def call(
    task: Annotated[list[str] | None, typer.Argument(metavar="[[PACK/]TASK ...]")] = None,
    pipeline: Annotated[str, typer.Option("--pipeline", metavar="PIPELINE")] = "local-cpu",
    repeat: Annotated[int, typer.Option("--repeat", min=1, metavar="N", help="How often each call is made.")] = 1,
    seed: Seed = 0,
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Make calls (T2-H3 and T3-H4 by default), and say where their time went on this machine.

    Wall time leaves out the loading of models.
    """
    from tempfile import TemporaryDirectory

    from voicebench.machine.bench_call import bench_calls
    from voicebench.runner import watcher

    configuration = configured(pipeline, settings)
    tasks = task or ["T2-H3", "T3-H4"]
    with TemporaryDirectory() as folder, only_json(as_json), watcher() as watch:
        bench = bench_calls(configuration, tasks, repeat, seed, Path(folder) / "bench", watch)
    if as_json:
        print_json(
            {
                "tasks": tasks,
                "pipeline": configuration.name,
                "calls": bench.calls,
                "median": bench.median,
                "memory_mb": bench.memory_mb,
                "ttft_difference_ms": bench.ttft_difference_ms,
            }
        )
    else:
        _print(bench)
    return ending(bench.result)


def _print(bench: CallBench) -> None:
    from voicebench.machine.bench_call import PARTS

    lengths = {"call_s": "length of the call", "wall_s": "wall time", "cpu_s": "CPU time of this process"}
    names = lengths | {f"{part}_s": f"  {name}" for part, name in PARTS.items()}
    columns = [f"call {number}" for number in range(1, len(bench.calls) + 1)]
    figures = [*bench.calls, bench.median] if bench.calls else []
    rows = [(name, *(seconds(one[key], 2) for one in figures)) for key, name in names.items()]
    rows.append(("wall / call time", *(f"{one['share']:.2f}" for one in figures)))
    print_table(("", *columns, "median"), rows)
    difference = bench.ttft_difference_ms
    print_lines(
        [
            f"memory: {bench.memory_mb:.0f} MB",
            "TTFT in the trace less the endpoint's own log, median: "
            + ("not measured" if difference is None else f"{difference:.2f} ms"),
        ]
    )
