"""One process's work on a run: what is due, what is in flight, what was made."""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from voicebench.call import CallFiles, WorkUnit
from voicebench.engines import CallRequest, CallResult, Engine, WorkerLost, failed_call, stops_the_run
from voicebench.errors import NotWritable, StoreError
from voicebench.runner.catalogue import Catalogue
from voicebench.runner.interrupt import Stop
from voicebench.runner.limiter import Eras, Limiters
from voicebench.runner.plan import Trial
from voicebench.runner.progress import Standing, Watcher
from voicebench.runner.spending import Budget
from voicebench.store import commit_call, from_jsonl, read_call
from voicebench.stored.results import Attempt

__all__ = ["Session"]

_MOST_LOSSES = 3


@dataclass
class Session:
    """The calls that this process makes for a run.

    Attributes:
        catalogue: the attempts that there are.
        seed: the run's.
        watch: is told.
        stop: whether to stop.
        limiters: of the models' providers.
        budget: the money.
        most_at_once: calls that may be in flight, whatever the provider bears.
        due: trials without a verdict, each with the number of its next attempt.
        problem: why the run stopped early, if it did.
    """

    catalogue: Catalogue
    seed: int
    watch: Watcher
    stop: Stop
    limiters: Limiters
    budget: Budget
    most_at_once: float = math.inf
    due: deque[tuple[Trial, int]] = field(default_factory=deque)
    problem: str | None = None
    _in_flight: dict[WorkUnit, Eras] = field(default_factory=dict)
    _losses: Counter[WorkUnit] = field(default_factory=Counter)
    _ended: int = 0
    _begun_s: float = field(default_factory=time.perf_counter)

    def take_over(self) -> None:
        """Queue what has no verdict yet."""
        self.due.extend(self.catalogue.due())
        self.watch.planned(self.standing())

    def make_calls(self, engine: Engine) -> None:
        """Let the engine make what is due, and commit each call as it ends."""
        self._begun_s = time.perf_counter()
        try:
            for told in engine.results(self._requests()):
                if isinstance(told, CallResult):
                    self._settle(told)
                else:
                    self.watch.waits(told.who, told.what, told.seconds)
        except NotWritable as error:
            self.problem = f"{error}, and run the same command again"
        except StoreError as error:
            self.problem = str(error)

    @property
    def is_interrupted(self) -> bool:
        """Whether somebody stopped it before all was made."""
        return self.stop.requested and bool(self.due)

    def standing(self) -> Standing:
        """Return where the run stands."""
        attempts = [attempt for made in self.catalogue.made.values() for attempt in made]
        verdicts = Counter(attempt.verdict for attempt in attempts)
        trials = len(self.catalogue.trials)
        done = trials - sum(1 for _ in self.catalogue.due())
        left_s = None
        if self._ended:
            left_s = (time.perf_counter() - self._begun_s) / self._ended * (trials - done)
        return Standing(trials, done, dict(verdicts), self.budget.usd, self.budget.unknown, left_s)

    def _requests(self) -> Iterator[CallRequest | None]:
        while not self.stop.requested and self.problem is None:
            if not self.due and not self._in_flight:
                return
            in_flight = len(self._in_flight)
            if not self.due or in_flight >= self.most_at_once or not self.limiters.has_room(in_flight):
                yield None
            elif (resting := self.limiters.resting()) is not None:
                rested_s = resting.rested_s()
                reason = f"its rest of {rested_s + resting.rest_s():.1f} s after {resting.reason}"
                self.watch.waits(resting.provider, reason, rested_s)
                yield None
            elif (over := self.budget.forbids(in_flight)) is not None:
                self.problem = over
            else:
                yield self._next()

    def _next(self) -> CallRequest:
        trial, attempt = self.due.popleft()
        unit = WorkUnit(*trial.key, attempt, self.seed)
        self._in_flight[unit] = self.limiters.eras
        self.watch.started(unit.name)
        return CallRequest(unit, trial.task)

    def _settle(self, ended: CallResult) -> None:
        unit, result = ended.request.unit, ended.result
        trial = Trial(ended.request.task, unit.trial)
        in_flight = len(self._in_flight)
        eras = self._in_flight.pop(unit)
        if isinstance(result, WorkerLost):
            self._losses[unit] += 1
            if self._losses[unit] < _MOST_LOSSES:
                self.due.appendleft((trial, unit.attempt))
                self.watch.finished(unit.name, f"{unit.name}: {result}; the call is made again", self.standing())
                return
        if isinstance(result, Exception):
            if stops_the_run(result):
                raise result
            result = failed_call(unit, result)
        lines = result.files.get("exchanges.jsonl", b"")
        self.limiters.heard(from_jsonl(lines, "exchanges.jsonl"), in_flight, eras)
        if self.stop.requested and result.call["verdict"] == "error":
            self.due.appendleft((trial, unit.attempt))
            self.watch.finished(unit.name, f"{unit.name}: given up", self.standing())
            return
        self._commit(trial, unit, result)

    def _commit(self, trial: Trial, unit: WorkUnit, artifacts: CallFiles) -> None:
        path = self.catalogue.folder.attempt_dir(unit.pack, unit.task, unit.trial, unit.attempt)
        commit_call(path, artifacts.files)
        attempt = self.catalogue.add(trial, read_call(path))
        self.budget.add(attempt.row["cost"])
        self._ended += 1
        number = self.catalogue.next_attempt(trial)
        if number is not None:
            self.due.appendleft((trial, number))
        self.watch.finished(unit.name, _line(unit, attempt), self.standing())


def _line(unit: WorkUnit, attempt: Attempt) -> str:
    row = attempt.row
    parts = [f"{unit.name}: {attempt.verdict}"]
    if row["reason"] and attempt.verdict != "passed":
        parts.append(f"({row['reason']})")
    if row["call_s"] is not None:
        parts.append(f"after {row['call_s']:.1f} s of call time, {row['wall_s']:.1f} s here")
    return " ".join(parts)
