"""``voicebench bench gpu``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voicebench.cli.codes import CHECK_SAID_NO
from voicebench.cli.options import Json, Set, configured
from voicebench.cli.output import only_json, print_json, print_lines, print_table, seconds

__all__ = ["bench_gpu"]


def bench_gpu(
    task: Annotated[str, typer.Argument(metavar="[[PACK/]TASK]", help="The call to make.")] = "T2-H3",
    pipeline: Annotated[str, typer.Option("--pipeline", metavar="PIPELINE")] = "local-cpu",
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Hear ten sentences on the CPU and on the GPU, compare words, speed and memory, and make one call on the GPU.

    Exit 4 if the words differ or the call ends without a verdict on the agent.
    """
    from tempfile import TemporaryDirectory

    from voicebench.machine.gpu_check import check_gpu
    from voicebench.runner import watcher

    configuration = configured(pipeline, [*(settings or ()), "agent.asr.device=cuda"])
    with TemporaryDirectory() as folder, only_json(as_json), watcher() as watch:
        check = check_gpu(configuration, task, Path(folder) / "run", watch)
    if as_json:
        print_json(check.as_json())
    else:
        rows = [(one.said, one.cpu, "equal" if one.equal else one.cuda) for one in check.utterances]
        print_table(("said", "heard on the CPU", "heard on the GPU"), rows)
        print_lines(
            [
                f"{check.model}, {check.compute_type}: {seconds(check.median_s['cpu'], 3)} an utterance on the CPU, "
                f"{seconds(check.median_s['cuda'], 3)} on the GPU",
                "memory on the GPU: " + ("not told" if check.memory_mb is None else f"{check.memory_mb:.0f} MB"),
                f"{check.call['task']}: {check.call['verdict']}, {seconds(check.call['call_s'])} of call time, "
                f"{seconds(check.call['wall_s'])} here",
            ]
        )
    return 0 if check.holds else CHECK_SAID_NO
