"""``voicebench bench line``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import print_json, print_table

__all__ = ["bench_line"]


def bench_line(
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
    rows = [
        (one.kind, one.name, one.leg, one.codec, *_figures(one.times_real_time, one.frame_p99_ms, one.missing))
        for one in speeds
    ]
    print_table(("kind", "name", "leg", "codec", "times real time", "p99 of a frame"), rows)


def _figures(times: float, p99_ms: float, missing: str | None) -> tuple[str, str]:
    return (missing, "-") if missing else (f"{times:.0f}", f"{p99_ms:.2f} ms")
