"""Running a set of calls: what is missing is made, what is there is kept."""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voicebench.call import CallArtifacts, WorkUnit
from voicebench.config import Pipeline
from voicebench.engines import Engine, Job, LocalEngine, Outcome
from voicebench.errors import ConfigError, ModelMissing, ProviderError, StoreError, VoicebenchError
from voicebench.runner.interrupt import Stop, stop_on_interrupt
from voicebench.runner.plan import MAX_ATTEMPTS, UNDECIDED, RunRequest, Trial, plan_trials
from voicebench.runner.progress import Silent, Watcher
from voicebench.runner.record import new_folder, open_run
from voicebench.runner.results import RunResult, Status, call_row, summarise
from voicebench.store import RunFolder, StoredCall, commit_call, find_runs, read_call, run_lock, sweep, to_json
from voicebench.store.index import rebuild_index

__all__ = ["run"]

EngineFactory = Callable[[Pipeline, int], Engine]


def run(request: RunRequest, *, watch: Watcher | None = None, make_engine: EngineFactory = LocalEngine) -> RunResult:
    """Make all calls of a run that have no verdict yet, and return what there is then.

    Void and error calls are tried again with the next attempt's seed, at most twice. Ctrl-C lets the present call
    finish and starts no other. A disk that fills stops the run; earlier results stay.

    Raises:
        ConfigError: wrong packs or tasks, a folder with another configuration, a pipeline that cannot be used here.
        ModelMissing: weights are absent.
        ProviderError: the model's server refuses the key or the model.
        StoreError: the folder cannot be written, or another process has it.
    """
    watch = watch or Silent()
    trials = plan_trials(request)
    folder = new_folder(request)
    engine = make_engine(request.pipeline, request.seed)
    if not folder.run_json.exists():
        engine.prepare()
    with run_lock(folder.root), stop_on_interrupt(lambda: watch.note("stopping after this call")) as stop:
        sweep(folder.root)
        record = open_run(folder, request, {trial.pack.name: trial.pack for trial in trials}.values())
        session = _Session(folder, request.seed, watch, stop)
        session.take_over(trials)
        session.make_calls(engine)
        result = session.result(str(record["run_id"]), trials)
        _index(folder, request, watch)
    return result


@dataclass
class _Session:
    """One process's work on a run."""

    folder: RunFolder
    seed: int
    watch: Watcher
    stop: Stop
    due: deque[tuple[Trial, int]] = field(default_factory=deque)
    problem: str | None = None

    def take_over(self, trials: list[Trial]) -> None:
        """Queue what has no verdict yet; move unreadable attempts away, to be made again."""
        for trial in trials:
            attempt = self._next_attempt(trial)
            if attempt is not None:
                self.due.append((trial, attempt))
        self.watch.planned(len(trials), len(trials) - len(self.due))

    def make_calls(self, engine: Engine) -> None:
        """Let the engine make what is due, and commit each call as it ends."""
        if not self.due:
            return
        try:
            for outcome in engine.outcomes(self._jobs()):
                self._settle(outcome)
        except StoreError as error:
            self.problem = str(error)

    def result(self, run_id: str, trials: list[Trial]) -> RunResult:
        """Return what the folder holds of the trials."""
        rows, last = [], []
        for trial in trials:
            attempts = [read_call(path) for path in self.folder.attempts(*trial.key)]
            if attempts:
                last.append(attempts[-1])
                rows.append({**call_row(attempts[-1]), "attempts": [stored.call["verdict"] for stored in attempts]})
        summary = summarise(last, len(trials))
        status: Status = "complete" if summary["complete"] else "incomplete"
        if self.stop.requested and self.due:
            status = "interrupted"
        return RunResult(run_id, self.folder.root, rows, summary, status, self.problem)

    def _next_attempt(self, trial: Trial) -> int | None:
        number, verdict = 0, None
        for path in self.folder.attempts(*trial.key):
            stored = self._readable(path)
            if stored is None:
                continue
            number, verdict = int(stored.call["attempt"]), stored.call["verdict"]
        if verdict is not None and (verdict not in UNDECIDED or number >= MAX_ATTEMPTS):
            return None
        return number + 1

    def _readable(self, path: Path) -> StoredCall | None:
        try:
            stored = read_call(path)
            stored.check()
            return stored
        except StoreError as error:
            moved = self.folder.quarantine(path)
            self.watch.note(f"{error}; moved to {moved}, and the call is made again")
            return None

    def _jobs(self) -> Iterator[Job]:
        while self.due and not self.stop.requested:
            trial, attempt = self.due.popleft()
            self.watch.started(trial.case.id, trial.number, attempt)
            unit = WorkUnit(*trial.key, attempt, self.seed)
            yield Job(unit, trial.pack, trial.case)

    def _settle(self, outcome: Outcome) -> None:
        job, unit = outcome.job, outcome.job.unit
        artifacts = _artifacts(outcome)
        call = artifacts.call
        if self.stop.requested and call["verdict"] == "error":
            self.due.appendleft((Trial(job.pack, job.case, unit.trial), unit.attempt))
            return
        path = self.folder.attempt_dir(unit.pack, unit.task, unit.trial, unit.attempt)
        commit_call(path, artifacts.files)
        again = call["verdict"] in UNDECIDED and unit.attempt < MAX_ATTEMPTS
        if again:
            self.due.appendleft((Trial(job.pack, job.case, unit.trial), unit.attempt + 1))
        self.watch.finished(_line(call), not again)


def _artifacts(outcome: Outcome) -> CallArtifacts:
    """Return the call's files; what prevented the call becomes a call with verdict ``error``, or ends the run."""
    error = outcome.result
    if isinstance(error, CallArtifacts):
        return error
    if isinstance(error, ConfigError | ModelMissing):
        raise error
    if isinstance(error, ProviderError) and error.status in (401, 403, 404):
        raise error
    unit = outcome.job.unit
    call: dict[str, Any] = {
        "schema_version": 1,
        "pack": unit.pack,
        "task": unit.task,
        "trial": unit.trial,
        "attempt": unit.attempt,
        "verdict": "error",
        "reason": f"{type(error).__name__}: {error}",
    }
    if not isinstance(error, VoicebenchError):
        call["traceback"] = traceback.format_exception(error)
    return CallArtifacts({"call.json": to_json(call)})


def _line(call: dict[str, Any]) -> str:
    parts = [f"{call['task']} trial {call['trial']}: {call['verdict']}"]
    if call.get("reason") and call["verdict"] != "passed":
        parts.append(f"({call['reason']})")
    if call.get("call_s") is not None:
        parts.append(f"after {call['call_s']:.1f} s of call time, {call['wall_s']:.1f} s here")
    return " ".join(parts)


def _index(folder: RunFolder, request: RunRequest, watch: Watcher) -> None:
    """Bring the index up to date; it is derived, so that trouble with it is no trouble of the run."""
    inside = folder.root if request.out is not None else folder.root.parent
    try:
        rebuild_index(inside / "index.db", find_runs(inside))
    except StoreError as error:
        watch.note(str(error))
