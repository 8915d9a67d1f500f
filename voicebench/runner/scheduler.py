"""The schedule of a run in one process: what its folder holds, which call starts next, what became of each."""

from __future__ import annotations

import math
import time
from bisect import insort
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from voicebench.call import CallFiles, WorkUnit
from voicebench.engines import CallRequest, CallResult, Engine, WorkerLost, failed_call, stops_the_run
from voicebench.errors import CorruptFile, NotWritable, ProviderError, StoreError
from voicebench.metrics.service import refused_status
from voicebench.record.call import CallRecord
from voicebench.record.figures import CallCost
from voicebench.runner.limiter import Generations, Limiters
from voicebench.runner.plan import Trial
from voicebench.runner.progress import Progress, ProgressReporter
from voicebench.store import RunFolder, StoredCall, commit_call, read_call, read_exchanges
from voicebench.store.index import Index
from voicebench.stored.results import PackedRow

__all__ = ["Budget", "Catalogue", "Scheduler", "Stop"]

Key = tuple[str, str, int]

_MOST_LOSSES = 3
"""Workers that one call may lose. One that was killed by the system's lack of memory takes a call with it by chance; a
call that ends every process that makes it would be made for ever."""


@dataclass
class Catalogue:
    """The attempts that a run's folder holds of each trial, kept small in memory and in step with the index.

    Attributes:
        folder: the run's.
        trials: all of them.
        reporter: gets a note of what cannot be read.
        index: where calls are listed; None if it cannot be written: the run goes on without one.
        made: the attempts of each trial, first to last.
    """

    folder: RunFolder
    trials: Sequence[Trial]
    reporter: ProgressReporter
    index: Index | None = None
    made: dict[Key, list[PackedRow]] = field(default_factory=dict)
    _run_id: str = ""

    def read(self, *, repair: bool = True) -> None:
        """Read all attempts; move corrupt ones away, to be made again.

        The lengths of all files are compared. They are read if they were touched since that was done last, as the index
        has it; those of a call that it does not know, as after copying, only if ``call.json`` has no lengths.

        Args:
            repair: False leaves unreadable ones where they are.
        """
        checked = self._checked()
        fresh = []
        for trial in self.trials:
            attempts = self.made[trial.key] = []
            for path in self.folder.attempts(*trial.key):
                try:
                    stored = read_call(path)
                    stored.check_lengths()
                    before = checked.get((*trial.key, stored.call.attempt))
                    # To read every file of thousands of calls would take minutes. A file whose size and time of
                    # change are those that were checked before is taken for the same.
                    if before is None and stored.lengths:
                        fresh.append(stored)
                    elif before != stored.signature():
                        read_call(path).check()
                        fresh.append(stored)
                except CorruptFile as error:
                    if repair:
                        moved = self.folder.quarantine(path)
                        self.reporter.note(f"{error}; moved to {moved}, and the call is made again")
                else:
                    attempts.append(PackedRow.of(stored))
        self._list(fresh)

    def due(self) -> Iterator[tuple[Trial, int]]:
        """Give the trials that lack an attempt, each with the number of its next."""
        for trial in self.trials:
            number = self.next_attempt(trial)
            if number is not None:
                yield trial, number

    def next_attempt(self, trial: Trial) -> int | None:
        """Return the number of a trial's next attempt: the first that is missing; None if it has its verdict."""
        attempts = self.made[trial.key]
        for number, attempt in enumerate(attempts, start=1):
            if attempt.attempt != number:
                return number
        return None if attempts and attempts[-1].decides else len(attempts) + 1

    def add(self, trial: Trial, stored: StoredCall) -> CallRecord:
        """Add an attempt that was just committed; return its record."""
        insort(self.made[trial.key], PackedRow.of(stored), key=lambda one: one.attempt)
        self._list([stored])
        return stored.call

    def _checked(self) -> dict[tuple[str, str, int, int], str]:
        if self.index is None:
            return {}
        try:
            self._run_id = self.index.put_run(self.folder)
            return self.index.checked(self._run_id)
        except StoreError as error:
            self._lose_index(error)
            return {}

    def _lose_index(self, error: StoreError) -> None:
        self.reporter.note(str(error))
        self.index = None

    def _list(self, calls: Sequence[StoredCall]) -> None:
        if self.index is None or not calls:
            return
        try:
            self.index.put_calls(self._run_id, calls)
        except StoreError as error:
            self._lose_index(error)


@dataclass
class Stop:
    """Whether the run was asked to stop.

    Attributes:
        requested: calls in flight end, no other starts.
        given_up: they were told to end at once.
    """

    requested: bool = False
    given_up: bool = False


@dataclass
class Budget:
    """What the attempts of a run have cost, those of earlier sessions included.

    Attributes:
        limit_usd: what they may cost; None is no limit.
        usd: what they have cost, as far as it is known.
        known: attempts whose cost is known.
        unknown: attempts whose cost is not.
    """

    limit_usd: float | None = None
    usd: float = 0.0
    known: int = 0
    unknown: int = 0

    def add(self, cost: CallCost | None) -> None:
        """Count one attempt; None is an attempt of unknown cost."""
        usd = None if cost is None else cost.usd
        if usd is None:
            self.unknown += 1
        else:
            self.known += 1
            self.usd += usd

    def exceeded_by(self, in_flight: int) -> str | None:
        """Return why no further call may start, or None if it may.

        Each call in flight counts as the mean of those that have ended, so that the limit is passed by no more than
        what these differ from it.
        """
        if self.limit_usd is None:
            return None
        if self.unknown:
            return (
                f"--max-cost: calls of unknown cost were made ({self.unknown}), so that ${self.limit_usd:g} cannot be "
                "kept to; give the model a price under `prices:`, or leave --max-cost out"
            )
        expected_usd = self.usd + in_flight * (self.usd / self.known if self.known else 0.0)
        if expected_usd >= self.limit_usd:
            return f"--max-cost: ${self.usd:.4f} of ${self.limit_usd:g} are spent; raise it to go on"
        return None


