"""The attempts that a run's folder holds, kept small in memory and in step with the index."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from voicebench.errors import CorruptFile, StoreError
from voicebench.record.call import CallRecord
from voicebench.runner.plan import Trial
from voicebench.runner.progress import ProgressReporter
from voicebench.store import RunFolder, StoredCall, read_call
from voicebench.store.index import Index
from voicebench.stored.results import PackedRow

__all__ = ["Catalogue"]

Key = tuple[str, str, int]


@dataclass
class Catalogue:
    """The attempts that a run has of each trial.

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
