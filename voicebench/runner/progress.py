"""How a run tells whoever watches what it is doing: live on a terminal, plain lines elsewhere, on standard error."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

__all__ = ["LiveProgress", "PlainProgress", "Silent", "Standing", "Watcher", "duration", "watcher"]

_FIRST_TOLD_S = 5.0
_WAIT_IS_OVER_S = 3.0


@dataclass(frozen=True)
class Standing:
    """Where a run stands.

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
    verdicts: dict[str, int]
    usd: float = 0.0
    unknown: int = 0
    left_s: float | None = None

    def __str__(self) -> str:
        """All of it on one line."""
        parts = [
            f"{self.done} of {self.trials} calls done",
            *(f"{self.verdicts.get(name, 0)} {name}" for name in ("passed", "failed", "void", "error")),
            f"${self.usd:.2f}" + (f" ({self.unknown} unknown)" if self.unknown else ""),
        ]
        if self.left_s is not None and self.done < self.trials:
            parts.append(f"about {duration(self.left_s)} left")
        return ", ".join(parts)


class Watcher(Protocol):
    """Is told what a run does."""

    def planned(self, standing: Standing) -> None:
        """The run begins or goes on here."""

    def started(self, name: str) -> None:
        """A call begins."""

    def finished(self, name: str, line: str, standing: Standing) -> None:
        """A call ended; ``line`` says how."""

    def waits(self, who: str, what: str, seconds: float) -> None:
        """Somebody waits, for so long now; told again while it lasts."""

    def note(self, text: str) -> None:
        """Something happened that one should know."""


class Silent:
    """Says nothing."""

    def planned(self, standing: Standing) -> None:
        """Say nothing."""

    def started(self, name: str) -> None:
        """Say nothing."""

    def finished(self, name: str, line: str, standing: Standing) -> None:
        """Say nothing."""

    def waits(self, who: str, what: str, seconds: float) -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""


@dataclass
class PlainProgress:
    """One line an event; a wait is told at 5 seconds, at 10, at 20, and so on."""

    print_line: Callable[[str], None] = field(default=lambda text: print(text, file=sys.stderr, flush=True))
    _tell_at_s: dict[tuple[str, str], float] = field(default_factory=dict)

    def planned(self, standing: Standing) -> None:
        """Say how much there is to do."""
        kept = f", {standing.done} of them done before" if standing.done else ""
        self.note(f"{standing.trials} call{'s' if standing.trials != 1 else ''}{kept}")

    def started(self, name: str) -> None:
        """Say which call begins."""
        self.note(f"{name}: calling")

    def finished(self, name: str, line: str, standing: Standing) -> None:
        """Say how it ended, and where the run stands."""
        self._tell_at_s = {key: at_s for key, at_s in self._tell_at_s.items() if key[0] != name}
        self.note(line)
        self.note(f"    {standing}")

    def waits(self, who: str, what: str, seconds: float) -> None:
        """Say who waits for what, ever more rarely."""
        tell_at_s = self._tell_at_s.get((who, what), _FIRST_TOLD_S)
        if seconds < _FIRST_TOLD_S:
            self._tell_at_s.pop((who, what), None)
        elif seconds >= tell_at_s:
            self._tell_at_s[who, what] = 2 * tell_at_s
            self.note(f"{who}: waits for {what}, {duration(seconds)} so far")

    def note(self, text: str) -> None:
        """Print one line."""
        self.print_line(text)


class LiveProgress:
    """The standing with a bar, and one line for each call in flight and whoever else waits; finished calls above.

    Args:
        console: where it is drawn.
        now_s: seconds from any origin.
    """

    def __init__(self, console: Console, now_s: Callable[[], float] = time.perf_counter) -> None:
        self._console = console
        self._now_s = now_s
        self._standing: Standing | None = None
        self._calls: dict[str, float] = {}
        self._waits: dict[str, tuple[str, float, float]] = {}

    def planned(self, standing: Standing) -> None:
        """Draw the standing from here on."""
        self._standing = standing

    def started(self, name: str) -> None:
        """Draw a line for the call."""
        self._calls[name] = self._now_s()

    def finished(self, name: str, line: str, standing: Standing) -> None:
        """Print how it ended, above the rest."""
        self._calls.pop(name, None)
        self._waits.pop(name, None)
        self._standing = standing
        self.note(line)

    def waits(self, who: str, what: str, seconds: float) -> None:
        """Draw it until nothing more is heard of it."""
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
def watcher() -> Iterator[Watcher]:
    """Give a watcher for standard error: drawn live if it is a terminal, else plain lines."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield PlainProgress()
        return
    progress = LiveProgress(console)
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
