"""``voicebench compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voicebench.cli.options import Json
from voicebench.cli.output import print_json, print_lines, print_table

if TYPE_CHECKING:
    from voicebench.leaderboard import RunComparison

__all__ = ["compare", "summary"]


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN_A", help="The folder of a run: what was.")],
    second: Annotated[Path, typer.Argument(metavar="RUN_B", help="The folder of a run: what is.")],
    as_json: Json = False,
) -> None:
    """Compare two runs by the tasks and trials that both have: B less A."""
    from voicebench import api

    found = api.compare(first, second)
    if as_json:
        print_json(found.to_json())
        return
    moved = found.comparison.moved
    if moved:
        rows = [(m.pack, m.task, f"{m.before} of {m.n}", f"{m.after} of {m.n}") for m in moved]
        print_table(("pack", "task", "A passed", "B passed"), rows, "tasks that moved")
    print_lines([*summary(found), *(f"note: {note}" for note in found.notes)])


def summary(found: RunComparison) -> list[str]:
    """Say what came of a comparison, in a few lines."""
    one = found.comparison
    if not one.calls:
        return ["the runs share no task and trial with a verdict on both sides"]
    low, high = (100 * end for end in one.interval)
    return [
        f"A {100 * one.before:.1f} %, B {100 * one.after:.1f} %: {100 * one.difference:+.1f} points "
        f"(95 %: {low:+.1f} to {high:+.1f}), p = {one.p_value:.3f}, {one.over} permuted",
        f"{one.tasks} tasks, {one.calls} calls on each side, {one.left_out} left out; differences under "
        f"{100 * one.smallest_difference:.0f} points mean nothing at this size",
    ]
