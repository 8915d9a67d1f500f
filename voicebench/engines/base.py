"""What a run needs of an engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from voicebench.call import CallArtifacts, WorkUnit
from voicebench.config import Pipeline
from voicebench.packs import Case, Pack

__all__ = ["Engine", "Job", "Outcome"]


@dataclass(frozen=True)
class Job:
    """One call to make."""

    unit: WorkUnit
    pipeline: Pipeline
    pack: Pack
    case: Case


@dataclass(frozen=True)
class Outcome:
    """What became of a job: the files of the call, or the exception that prevented it."""

    job: Job
    result: CallArtifacts | Exception


class Engine(Protocol):
    """Makes calls.

    An engine takes the next job when it is ready to start it, so whoever gives the jobs may decide late, for example that
    a trial needs another attempt, or that none shall start any more.
    """

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Make the calls and give what became of each, in the order in which they end."""
