"""What a board needs of a stored run: its record, and one result a trial."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from voicebench.errors import ConfigError, StoreError, advise
from voicebench.metrics.latency import split_requests
from voicebench.packs import PackSnapshot, base_task
from voicebench.packs.loader import VARIANT_LINES
from voicebench.record.figures import CallerComprehension, Latencies
from voicebench.record.run import RunRecord
from voicebench.record.verdict import Verdict, VoidKind
from voicebench.store import RunFolder, StoredCall, find_runs
from voicebench.stored.identity import RunIdentity, TaskKey, check_record, planned_trials
from voicebench.stored.results import UNDECIDED, trial_outcome
from voicebench.stored.score import read_snapshot

__all__ = ["GATES", "StoredRun", "TrialResult", "load_run", "load_runs"]

GATES = ("tools", "handoffs", "database")


@dataclass(frozen=True)
class TrialResult:
    """One repetition of one task: its last attempt, and the verdicts of all.

    If the last attempt has no verdict on the agent, it has no figures but its cost.

    Attributes:
        seed: of the run that made it.
        pack, task, trial: which repetition of what.
        category, difficulty: of the task.
        line: preset that the call was made over; ``text`` without one.
        verdict: of the last attempt.
        attempts: verdicts of all attempts, first to last.
        voids: what made the void ones of them so.
        hung_up: whether in any attempt the agent's service broke off a call that it had begun to answer.
        scored_by: scoring versions of the attempts.
        usd: cost of the call, US dollars; None if unknown.
        gates: gate to whether it passed, and its reward from 0 to 1.
        reward: granular reward from 0 to 1.
        said: share of its duties that the agent kept, from 0 to 1; None if they were not counted.
        ttft_ms, ttfat_ms: of every request of the agent's model, milliseconds; of a realtime model, of every response
            to the caller.
        tool_round_ttft_ms: of a realtime model, of every response to a tool's result, milliseconds.
        v2v_ms: of every answered turn, milliseconds.
        v2v_parts_ms: part of V2V to its share of every answered turn, milliseconds; empty if it was not stored.
        first_audio_ms: of every answered turn, milliseconds.
        yield_ms: how long the agent went on, each time the caller began over it, milliseconds.
        before_hello_ms: how long nobody had spoken, each time the caller said "Hello?", milliseconds.
        talk_over_ms: for how long both spoke; None without a recording.
        missed_turns: turns of the caller without an answer; None if they were not counted.
        comprehension: what the caller made of the agent's turns; None if it was not counted.
    """

    seed: int
    pack: str
    task: str
    trial: int
    category: str
    difficulty: str
    line: str
    verdict: str
    attempts: tuple[Verdict, ...]
    usd: float | None
    voids: tuple[VoidKind, ...] = ()
    hung_up: bool = False
    scored_by: frozenset[int] = frozenset()
    gates: dict[str, tuple[bool, float]] = field(default_factory=dict)
    reward: float | None = None
    said: float | None = None
    ttft_ms: tuple[float, ...] = ()
    ttfat_ms: tuple[float, ...] = ()
    tool_round_ttft_ms: tuple[float, ...] = ()
    v2v_ms: tuple[float, ...] = ()
    v2v_parts_ms: dict[str, tuple[float, ...]] = field(default_factory=dict)
    first_audio_ms: tuple[float, ...] = ()
    yield_ms: tuple[float, ...] = ()
    before_hello_ms: tuple[float, ...] = ()
    talk_over_ms: float | None = None
    missed_turns: int | None = None
    comprehension: CallerComprehension | None = None

    @property
    def key(self) -> TaskKey:
        """Pack and task."""
        return self.pack, self.task

    @property
    def cluster(self) -> str:
        """The base task, which its variants share."""
        return f"{self.pack}/{base_task(self.task)}"

    @property
    def outcome(self) -> Verdict:
        """What it counts as."""
        return trial_outcome(self.attempts, hung_up=self.hung_up)

    @property
    def decided(self) -> bool:
        """Whether there is a verdict on the agent."""
        return self.outcome not in UNDECIDED

    @property
    def counted(self) -> bool:
        """Whether it is in pass rates: one that is void in all its attempts is left out."""
        return self.outcome != "void"

    @property
    def measured(self) -> bool:
        """Whether its last attempt has figures: it ended with a verdict on the agent."""
        return self.verdict not in UNDECIDED

    @property
    def passed(self) -> bool:
        """Whether the agent passed; a trial that ended in an error counts as not passed."""
        return self.outcome == "passed"


@dataclass(frozen=True)
class StoredRun(RunIdentity):
    """A run as its folder has it.

    Attributes:
        root: the folder.
        record: content of ``run.json``.
        trials: those that have an attempt.
        planned: trials that were asked for, by task; of tasks that were never called, the task may be a number.
        problems: what could not be read; such a trial counts as missing.
    """

    root: Path
    record: RunRecord
    trials: list[TrialResult]
    planned: dict[TaskKey, int]
    problems: list[str] = field(default_factory=list)

    @property
    def scored_by(self) -> tuple[int, ...]:
        """The scoring versions of its calls, lowest first: one, unless it went on under another version."""
        return tuple(sorted(frozenset[int]().union(*(trial.scored_by for trial in self.trials))))


def load_runs(paths: Iterable[Path]) -> list[StoredRun]:
    """Read runs, each path a run's folder or a folder of runs; one that is named twice is read once.

    Raises:
        ConfigError: there is no run at a path.
        StoreError: a ``run.json`` or a copy of a pack cannot be read.
    """
    found: dict[Path, None] = {}
    for path in paths:
        runs = find_runs(path)
        if not runs:
            raise ConfigError(f"{path}: no run there (a run has a run.json); give the folder of a run, or of runs")
        found.update((run.root.resolve(), None) for run in runs)
    return [load_run(root) for root in found]


def load_run(root: Path, *, recordings: bool = True) -> StoredRun:
    """Read one run from its files.

    Args:
        root: its folder.
        recordings: False takes absent recordings for left out, as they are from a submission.

    Raises:
        StoreError: ``run.json`` or a copy of a pack is missing or corrupt. Calls that cannot be read are listed in
            ``problems``.
    """
    folder = RunFolder(root)
    record = folder.record()
    check_record(record, folder.run_json)
    # The run's own copies: a shipped pack may have changed since, and with it categories and tasks.
    snapshots = {name: read_snapshot(folder.pack_json(name)) for name in record.packs}
    run = StoredRun(root, record, [], {})
    attempts: dict[tuple[str, str, int], list[StoredCall]] = {}
    for call in folder.calls(recordings=recordings):
        if isinstance(call, StoreError):
            run.problems.append(advise(call))
        else:
            attempts.setdefault((call.call.pack, call.call.task, call.call.trial), []).append(call)
    for made in attempts.values():
        try:
            run.trials.append(_trial(run, snapshots, made))
        except StoreError as error:
            run.problems.append(advise(error))
        except KeyError as error:
            run.problems.append(f"{made[-1].dir}: cannot be used (the run's copy of its pack has no {error})")
    made_trials = ((trial.pack, trial.task, trial.trial) for trial in run.trials)
    run.planned.update(planned_trials(record, snapshots, made_trials))
    return run


def _trial(run: StoredRun, snapshots: Mapping[str, PackSnapshot], made: Sequence[StoredCall]) -> TrialResult:
    stored, call = made[-1], made[-1].call
    case = snapshots[call.pack].cases[base_task(call.task)]
    variant = next((preset for suffix, preset in VARIANT_LINES.items() if call.task.endswith(f"-{suffix}")), None)
    result = TrialResult(
        seed=run.record.seed,
        pack=call.pack,
        task=call.task,
        trial=call.trial,
        category=case.category,
        difficulty=case.difficulty,
        line=variant if variant and run.line != "text" else run.line,
        verdict=call.verdict,
        attempts=tuple(one.call.verdict for one in made),
        usd=call.cost.usd if call.cost is not None else None,
        hung_up=any(one.call.hung_up for one in made),
        scored_by=frozenset(one.call.scored_by for one in made),
        voids=tuple(kind for one in made if (kind := one.call.voided_by) is not None),
        comprehension=call.comprehension,
    )
    if not result.measured:
        return result
    latencies = call.latencies_ms or Latencies()
    turns, after_tools = split_requests(stored.trace)
    # A realtime service that was given a tool's result has nothing to listen to: its answer says little about turns.
    tool_rounds = [span for span in after_tools if span.operation == "realtime"]
    requests = turns if tool_rounds else [*turns, *after_tools]
    parts: defaultdict[str, list[float]] = defaultdict(list)
    for turn in call.v2v_parts:
        for name, ms in turn.parts_ms.items():
            parts[name].append(ms)
    return replace(
        result,
        gates={name: (gate.passed, gate.reward) for name, gate in call.gates or ()},
        reward=call.reward,
        said=None if call.said is None else call.said.reward,
        ttft_ms=tuple(span.ttft_ms for span in requests if span.ttft_ms is not None),
        ttfat_ms=tuple(span.ttfat_ms for span in requests if span.ttfat_ms is not None),
        tool_round_ttft_ms=tuple(span.ttft_ms for span in tool_rounds if span.ttft_ms is not None),
        v2v_ms=latencies.v2v,
        v2v_parts_ms={name: tuple(values) for name, values in parts.items()},
        first_audio_ms=latencies.first_audio,
        yield_ms=latencies.yield_,
        before_hello_ms=latencies.before_hello,
        talk_over_ms=None if call.talk_over_s is None else round(call.talk_over_s * 1e3, 3),
        missed_turns=call.missed_turns,
    )
