"""Pass rates of parts of a row: by pack, category, difficulty, line, and gate."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from typing import Any

from voicebench.leaderboard.rows import Entry, Row, task_counts
from voicebench.leaderboard.trials import GATES, TrialResult
from voicebench.metrics.statistics import pass_at_1, pass_interval

__all__ = ["KINDS", "breakdowns"]

_PARTS: dict[str, Callable[[TrialResult], str]] = {
    "pack": lambda trial: trial.pack,
    "category": lambda trial: f"{trial.pack}/{trial.category}",
    "difficulty": lambda trial: trial.difficulty,
    "line": lambda trial: trial.line,
}

KINDS = (*_PARTS, "gate")

_DIFFICULTIES = ("easy", "medium", "hard")


def breakdowns(entry: Entry, reference: Row | None) -> dict[str, list[dict[str, Any]]]:
    """Return the parts of a row, by kind.

    Args:
        entry: the row's.
        reference: the line reference's row, whose rate stands beside each.

    Returns:
        For each of ``KINDS`` a list of ``{name, tasks, calls, pass_rate, interval, reward, reference}``: the mean over
        tasks of the mean over trials, its 95 % interval, the mean granular reward, and the reference's rate (None
        without one). Of a gate, the rate is that of calls that passed the gate.
    """
    compared = None if reference is None else reference.entry
    parts = {kind: _parts(entry.decided, compared, part) for kind, part in _PARTS.items()}
    return {**parts, "gate": [_gate(entry, compared, gate) for gate in GATES]}


def _parts(
    trials: list[TrialResult], reference: Entry | None, part: Callable[[TrialResult], str]
) -> list[dict[str, Any]]:
    found = []
    for name in sorted({part(trial) for trial in trials}, key=_order):
        counts = task_counts(trial for trial in trials if part(trial) == name)
        compared = task_counts(trial for trial in reference.decided if part(trial) == name) if reference else []
        found.append(
            {
                "name": name,
                "tasks": len(counts),
                "calls": sum(count.n for count in counts),
                "pass_rate": round(pass_at_1(counts), 6),
                "interval": [round(end, 6) for end in pass_interval(counts)],
                "reward": _mean(trial.reward for trial in trials if part(trial) == name),
                "reference": round(pass_at_1(compared), 6) if compared else None,
            }
        )
    return found


def _gate(entry: Entry, reference: Entry | None, gate: str) -> dict[str, Any]:
    judged = [trial for trial in entry.decided if gate in trial.gates]
    compared = [trial for trial in reference.decided if gate in trial.gates] if reference else []
    return {
        "name": gate,
        "tasks": len({trial.key for trial in judged}),
        "calls": len(judged),
        "pass_rate": _mean(float(trial.gates[gate][0]) for trial in judged),
        "interval": None,
        "reward": _mean(trial.gates[gate][1] for trial in judged),
        "reference": _mean(float(trial.gates[gate][0]) for trial in compared),
    }


def _order(name: str) -> tuple[int, str]:
    return _DIFFICULTIES.index(name) if name in _DIFFICULTIES else len(_DIFFICULTIES), name


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(statistics.fmean(known), 6) if known else None
