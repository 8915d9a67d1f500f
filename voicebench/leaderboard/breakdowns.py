"""Pass rates of parts of a row: by pack, category, difficulty, line, and gate."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable

from voicebench.leaderboard.rows import Entry, Row, task_counts
from voicebench.leaderboard.trials import GATES, TrialResult
from voicebench.metrics.statistics import pass_at_1, pass_interval
from voicebench.record.row import BoardPart

__all__ = ["KINDS", "breakdowns"]

_PARTS: dict[str, Callable[[TrialResult], str]] = {
    "pack": lambda trial: trial.pack,
    "category": lambda trial: f"{trial.pack}/{trial.category}",
    "difficulty": lambda trial: trial.difficulty,
    "line": lambda trial: trial.line,
}

KINDS = (*_PARTS, "gate")


def breakdowns(entry: Entry, reference: Row | None) -> dict[str, tuple[BoardPart, ...]]:
    """Return the parts of a row, by kind: some for each of ``KINDS``.

    Args:
        entry: the row's.
        reference: the line reference's row, whose rate stands with each part.
    """
    counted, compared = entry.counted, [] if reference is None else reference.entry.counted
    parts = {kind: _parts(counted, compared, part) for kind, part in _PARTS.items()}
    gates = []
    for gate in GATES:
        judged = [trial for trial in counted if gate in trial.gates]
        gates.append(
            BoardPart(
                name=gate,
                tasks=len({trial.key for trial in judged}),
                calls=len(judged),
                pass_rate=_mean(float(trial.gates[gate][0]) for trial in judged),
                interval=None,
                reward=_mean(trial.gates[gate][1] for trial in judged),
                reference=_mean(float(trial.gates[gate][0]) for trial in compared if gate in trial.gates),
            )
        )
    return {**parts, "gate": tuple(gates)}


def _parts(
    trials: list[TrialResult], compared: list[TrialResult], part: Callable[[TrialResult], str]
) -> tuple[BoardPart, ...]:
    order = {name: place for place, name in enumerate(("easy", "medium", "hard"))}
    found = []
    for name in sorted({part(trial) for trial in trials}, key=lambda name: (order.get(name, len(order)), name)):
        mine = [trial for trial in trials if part(trial) == name]
        counts = task_counts(mine)
        reference = task_counts(trial for trial in compared if part(trial) == name)
        low, high = pass_interval(counts)
        found.append(
            BoardPart(
                name=name,
                tasks=len(counts),
                calls=len(mine),
                pass_rate=round(pass_at_1(counts), 6),
                interval=(round(low, 6), round(high, 6)),
                reward=_mean(trial.reward for trial in mine),
                reference=round(pass_at_1(reference), 6) if reference else None,
            )
        )
    return tuple(found)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(statistics.fmean(known), 6) if known else None