@dataclass
class Scheduler:
    """Starts the calls that a run still lacks, and commits them.

    Attributes:
        catalogue: the attempts that there are.
        seed: the run's.
        reporter: gets the progress.
        stop: whether to stop.
        limiters: of the models' providers.
        budget: the money.
        most_at_once: calls that may be in flight, whatever the providers allow.
        due: trials without a verdict, each with the number of its next attempt.
        problem: why the run stopped early, if it did.
    """

    catalogue: Catalogue
    seed: int
    reporter: ProgressReporter
    stop: Stop
    limiters: Limiters
    budget: Budget
    most_at_once: float = math.inf
    due: deque[tuple[Trial, int]] = field(default_factory=deque)
    problem: str | None = None
    _in_flight: dict[WorkUnit, Generations] = field(default_factory=dict)
    _losses: Counter[WorkUnit] = field(default_factory=Counter)
    _ended: int = 0
    _begun_s: float = field(default_factory=time.perf_counter)

    def enqueue_pending(self) -> None:
        """Queue the trials that have no verdict yet."""
        self.due.extend(self.catalogue.due())
        self.reporter.planned(self.progress())

    def make_calls(self, engine: Engine) -> None:
        """Let the engine make what is due, and commit each call as it ends."""
        self._begun_s = time.perf_counter()
        try:
            for event in engine.results(self._requests()):
                if isinstance(event, CallResult):
                    self._settle(event)
                else:
                    self.reporter.waits(event.who, event.what, event.seconds)
        except NotWritable as error:
            self.problem = f"{error}, and run the same command again"
        except StoreError as error:
            self.problem = str(error)

    @property
    def is_interrupted(self) -> bool:
        """Whether it was stopped before all calls were made."""
        return self.stop.requested and bool(self.due)

    def progress(self) -> Progress:
        """Return how far the run is."""
        attempts = [attempt for made in self.catalogue.made.values() for attempt in made]
        verdicts = Counter(attempt.verdict for attempt in attempts)
        trials = len(self.catalogue.trials)
        done = trials - sum(1 for _ in self.catalogue.due())
        left_s = None
        if self._ended:
            left_s = (time.perf_counter() - self._begun_s) / self._ended * (trials - done)
        return Progress(trials, done, verdicts, self.budget.usd, self.budget.unknown, left_s)

    def _requests(self) -> Iterator[CallRequest | None]:
        while not self.stop.requested and self.problem is None:
            if not self.due and not self._in_flight:
                return
            in_flight = len(self._in_flight)
            # None makes the engine ask again: a call in flight may queue its next attempt when it ends.
            if not self.due or in_flight >= self.most_at_once or not self.limiters.has_room(in_flight):
                yield None
            elif (cooling := self.limiters.cooling()) is not None:
                cooled_s = cooling.cooled_s()
                reason = f"its cooldown of {cooled_s + cooling.cooldown_s():.1f} s after {cooling.reason}"
                self.reporter.waits(cooling.provider, reason, cooled_s)
                yield None
            elif (exceeded := self.budget.exceeded_by(in_flight)) is not None:
                self.problem = exceeded
            else:
                trial, attempt = self.due.popleft()
                unit = WorkUnit(*trial.key, attempt, self.seed)
                self._in_flight[unit] = self.limiters.generations
                self.reporter.started(unit.name)
                yield CallRequest(unit, trial.task)

    def _settle(self, ended: CallResult) -> None:
        unit, result = ended.request.unit, ended.result
        trial = Trial(ended.request.task, unit.trial)
        in_flight = len(self._in_flight)
        generations = self._in_flight.pop(unit)
        if isinstance(result, WorkerLost):
            self._losses[unit] += 1
            if self._losses[unit] < _MOST_LOSSES:
                self.due.appendleft((trial, unit.attempt))
                self.reporter.finished(unit.name, f"{unit.name}: {result}; the call is made again", self.progress())
                return
        if isinstance(result, Exception):
            if stops_the_run(result):
                raise result
            result = failed_call(unit, result)
        exchanges = read_exchanges(result.files.get("exchanges.jsonl", b""))
        self.limiters.call_ended(exchanges, in_flight, generations)
        # A call that broke off because it was given up is no attempt: the next run makes it again under its number.
        if self.stop.requested and result.call.verdict == "error":
            self.due.appendleft((trial, unit.attempt))
            self.reporter.finished(unit.name, f"{unit.name}: given up", self.progress())
            return
        self._commit(trial, unit, result)
        if result.call.hung_up and (status := refused_status(exchanges)) is not None:
            raise ProviderError(str(result.call.error), status=status)

    def _commit(self, trial: Trial, unit: WorkUnit, files: CallFiles) -> None:
        path = self.catalogue.folder.attempt_dir(unit.pack, unit.task, unit.trial, unit.attempt)
        commit_call(path, files.files)
        call = self.catalogue.add(trial, read_call(path))
        self.budget.add(call.cost)
        self._ended += 1
        number = self.catalogue.next_attempt(trial)
        if number is not None:
            self.due.appendleft((trial, number))  # at once, so that a run that is stopped leaves few trials undecided
        parts = [f"{unit.name}: {call.verdict}"]
        if call.reason and call.verdict != "passed":
            parts.append(f"({call.reason})")
        if call.call_s is not None:
            parts.append(f"after {call.call_s:.1f} s of call time, {call.wall_s or 0.0:.1f} s of wall time")
        self.reporter.finished(unit.name, " ".join(parts), self.progress())
