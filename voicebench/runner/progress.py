"""How a run tells whoever watches what it is doing: a bar on a terminal, plain lines elsewhere, on standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

__all__ = ["PlainProgress", "Silent", "Watcher", "watcher"]


class Watcher(Protocol):
    """Is told what a run does."""

    def planned(self, trials: int, done: int) -> None:
        """The run has so many trials, of which so many have a verdict from before."""

    def started(self, task: str, trial: int, attempt: int) -> None:
        """A call begins."""

    def finished(self, line: str, decided: bool) -> None:
        """A call ended; ``line`` says how, ``decided`` whether the trial is done."""

    def note(self, text: str) -> None:
        """Something happened that one should know."""


class Silent:
    """Says nothing."""

    def planned(self, trials: int, done: int) -> None:
        """Say nothing."""

    def started(self, task: str, trial: int, attempt: int) -> None:
        """Say nothing."""

    def finished(self, line: str, decided: bool) -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""


class PlainProgress:
    """One line an event."""

    def planned(self, trials: int, done: int) -> None:
        """Say how much there is to do."""
        kept = f", {done} of them done before" if done else ""
        self.note(f"{trials} call{'s' if trials != 1 else ''}{kept}")

    def started(self, task: str, trial: int, attempt: int) -> None:
        """Say which call begins."""
        self.note(f"{_name(task, trial, attempt)}: calling")

    def finished(self, line: str, decided: bool) -> None:
        """Say how it ended."""
        self.note(line)

    def note(self, text: str) -> None:
        """Print one line on standard error."""
        print(text, file=sys.stderr, flush=True)


class _Bar:
    """A bar with the present call beside it, finished ones above."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("planning", total=None)

    def planned(self, trials: int, done: int) -> None:
        self._progress.update(self._task, total=trials, completed=done)

    def started(self, task: str, trial: int, attempt: int) -> None:
        self._progress.update(self._task, description=_name(task, trial, attempt))

    def finished(self, line: str, decided: bool) -> None:
        self.note(line)
        self._progress.advance(self._task, 1 if decided else 0)

    def note(self, text: str) -> None:
        self._progress.console.print(text, highlight=False, markup=False)


@contextlib.contextmanager
def watcher() -> Iterator[Watcher]:
    """Give a watcher for standard error: a bar if it is a terminal, else plain lines."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield PlainProgress()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress)


def _name(task: str, trial: int, attempt: int) -> str:
    again = f", attempt {attempt}" if attempt > 1 else ""
    return f"{task} trial {trial}{again}"
