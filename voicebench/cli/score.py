"""``voicebench score``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import INCOMPLETE, print_causes, print_json, print_lines

if TYPE_CHECKING:
    from voicebench.errors import CorruptFile

__all__ = ["score"]


def score(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    as_json: Json = False,
) -> int:
    """Verify and measure every call of a run again, from its files.

    A call of which a file is missing or corrupt stays as it is and is listed: exit 3.
    """
    from voicebench import api
    from voicebench.errors import advise
    from voicebench.stored import call_row, causes_of

    damaged: list[CorruptFile] = []
    rescored = api.score(run, on_damaged=damaged.append)
    changed = [one for one in rescored if one.changed]
    causes = causes_of(one.call.stored for one in rescored)
    if as_json:
        rows = [
            {**call_row(one.call.stored).to_json(), "before": one.before, "changed": one.changed} for one in rescored
        ]
        printed = {
            "calls": rows,
            "changed": len(changed),
            "damaged": [str(error) for error in damaged],
            "causes": causes,
        }
        print_json({"run_dir": str(run.resolve()), **printed})
    else:
        print_lines(
            f"{one.call.record.task} trial {one.call.record.trial} attempt {one.call.record.attempt}: "
            f"{one.call.verdict}{f' (was {one.before})' if one.before != one.call.verdict else ''}"
            for one in rescored
        )
        print_causes(causes)
        print_lines([f"{len(rescored)} calls scored again, {len(changed)} changed"])
    for error in damaged:
        print(f"error: not scored: {advise(error)}", file=sys.stderr)
    return INCOMPLETE if damaged else 0
