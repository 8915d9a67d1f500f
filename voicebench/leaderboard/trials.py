"""What a board needs of a stored run: its record, and one result a trial."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voicebench.errors import ConfigError, StoreError, advise
from voicebench.packs import PackSnapshot, base_task
from voicebench.packs.loader import VARIANT_LINES
from voicebench.store import RunFolder, StoredCall, find_runs
from voicebench.stored.identity import RunIdentity, TaskKey, check_record, planned_trials
from voicebench.stored.results import UNDECIDED
from voicebench.stored.score import read_snapshot

__all__ = ["GATES", "StoredRun", "TrialResult", "load_run", "load_runs"]

GATES = ("tools", "handoffs", "database")


@dataclass(frozen=True)
class TrialResult:
    """One repetition of one task: its last attempt, and the verdicts of all.

    Attributes:
        seed: of the run that made it.
        pack, task, trial: which repetition of what.
        category, difficulty: of the task.
        line: preset that the call was made over; ``text`` without one.
        verdict: of the last attempt.
        attempts: verdicts of all attempts, first to last.
        gates: gate to whether it passed, and its reward from 0 to 1; empty without a verdict on the agent.
        reward: granular reward from 0 to 1; None without a verdict on the agent.
        ttft_ms, ttfat_ms: of every request of the agent's model, milliseconds.
        v2v_ms: of every answered turn, milliseconds.
        v2v_parts_ms: part of V2V to its share of every answered turn, milliseconds; empty if it was not stored.
        first_audio_ms: of every answered turn, milliseconds.
        yield_ms: how long the agent went on, each time the caller began over it, milliseconds.
        talk_over_ms: for how long both spoke; None without a recording.
        missed_turns: turns of the caller without an answer; None if they were not counted.
        usd: cost of the call, US dollars; None if unknown.
    """

    seed: int
    pack: str
    task: str
    trial: int
    category: str
    difficulty: str
    line: str
    verdict: str
    attempts: tuple[str, ...]
    gates: dict[str, tuple[bool, float]]
    reward: float | None
    ttft_ms: tuple[float, ...]
    ttfat_ms: tuple[float, ...]
    v2v_ms: tuple[float, ...]
    v2v_parts_ms: dict[str, tuple[float, ...]]
    first_audio_ms: tuple[float, ...]
    yield_ms: tuple[float, ...]
    talk_over_ms: float | None
    missed_turns: int | None
    usd: float | None

    @property
    def key(self) -> TaskKey:
        """Pack and task."""
        return self.pack, self.task

    @property
    def cluster(self) -> str:
        """The base task, which its variants share."""
        return f"{self.pack}/{base_task(self.task)}"

    @property
    def decided(self) -> bool:
        """Whether there is a verdict on the agent."""
        return self.verdict not in UNDECIDED

    @property
    def passed(self) -> bool:
        """Whether the agent passed."""
        return self.verdict == "passed"


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
    record: dict[str, Any]
    trials: list[TrialResult]
    planned: dict[TaskKey, int]
    problems: list[str] = field(default_factory=list)


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
        StoreError: ``run.json`` or a copy of a pack is missing or corrupt. Calls that cannot be read are told in
            ``problems``.
    """
    folder = RunFolder(root)
    record = folder.record_json()
    check_record(record, folder.run_json)
    snapshots = {name: read_snapshot(folder.pack_json(name)) for name in record["packs"]}
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
        except (KeyError, TypeError, AttributeError) as error:
            run.problems.append(f"{made[-1].dir}: cannot be used ({type(error).__name__}: {error})")
    made_trials = ((trial.pack, trial.task, trial.trial) for trial in run.trials)
    run.planned.update(planned_trials(record, snapshots, made_trials))
    return run


def _trial(run: StoredRun, snapshots: dict[str, PackSnapshot], made: list[StoredCall]) -> TrialResult:
    stored = made[-1]
    call = stored.call_json
    case = snapshots[call["pack"]].cases[base_task(call["task"])]
    decided = call["verdict"] not in UNDECIDED
    gates = call["gates"] if decided else {}
    requests = list(_requests(stored)) if decided else []
    latencies = (call.get("latencies_ms") or {}) if decided else {}
    talk_over_s = call.get("talk_over_s") if decided else None
    return TrialResult(
        int(run.record["seed"]),
        call["pack"],
        call["task"],
        call["trial"],
        case.category,
        case.difficulty,
        _line(run, call["task"]),
        call["verdict"],
        tuple(one.call.verdict for one in made),
        {name: (bool(gates[name]["passed"]), float(gates[name]["reward"])) for name in GATES if name in gates},
        float(call["reward"]) if decided and call.get("reward") is not None else None,
        tuple(request["ttft_ms"] for request in requests if request.get("ttft_ms") is not None),
        tuple(request["ttfat_ms"] for request in requests if request.get("ttfat_ms") is not None),
        tuple(latencies.get("v2v", ())),
        _parts((call.get("v2v_parts") or ()) if decided else ()),
        tuple(latencies.get("first_audio", ())),
        tuple(latencies.get("yield", ())),
        None if talk_over_s is None else round(float(talk_over_s) * 1e3, 3),
        call.get("missed_turns") if decided else None,
        (call.get("cost") or {}).get("usd"),
    )


def _parts(turns: Iterable[dict[str, Any]]) -> dict[str, tuple[float, ...]]:
    """Turn the parts of each answered turn into the values of each part."""
    split = [turn["parts_ms"] for turn in turns]
    return {name: tuple(float(parts[name]) for parts in split) for name in (split[0] if split else ())}


def _requests(stored: StoredCall) -> Iterator[dict[str, Any]]:
    """Give the attributes of the requests of the agent's model."""
    for line in stored.trace_json:
        if line["name"] == "llm" and line["attributes"].get("party") != "caller":
            yield line["attributes"]


def _line(run: StoredRun, task: str) -> str:
    if run.line == "text":
        return "text"
    return next((preset for suffix, preset in VARIANT_LINES.items() if task.endswith(f"-{suffix}")), run.line)
