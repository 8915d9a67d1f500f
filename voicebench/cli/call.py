"""``voicebench call``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from voicebench.cli.options import BaseUrl, Channel, Line, Model, Out, Seed, Set, configured
from voicebench.cli.run import ending, interrupted, print_result

if TYPE_CHECKING:
    from voicebench.record.trace import TraceRecord

__all__ = ["call"]


def call(
    task: Annotated[str, typer.Argument(metavar="[PACK/]TASK", help="The task, as T2-H3.")],
    pipeline: Annotated[
        str, typer.Argument(metavar="[PIPELINE]", help="A pipeline's name, or a YAML file.")
    ] = "local-cpu",
    pack: Annotated[
        list[str] | None, typer.Option("--pack", metavar="PACK", help="Name or folder of a pack; may be repeated.")
    ] = None,
    model: Model = None,
    base_url: BaseUrl = None,
    line: Line = None,
    channel: Channel = None,
    seed: Seed = 0,
    settings: Set = None,
    out: Out = None,
) -> int:
    """Make one call and print what is said as it happens."""
    from voicebench.engines import LocalEngine
    from voicebench.runner import Interrupted, RunRequest, run

    configuration = configured(pipeline, settings, model=model, base_url=base_url, line=line, channel=channel)
    request = RunRequest(configuration, pack or (), [task], seed=seed, out=out, line=line)
    try:
        result = run(request, make_engine=partial(LocalEngine, watch=print_step))
    except Interrupted as given_up:
        return interrupted(given_up.run_dir)
    print_result(result)
    return ending(result)


def print_step(record: TraceRecord) -> None:
    """Print a span of the trace if it is something that was said or done."""
    if record.name == "agent.speech":
        shown = f"agent   {record.spoken}"
    elif record.name == "caller.speech":
        shown = f"caller  {record.spoken}"
    elif record.name in ("tool", "handoff"):
        shown = f"        [{record.tool}]"
    else:
        return
    print(f"{record.start_ns / 1e9:6.1f} s  {shown}", flush=True)
