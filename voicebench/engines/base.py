"""What a run needs of an engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from voicebench.call import CallArtifacts, WorkUnit
from voicebench.packs import Case, Pack

__all__ = ["Engine", "Job", "Outcome"]


@dataclass(frozen=True)
class Job:
    """One call to make."""

    unit: WorkUnit
    pack: Pack
    case: Case


@dataclass(frozen=True)
class Outcome:
    """What became of a job: the files of the call, or the exception that prevented it."""

    job: Job
    result: CallArtifacts | Exception


class Engine(Protocol):
    """Makes calls.

    An engine takes the next job when it is ready to start it, so whoever gives the jobs may decide late, for example
    that a trial needs another attempt, or that none shall start any more.
    """

    def prepare(self) -> None:
        """Load what every call needs, so that what is missing is told before anything is written.

        Raises:
            ConfigError: the pipeline cannot be used on this machine.
            ModelMissing: weights are absent.
        """
        ...

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Make the calls and give what became of each, in the order in which they end.

        Raises:
            ConfigError: the language model cannot be reached without a key, or its local endpoint cannot start.
        """
        ...
