"""How fast the agent of a row was, and how it took its turns: medians over all its calls, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from voicebench.leaderboard.rows import Entry
from voicebench.leaderboard.trials import TrialResult
from voicebench.metrics import quantiles
from voicebench.metrics.latency import PARTS
from voicebench.metrics.statistics import latency_interval

__all__ = ["FIGURES", "latencies", "missed_turns"]

Values = Callable[[TrialResult], Sequence[float]]


def _part(name: str) -> Values:
    return lambda trial: trial.v2v_parts_ms.get(name, ())


FIGURES: dict[str, Values] = {
    "ttft": lambda trial: trial.ttft_ms,
    "ttfat": lambda trial: trial.ttfat_ms,
    "v2v": lambda trial: trial.v2v_ms,
    **{f"v2v_{name}": _part(name) for name in PARTS},
    "first_audio": lambda trial: trial.first_audio_ms,
    "yield": lambda trial: trial.yield_ms,
    "talk_over": lambda trial: () if trial.talk_over_ms is None else (trial.talk_over_ms,),
}
"""Name to the values of a call, milliseconds: of each request, answered turn, or time that the caller broke in;
``talk_over`` is one value a call."""


def latencies(entry: Entry) -> list[dict[str, Any]]:
    """Return the latencies of a row, over its calls with a verdict.

    Returns:
        One ``{name, n, p50_ms, interval, over, p95_ms, share}`` for each of ``FIGURES``: ``interval`` is that of the
        median, resampled over what ``over`` says; ``share`` is a part's share of all V2V together, null for what is no
        part of it. All but ``n`` are null where nothing was measured.
    """
    decided = entry.decided
    whole = sum(sum(trial.v2v_ms) for trial in decided if trial.v2v_parts_ms)
    return [_figure(name, values, decided, whole) for name, values in FIGURES.items()]


def missed_turns(entry: Entry) -> dict[str, Any]:
    """Return ``{calls, total, per_call}`` of the caller's turns that got no answer, over the calls with a verdict.

    Calls of a version that did not count them are left out; ``per_call`` is null without any.
    """
    counted = [trial.missed_turns for trial in entry.decided if trial.missed_turns is not None]
    total = sum(counted)
    return {"calls": len(counted), "total": total, "per_call": round(total / len(counted), 6) if counted else None}


def _figure(name: str, values: Values, trials: Sequence[TrialResult], whole_ms: float) -> dict[str, Any]:
    by_task: dict[str, list[float]] = {}
    for trial in trials:
        by_task.setdefault(trial.cluster, []).extend(values(trial))
    every = [value for of_task in by_task.values() for value in of_task]
    found, bounds = quantiles(every), latency_interval(list(by_task.values()))
    is_part = name.startswith("v2v_") and bool(every) and whole_ms > 0
    return {
        "name": name,
        "n": found["n"],
        "p50_ms": found["p50"],
        "interval": None if bounds is None else [round(bounds.low, 3), round(bounds.high, 3)],
        "over": None if bounds is None else bounds.over,
        "p95_ms": found["p95"],
        "share": round(sum(every) / whole_ms, 6) if is_part else None,
    }
