"""What a verb gives back: one JSON object, or tables and lines for people, and its exit code."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = [
    "CHECK_SAID_NO",
    "INCOMPLETE",
    "INTERNAL",
    "INTERRUPTED",
    "USAGE",
    "only_json",
    "print_causes",
    "print_json",
    "print_lines",
    "print_table",
    "progress",
    "seconds",
    "tick",
]

INTERNAL = 1
USAGE = 2
INCOMPLETE = 3
"""Too many calls of a run have no verdict on the agent, or some cannot be read."""
CHECK_SAID_NO = 4
INTERRUPTED = 130


def print_json(value: Mapping[str, object]) -> None:
    """Print one JSON object on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


@contextlib.contextmanager
def only_json(wanted: bool) -> Iterator[None]:
    """Send whatever else is printed meanwhile to standard error, so that the JSON object stands alone."""
    with contextlib.redirect_stdout(sys.stderr) if wanted else contextlib.nullcontext():
        yield


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """Print a table on standard output, as wide as it needs to be where that is no terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for row in rows:
        table.add_row(*("" if cell is None else str(cell) for cell in row))
    # Rich takes 80 columns where there is no terminal, and would cut cells that a script or a file has room for.
    wide = None if sys.stdout.isatty() else 400
    Console(width=wide, highlight=False, markup=False).print(table)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output."""
    for line in lines:
        print(line)


def seconds(value: float | None, digits: int = 1) -> str:
    """Write seconds, a dash for none."""
    return "-" if value is None else f"{value:.{digits}f} s"


def tick(passed: bool | None) -> str:
    """Write whether a gate passed, a dash where it was not judged."""
    return {True: "pass", False: "FAIL", None: "-"}[passed]


def print_causes(counts: Mapping[str, int]) -> None:
    """Print a table of how many calls did not pass for which first cause; nothing if all passed."""
    rows = [(cause, count, f"{count / sum(counts.values()):.0%}") for cause, count in counts.items() if count]
    if rows:
        print_table(("first cause", "calls", "share"), rows, title="why calls did not pass")


@contextlib.contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[str], None]]:
    """Give a function to call with the name of each finished step: a bar on a terminal, else a line, on standard error.

    Args:
        title: what is being done.
        total: how many steps there are.
    """
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        done = iter(range(1, total + 1))
        yield lambda name: print(f"{title}: {name} ({next(done)} of {total})", file=sys.stderr, flush=True)
        return
    with Progress(console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task(title, total=total)
        yield lambda name: bar.update(task, advance=1, description=f"{title}: {name}")
