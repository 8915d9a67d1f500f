"""``voicebench call``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from voicebench.cli.options import BaseUrl, Channel, Line, Model, Out, Seed, Set
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
    from voicebench import api
    from voicebench.runner import Interrupted

    try:
        result = api.run(
            pipeline,
            packs=pack or (),
            tasks=[task],
            trials=1,
            model=model,
            base_url=base_url,
            line=line,
            channel=channel,
            seed=seed,
            settings=settings or (),
            out=out,
            on_step=print_step,
        ).result
    except Interrupted as given_up:
        return interrupted(given_up.run_dir)
    print_result(result)
    return ending(result)


def print_step(step: TraceRecord) -> None:
    """Print a span of the trace if it is something that was said or done."""
    match step.name:
        case "agent.speech":
            shown = f"agent   {step.spoken}"
        case "caller.speech":
            shown = f"caller  {step.spoken}"
        case "tool" | "handoff":
            shown = f"        [{step.tool}]"
        case _:
            return
    print(f"{step.start_ns / 1e9:6.1f} s  {shown}", flush=True)
