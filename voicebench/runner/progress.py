"""The progress of a run, reported on standard error: drawn live on a terminal, as plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from voicebench.record.verdict import Verdict

__all__ = [
    "LiveReporter",
    "NullReporter",
    "PlainReporter",
    "Progress",
    "ProgressReporter",
    "duration",
    "progress_reporter",
]

_VERDICTS: tuple[Verdict, ...] = ("passed", "failed", "void", "error")
_FIRST_REPORTED_S = 5.0
_WAIT_IS_OVER_S = 3.0
"""Engines report a wait once a second; one that is not reported for so long is over."""


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes:
        trials: how many it has.
        done: those that are decided, or whose attempts are used up.
        verdicts: of all attempts, by verdict.
        usd: US dollars spent on all attempts, as far as they are known.
        unknown: attempts whose cost is not known.
        left_s: wall seconds left; None before anything is known.
    """

    trials: int
    done: int
    verdicts: Mapping[Verdict, int]
    usd: float = 0.0
    unknown: int = 0
    left_s: float | None = None

    def __str__(self) -> str:
        """All of it on one line."""
        parts = [
            f"{self.done} of {self.trials} calls done",
            *(f"{self.verdicts.get(verdict, 0)} {verdict}" for verdict in _VERDICTS),
            f"${self.usd:.2f}" + (f" ({self.unknown} unknown)" if self.unknown else ""),
        ]
        if self.left_s is not None and self.done < self.trials:
            parts.append(f"about {duration(self.left_s)} left")
        return ", ".join(parts)


class ProgressReporter(Protocol):
    """Takes what a run reports while it goes on."""

    def planned(self, progress: Progress) -> None:
        """The run begins or goes on here."""

    def started(self, name: str) -> None:
        """A call begins."""

    def finished(self, name: str, line: str, progress: Progress) -> None:
        """A call ended; ``line`` says how."""

    def waits(self, who: str, what: str, seconds: float) -> None:
        """A call or a worker has waited for so many seconds; reported again while it lasts."""

    def note(self, text: str) -> None:
        """Something happened that the user should know."""


class NullReporter:
    """Reports nothing."""

    def planned(self, progress: Progress) -> None:
        """Do nothing."""

    def started(self, name: str) -> None:
        """Do nothing."""

    def finished(self, name: str, line: str, progress: Progress) -> None:
        """Do nothing."""

    def waits(self, who: str, what: str, seconds: float) -> None:
        """Do nothing."""

    def note(self, text: str) -> None:
        """Do nothing."""


@dataclass
class PlainReporter:
    """Prints one line an event; a wait is reported at 5 seconds, at 10, at 20, and so on."""

    print_line: Callable[[str], None] = field(default=lambda text: print(text, file=sys.stderr, flush=True))
    _report_at_s: dict[tuple[str, str], float] = field(default_factory=dict)

    def planned(self, progress: Progress) -> None:
        """Say how much there is to do."""
        kept = f", {progress.done} of them done before" if progress.done else ""
        self.note(f"{progress.trials} call{'s' if progress.trials != 1 else ''}{kept}")

    def started(self, name: str) -> None:
        """Say which call begins."""
        self.note(f"{name}: calling")

    def finished(self, name: str, line: str, progress: Progress) -> None:
        """Say how it ended, and where the run stands."""
        self._report_at_s = {key: at_s for key, at_s in self._report_at_s.items() if key[0] != name}
        self.note(line)
        self.note(f"    {progress}")

    def waits(self, who: str, what: str, seconds: float) -> None:
        """Say who waits for what, ever more rarely."""
        report_at_s = self._report_at_s.get((who, what), _FIRST_REPORTED_S)
        if seconds < _FIRST_REPORTED_S:
            self._report_at_s.pop((who, what), None)
        elif seconds >= report_at_s:
            self._report_at_s[who, what] = 2 * report_at_s
            self.note(f"{who}: waits for {what}, {duration(seconds)} so far")

    def note(self, text: str) -> None:
        """Print one line."""
        self.print_line(text)


class LiveReporter:
    """Draws the progress as a bar, and a line for each call in flight and each worker that waits; finished calls above.

    Args:
        console: where it is drawn.
        now_s: seconds from any origin.
    """

    def __init__(self, console: Console, now_s: Callable[[], float] = time.perf_counter) -> None:
        self._console = console
        self._now_s = now_s
        self._standing: Progress | None = None
        self._calls: dict[str, float] = {}
        self._waits: dict[str, tuple[str, float, float]] = {}

    def planned(self, progress: Progress) -> None:
        """Draw the progress from here on."""
        self._standing = progress

    def started(self, name: str) -> None:
        """Draw a line for the call."""
        self._calls[name] = self._now_s()

    def finished(self, name: str, line: str, progress: Progress) -> None:
        """Print how it ended, above the rest."""
        self._calls.pop(name, None)
        self._waits.pop(name, None)
        self._standing = progress
        self.note(line)

    def waits(self, who: str, what: str, seconds: float) -> None:
        """Draw the wait, until no further report of it comes."""
        self._waits[who] = (what, seconds, self._now_s())

    def note(self, text: str) -> None:
        """Print a line above the rest."""
        self._console.print(text, highlight=False, markup=False)

    def __rich__(self) -> RenderableType:
        """Draw it."""
        now_s = self._now_s()
        rows = Table.grid(padding=(0, 2))
        waits = {who: wait for who, wait in self._waits.items() if now_s - wait[2] < _WAIT_IS_OVER_S}
        for name, since_s in list(self._calls.items()):
            rows.add_row(Text(name), Text(duration(now_s - since_s)), Text(_wait(waits.pop(name, None))))
        for who, wait in waits.items():
            rows.add_row(Text(who), Text(""), Text(_wait(wait)))
        if self._standing is None:
            return rows
        bar = ProgressBar(total=self._standing.trials, completed=self._standing.done, width=40)
        head = Table.grid()
        head.add_row(bar)
        head.add_row(Text(str(self._standing)))
        return Group(head, rows)


@contextlib.contextmanager
def progress_reporter() -> Iterator[ProgressReporter]:
    """Give a reporter on standard error: drawn live if it is a terminal, else plain lines."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield PlainReporter()
        return
    progress = LiveReporter(console)
    # Transient: the results are printed when the run ends, and the bar would stand between them and the notes.
    with Live(progress, console=console, refresh_per_second=4, transient=True):
        yield progress


def duration(seconds: float) -> str:
    """Write a length of time for people: ``8 s``, ``2 min``, ``1 h 5 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _wait(wait: tuple[str, float, float] | None) -> str:
    return "" if wait is None else f"waits for {wait[0]}, {duration(wait[1])}"
