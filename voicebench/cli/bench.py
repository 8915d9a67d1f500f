"""``voicebench bench``: how fast the simulator is on this machine, and what its callers understand."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from voicebench.cli.options import Json, Seed, Set, configured
from voicebench.cli.output import CHECK_SAID_NO, only_json, print_json, print_lines, print_table, seconds
from voicebench.cli.run import ending
from voicebench.cli.understanding import understanding

__all__ = ["app"]

app = typer.Typer(
    help="How fast the simulator is on this machine, and what its callers understand.", no_args_is_help=True
)
app.command("understanding")(understanding)


@app.callback()
def root() -> None:
    """How fast the simulator is on this machine, and what its callers understand."""


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
    from voicebench.machine.benches.call import PARTS, bench_calls
    from voicebench.runner import progress_reporter

    configuration = configured(pipeline, settings)
    tasks = task or ["T2-H3", "T3-H4"]
    with TemporaryDirectory() as folder, only_json(as_json), progress_reporter() as reporter:
        bench = bench_calls(configuration, tasks, repeat, seed, Path(folder) / "bench", reporter)
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
        return ending(bench.result)
    lengths = {"call_s": "length of the call", "wall_s": "wall time", "cpu_s": "CPU time of this process"}
    names = lengths | {f"{part}_s": f"  {name}" for part, name in PARTS.items()}
    columns = [f"call {number}" for number in range(1, len(bench.calls) + 1)]
    figures = [*bench.calls, bench.median] if bench.calls else []
    rows = [(name, *(seconds(one[key], 2) for one in figures)) for key, name in names.items()]
    rows.append(("wall / call time", *(f"{one['share']:.2f}" for one in figures)))
    print_table(("", *columns, "median"), rows)
    difference = bench.ttft_difference_ms
    measured = "not measured" if difference is None else f"{difference:.2f} ms"
    print_lines(
        [
            f"memory: {bench.memory_mb:.0f} MB",
            f"TTFT in the trace less the endpoint's own log, median: {measured}",
        ]
    )
    return ending(bench.result)


@app.command("gpu")
def gpu(
    task: Annotated[str, typer.Argument(metavar="[[PACK/]TASK]", help="The call to make.")] = "T2-H3",
    pipeline: Annotated[str, typer.Option("--pipeline", metavar="PIPELINE")] = "local-cpu",
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Hear ten sentences on the CPU and on the GPU, compare words, speed and memory, and make one call on the GPU.

    Exit 4 if the words differ or the call ends without a verdict on the agent.
    """
    from voicebench.machine.benches.gpu import check_gpu
    from voicebench.runner import progress_reporter

    configuration = configured(pipeline, [*(settings or ()), "agent.asr.device=cuda"])
    with TemporaryDirectory() as folder, only_json(as_json), progress_reporter() as reporter:
        check = check_gpu(configuration, task, Path(folder) / "run", reporter)
    if as_json:
        print_json(check.to_json())
    else:
        rows = [(one.said, one.cpu, "equal" if one.equal else one.cuda) for one in check.utterances]
        print_table(("said", "heard on the CPU", "heard on the GPU"), rows)
        print_lines(
            [
                f"{check.model}, {check.compute_type}: {seconds(check.median_s['cpu'], 3)} an utterance on the CPU, "
                f"{seconds(check.median_s['cuda'], 3)} on the GPU",
                "memory on the GPU: " + ("not reported" if check.memory_mb is None else f"{check.memory_mb:.0f} MB"),
                f"{check.call.task}: {check.call.verdict}, {seconds(check.call.call_s)} of call time, "
                f"{seconds(check.call.wall_s)} of wall time",
            ]
        )
    return 0 if check.holds else CHECK_SAID_NO


@app.command("line")
def line(
    length_s: Annotated[
        float, typer.Option("--seconds", min=1.0, metavar="S", help="Sound that each leg carries.")
    ] = 20.0,
    as_json: Json = False,
) -> None:
    """Time each preset and codec of the line on one core."""
    from voicebench.line import line_speeds

    speeds = list(line_speeds(length_s))
    if as_json:
        print_json({"speeds": [asdict(speed) for speed in speeds]})
        return
    rows = []
    for one in speeds:
        figures = (one.missing, "-") if one.missing else (f"{one.times_real_time:.0f}", f"{one.frame_p99_ms:.2f} ms")
        rows.append((one.kind, one.name, one.leg, one.codec, *figures))
    print_table(("kind", "name", "leg", "codec", "times real time", "p99 of a frame"), rows)


@app.command("load")
def load(
    calls: Annotated[
        int, typer.Option("--calls", min=1, metavar="N", help="How many calls the folder shall hold.")
    ] = 2_000,
    as_json: Json = False,
) -> None:
    """Time listing and resuming a run of many calls: a few real ones over text, multiplied."""
    from voicebench.machine.benches.folders import bench_load
    from voicebench.runner import RunRequest

    with TemporaryDirectory() as folder:
        request = RunRequest(configured("fast", None, channel="text"), limit=4)
        loaded = bench_load(replace(request, out=Path(folder) / "run"), calls)
    if as_json:
        print_json(asdict(loaded))
        return
    rows = (
        ("listing the calls", seconds(loaded.list_s, 2)),
        ("building the index", seconds(loaded.index_s, 2)),
        ("resuming, calls new to the index", seconds(loaded.first_s, 2)),
        ("resuming", seconds(loaded.resume_s, 2)),
    )
    print_table((f"{loaded.calls} calls", "wall time"), rows)


@app.command("pages")
def pages(
    calls: Annotated[int, typer.Option("--calls", min=1, metavar="N", help="How many calls the run shall have.")] = 500,
    minutes: Annotated[float, typer.Option("--minutes", min=0.1, help="How long the long call shall be.")] = 10.0,
    as_json: Json = False,
) -> None:
    """Time the pages of a run of many calls and of a long call: a few real ones, multiplied."""
    from voicebench.machine.benches.folders import bench_pages

    with TemporaryDirectory() as folder, only_json(as_json):
        text = configured("fast", None, channel="text")
        timed = bench_pages(text, configured("fast", None), Path(folder), calls, minutes)
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
