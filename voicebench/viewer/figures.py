"""Counts and rates of lists of calls, as the pages of runs, packs and tasks show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from voicebench.metrics.statistics import Interval, TaskCount, pass_at_1, pass_interval
from voicebench.packs import base_task
from voicebench.viewer.site import AttemptRow

__all__ = ["GATES", "VERDICTS", "Tally", "tally"]

VERDICTS = ("passed", "failed", "void", "error", "corrupt", "unfinished")
"""What may have become of a trial; ``unfinished`` has no attempt yet, ``corrupt`` cannot be read."""

GATES = ("tools", "handoffs", "database")


@dataclass(frozen=True)
class Tally:
    """The figures of some trials.

    Attributes:
        planned: trials that were asked for.
        counts: verdict to how many.
        pass_rate: pass@1, the mean over tasks of the mean over trials; one that broke off did not pass, and those that
            are void, unreadable or not made are left out. None without any.
        interval: its 95 % interval.
        gates: gate to the share of decided trials that passed it.
        usd: cost of all; None if unknown for one of them.
    """

    planned: int
    counts: dict[str, int]
    pass_rate: float | None
    interval: Interval | None
    gates: dict[str, float | None]
    usd: float | None

    @property
    def decided(self) -> int:
        """Trials with a verdict on the agent."""
        return self.counts["passed"] + self.counts["failed"]


def tally(trials: Sequence[AttemptRow], planned: int | None = None) -> Tally:
    """Count trials.

    Args:
        trials: the last attempt of each.
        planned: trials that were asked for; None if those are all.
    """
    total = max(len(trials), planned or 0)
    counts = {verdict: sum(row.outcome == verdict for row in trials) for verdict in VERDICTS}
    counts["unfinished"] = total - len(trials)
    decided = [row for row in trials if row.decided]
    grouped: dict[tuple[str, str], list[AttemptRow]] = {}
    for row in trials:
        if row.outcome not in ("void", "corrupt"):
            grouped.setdefault((row.pack, row.task), []).append(row)
    tasks = [
        TaskCount(f"{pack}/{base_task(task)}", sum(row.outcome == "passed" for row in rows), len(rows))
        for (pack, task), rows in grouped.items()
    ]
    costs = [row.usd for row in trials if row.verdict != "corrupt"]
    known = [usd for usd in costs if usd is not None]
    return Tally(
        total,
        counts,
        pass_at_1(tasks) if tasks else None,
        pass_interval(tasks) if tasks else None,
        {
            gate: sum(gate not in row.failed_gates for row in decided) / len(decided) if decided else None
            for gate in GATES
        },
        sum(known) if len(known) == len(costs) else None,
    )
