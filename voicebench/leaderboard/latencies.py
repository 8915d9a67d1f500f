"""How fast the agent of a row was, and how it took its turns: medians over all its calls, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from voicebench.leaderboard.rows import Entry
from voicebench.leaderboard.trials import TrialResult
from voicebench.metrics import quantiles
from voicebench.metrics.latency import PARTS
from voicebench.metrics.statistics import latency_interval
from voicebench.record.row import BoardLatency, BoardMissedTurns

__all__ = ["FIGURES", "latencies", "missed_turns"]

Values = Callable[[TrialResult], Sequence[float]]


def part_of_v2v(name: str, trial: TrialResult) -> Sequence[float]:
    """Return a part of V2V in each answered turn of a call, milliseconds."""
    return trial.v2v_parts_ms.get(name, ())


FIGURES: dict[str, Values] = {
    "ttft": lambda trial: trial.ttft_ms,
    "ttfat": lambda trial: trial.ttfat_ms,
    "ttft_tool_rounds": lambda trial: trial.tool_round_ttft_ms,
    "v2v": lambda trial: trial.v2v_ms,
    **{f"v2v_{name}": partial(part_of_v2v, name) for name in PARTS},
    "first_audio": lambda trial: trial.first_audio_ms,
    "yield": lambda trial: trial.yield_ms,
    "before_hello": lambda trial: trial.before_hello_ms,
    "talk_over": lambda trial: () if trial.talk_over_ms is None else (trial.talk_over_ms,),
}
"""Name to the values of a call, milliseconds: of each request, answered turn, or time that the caller broke in;
``talk_over`` is one value a call."""


def latencies(entry: Entry) -> tuple[BoardLatency, ...]:
    """Return one latency for each of ``FIGURES``, over a row's calls with a verdict."""
    decided = entry.decided
    whole_ms = sum(sum(trial.v2v_ms) for trial in decided if trial.v2v_parts_ms)
    found = []
    for name, values in FIGURES.items():
        # Requests of a task are alike, so the interval resamples tasks and not requests.
        by_task: dict[str, list[float]] = {}
        for trial in decided:
            by_task.setdefault(trial.cluster, []).extend(values(trial))
        every = [value for of_task in by_task.values() for value in of_task]
        figures, bounds = quantiles(every), latency_interval(list(by_task.values()))
        is_part = name.startswith("v2v_") and bool(every) and whole_ms > 0
        found.append(
            BoardLatency(
                name=name,
                n=figures.n,
                p50_ms=figures.p50,
                interval=None if bounds is None else (round(bounds.low, 3), round(bounds.high, 3)),
                over=None if bounds is None else bounds.over,
                p95_ms=figures.p95,
                share=round(sum(every) / whole_ms, 6) if is_part else None,
            )
        )
    return tuple(found)


def missed_turns(entry: Entry) -> BoardMissedTurns:
    """Count the caller's turns that got no answer, over the calls with a verdict.

    Calls of a version that did not count them are left out.
    """
    counted = [trial.missed_turns for trial in entry.decided if trial.missed_turns is not None]
    total = sum(counted)
    return BoardMissedTurns(
        calls=len(counted), total=total, per_call=round(total / len(counted), 6) if counted else None
    )
