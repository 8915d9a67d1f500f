"""``voicebench score``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import print_causes, print_json, print_lines

__all__ = ["score"]


def score(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    as_json: Json = False,
) -> None:
    """Verify and measure every call of a run again, from its files."""
    from voicebench.runner import call_row, causes_of, rescore_run

    rescored = rescore_run(run)
    changed = [one for one in rescored if one.changed]
    causes = causes_of(rescored)
    if as_json:
        rows = [{**call_row(one.call), "before": one.before, "changed": one.changed} for one in rescored]
        print_json({"run_dir": str(run.resolve()), "calls": rows, "changed": len(changed), "causes": causes})
        return
    print_lines(
        f"{one.call.call['task']} trial {one.call.call['trial']} attempt {one.call.call['attempt']}: "
        f"{one.call.call['verdict']}{f' (was {one.before})' if one.before != one.call.call['verdict'] else ''}"
        for one in rescored
    )
    print_causes(causes)
    print_lines([f"{len(rescored)} calls scored again, {len(changed)} changed"])
