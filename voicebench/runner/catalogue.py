"""The attempts that a run's folder holds, kept small in memory and in step with the index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from voicebench.errors import StoreError
from voicebench.runner.plan import Trial
from voicebench.runner.progress import Watcher
from voicebench.runner.results import Attempt
from voicebench.store import RunFolder, StoredCall, read_call
from voicebench.store.index import Index

__all__ = ["Catalogue"]

Key = tuple[str, str, int]


@dataclass
class Catalogue:
    """What there is of each trial.

    Attributes:
        folder: the run's.
        trials: all of them.
        watch: is told of what cannot be read.
        index: where calls are listed; None if it cannot be written, which is no trouble of the run.
        made: the attempts of each trial, first to last.
    """

    folder: RunFolder
    trials: Sequence[Trial]
    watch: Watcher
    index: Index | None = None
    made: dict[Key, list[Attempt]] = field(default_factory=dict)
    _run_id: str = ""

    def read(self, *, repair: bool = True) -> None:
        """Read all attempts; move unreadable ones away, to be made again.

        All files of a call are read if they were touched since that was done last, as the index has it. Of calls that
        the index does not know, as after copying, the lengths are compared.

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
                    before = checked.get((*trial.key, int(stored.call["attempt"])))
                    if before is None and stored.has_all_bytes():
                        fresh.append(stored)
                    elif before != stored.signature():
                        read_call(path).check()
                        fresh.append(stored)
                except StoreError as error:
                    if repair:
                        moved = self.folder.quarantine(path)
                        self.watch.note(f"{error}; moved to {moved}, and the call is made again")
                else:
                    attempts.append(Attempt.of(stored))
        self._list(fresh)

    def due(self) -> Iterator[tuple[Trial, int]]:
        """Give the trials without a verdict, each with the number of its next attempt."""
        for trial in self.trials:
            attempts = self.made[trial.key]
            if not attempts or not attempts[-1].decides:
                yield trial, attempts[-1].number + 1 if attempts else 1

    def add(self, trial: Trial, stored: StoredCall) -> Attempt:
        """Add an attempt that was just committed."""
        attempt = Attempt.of(stored)
        self.made[trial.key].append(attempt)
        self._list([stored])
        return attempt

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
        self.watch.note(str(error))
        self.index = None

    def _list(self, calls: Sequence[StoredCall]) -> None:
        if self.index is None or not calls:
            return
        try:
            self.index.put_calls(self._run_id, calls)
        except StoreError as error:
            self._lose_index(error)
