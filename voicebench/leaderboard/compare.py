"""Two runs against each other, paired by task and trial: what differs, and whether chance explains it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from voicebench.errors import ConfigError
from voicebench.leaderboard.rows import rounded, task_counts
from voicebench.leaderboard.trials import StoredRun, TrialResult, load_run
from voicebench.metrics.statistics import difference_interval, pass_at_1, permutation_test, smallest_difference
from voicebench.record.json_types import JsonObject
from voicebench.store import SCORING_VERSION
from voicebench.stored.identity import TaskKey

__all__ = ["Comparison", "MovedTask", "RunComparison", "check_scoring", "compare_runs", "compare_trials"]

LEVEL = 0.05
_FEWEST_CLUSTERS = 6
"""Fewer signs to flip than these can never give a two-sided p-value of .05: 2 / 2**5 is .0625."""


@dataclass(frozen=True)
class MovedTask:
    """A task whose pass rate differs; ``before`` and ``after`` are passed calls of ``n`` each."""

    pack: str
    task: str
    before: int
    after: int
    n: int


@dataclass(frozen=True)
class Comparison:
    """Trials that count on both sides, side by side: those that are not void.

    Attributes:
        tasks, calls: that both sides have.
        left_out: trials of either side that the other lacks.
        before, after: pass@1 of each side over the shared trials.
        difference: after less before.
        interval: 95 % interval of the difference.
        p_value: of a two-sided permutation test.
        over: what was permuted, ``tasks`` (clusters of variants), or ``calls`` where these are under six.
        p_worse: of a one-sided permutation test over calls, that the second does worse at these very tasks.
        smallest_difference: what means anything at this size.
        moved: the tasks that differ, the largest fall first.
    """

    tasks: int
    calls: int
    left_out: int
    before: float
    after: float
    difference: float
    interval: tuple[float, float]
    p_value: float
    over: str
    p_worse: float
    smallest_difference: float
    moved: tuple[MovedTask, ...]

    @property
    def got_worse(self) -> bool:
        """Whether the second did worse than the first by more than chance explains."""
        return self.difference < 0 and self.p_worse <= LEVEL


def compare_trials(before: Sequence[TrialResult], after: Sequence[TrialResult]) -> Comparison:
    """Compare two sides by the tasks, seeds and trials that both have; where no seed is shared, by tasks and trials."""
    sides = [_by_trial(before), _by_trial(after)]
    shared = [key for key in sides[0] if key in sides[1]]
    if not shared:
        # Calls of one seed meet the same line and the same caller, which pairing takes out of the difference. Runs of
        # other seeds are still paired by task: tasks differ more than calls of a task do.
        sides = [_by_trial(side, seeded=False) for side in (before, after)]
        shared = [key for key in sides[0] if key in sides[1]]
    left_out = sum(len(side) - len(shared) for side in sides)
    if not shared:
        return Comparison(0, 0, left_out, 0.0, 0.0, 0.0, (-1.0, 1.0), 1.0, "calls", 1.0, 1.0, ())
    ours, theirs = ([side[key] for key in shared] for side in sides)
    counts = [task_counts(ours), task_counts(theirs)]
    by_task = [(one.cluster, two.rate - one.rate) for one, two in zip(*counts, strict=True)]
    by_call = [(str(key), float(sides[1][key].passed) - float(sides[0][key].passed)) for key in shared]
    passed: dict[TaskKey, list[int]] = {}
    for one, two in zip(ours, theirs, strict=True):
        sums = passed.setdefault(one.key, [0, 0, 0])
        sums[0] += one.passed
        sums[1] += two.passed
        sums[2] += 1
    moved = [MovedTask(*key, *sums) for key, sums in passed.items() if sums[0] != sums[1]]
    clusters = len({cluster for cluster, _ in by_task})
    # Variants of a task and trials of a variant rise and fall together, so whole clusters change sides.
    over = "tasks" if clusters >= _FEWEST_CLUSTERS else "calls"
    rate_before, rate_after = (pass_at_1(side) for side in counts)
    return Comparison(
        len(counts[0]),
        len(shared),
        left_out,
        rate_before,
        rate_after,
        rate_after - rate_before,
        difference_interval(counts[1], counts[0]),
        permutation_test(by_task if over == "tasks" else by_call),
        over,
        permutation_test(by_call, alternative="less"),
        smallest_difference(clusters, len(shared) / clusters),
        tuple(sorted(moved, key=lambda task: ((task.after - task.before) / task.n, task.pack, task.task))),
    )


@dataclass(frozen=True)
class RunComparison:
    """Two runs, the differences of their configurations, and the comparison of their trials."""

    before: StoredRun
    after: StoredRun
    comparison: Comparison

    def __repr__(self) -> str:
        """Name the runs and the difference of their pass rates."""
        ids = f"{self.before.record.run_id} to {self.after.record.run_id}"
        return f"<RunComparison {ids}: {self.comparison.difference:+.3f} over {self.comparison.calls} trials>"

    @property
    def notes(self) -> list[str]:
        """What could not be read, and what else differs: so that a reader knows what a difference may come from."""
        first, second = self.before, self.after
        pairs = {
            "model": (first.model, second.model),
            "harness": (first.harness, second.harness),
            "profile": (first.profile, second.profile),
            "caller": (first.caller, second.caller),
            "line": (first.line, second.line),
            "seed": (first.record.seed, second.record.seed),
        }
        notes = [*first.problems, *second.problems]
        notes += [f"{name}: {one} and {two}" for name, (one, two) in pairs.items() if one != two]
        packs, others = first.record.packs, second.record.packs
        notes += [f"pack {name} differs" for name in packs if name in others and packs[name] != others[name]]
        if first.record.seed != second.record.seed:
            notes.append("trials of two seeds are not the same calls: pairing them takes no noise out")
        comparison = self.comparison
        if comparison.over == "calls":
            notes.append(f"{comparison.tasks} tasks are too few to flip: calls were; it holds for these tasks alone")
        return notes

    def to_json(self) -> JsonObject:
        """Return what ``compare --json`` prints."""
        comparison = self.comparison
        return {
            "a": {
                "run_dir": str(self.before.root),
                "model": self.before.model,
                "pass_at_1": rounded(comparison.before),
            },
            "b": {"run_dir": str(self.after.root), "model": self.after.model, "pass_at_1": rounded(comparison.after)},
            "tasks": comparison.tasks,
            "calls": comparison.calls,
            "left_out": comparison.left_out,
            "difference": rounded(comparison.difference),
            "interval": [rounded(end) for end in comparison.interval],
            "p_value": rounded(comparison.p_value),
            "permuted": comparison.over,
            "p_worse": rounded(comparison.p_worse),
            "smallest_difference": rounded(comparison.smallest_difference),
            "moved": [
                {"pack": one.pack, "task": one.task, "a": one.before, "b": one.after, "n": one.n}
                for one in comparison.moved
            ],
            "notes": [*self.notes],
        }


def compare_runs(before: Path, after: Path) -> RunComparison:
    """Compare two runs from their folders.

    Raises:
        StoreError: one of them cannot be read.
        ConfigError: their calls were not scored by one version.
    """
    runs = load_run(before.resolve()), load_run(after.resolve())
    check_scoring(runs)
    return RunComparison(*runs, compare_trials(runs[0].trials, runs[1].trials))


def check_scoring(runs: Sequence[StoredRun], *versions: int) -> None:
    """Refuse runs whose calls were not scored by one version: a difference could come from the rules alone.

    Args:
        runs: those to compare.
        versions: of calls that will be compared with them.

    Raises:
        ConfigError: the message says which to score again.
    """
    if len({*versions, *(version for run in runs for version in run.scored_by)}) > 1:
        found = "; ".join(f"{run.root}: version {' and '.join(map(str, run.scored_by)) or 'none'}" for run in runs)
        older = " and ".join(f"`voicebench score {run.root}`" for run in runs if {*run.scored_by} - {SCORING_VERSION})
        raise ConfigError(f"the runs were not scored by the same version of the rules ({found}); run {older} first")


def _by_trial(trials: Iterable[TrialResult], *, seeded: bool = True) -> dict[tuple[object, ...], TrialResult]:
    """Return the trials that count by what pairs them; of several that are called the same, the first."""
    found: dict[tuple[object, ...], TrialResult] = {}
    for trial in trials:
        if trial.counted:
            found.setdefault((*trial.key, trial.trial, trial.seed if seeded else None), trial)
    return found
