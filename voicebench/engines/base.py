"""What a run needs of an engine."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from voicebench.call import CallArtifacts, WorkUnit
from voicebench.errors import AgentError
from voicebench.packs import TaskRef

__all__ = ["Engine", "Job", "Outcome", "Waiting", "WorkerLost"]


@dataclass(frozen=True)
class Job:
    """One call to make: the unit, and the task that it is an attempt at."""

    unit: WorkUnit
    task: TaskRef


@dataclass(frozen=True)
class Outcome:
    """What became of a job: the files of the call, or the exception that prevented it."""

    job: Job
    result: CallArtifacts | Exception


@dataclass(frozen=True)
class Waiting:
    """Somebody waits; told about once a second while it lasts.

    Attributes:
        who: the call, or the worker.
        what: what it waits for.
        seconds: wall seconds so far.
    """

    who: str
    what: str
    seconds: float


class WorkerLost(AgentError):
    """What was making a call is gone: killed, crashed, or cut off.

    The call came to nothing, so the same unit can be made again; whether it is, is for the run to say.
    """


class Engine(Protocol):
    """Makes calls.

    An engine takes the next job when it is ready to start it, so whoever gives the jobs may decide late, for example
    that a trial needs another attempt, or that none shall start any more. The same unit gives the same files on every
    engine. ``tests/engines/suite.py`` is what an engine has to pass.
    """

    def prepare(self, caller_voices: Collection[str]) -> None:
        """Load what every call needs, so that what is missing is told before the first call.

        Args:
            caller_voices: the names of the voices that speak the callers of the calls to come.

        Raises:
            ConfigError: the pipeline cannot be used on this machine.
            ModelMissing: weights are absent.
        """
        ...

    def outcomes(self, jobs: Iterable[Job | None]) -> Iterator[Outcome | Waiting]:
        """Make the calls and give what became of each, in the order in which they end; and between them, who waits.

        Args:
            jobs: the calls to make. None means that none may start just now: the engine asks again within a second.
                The engine ends when the jobs have ended and the calls in flight too.

        Raises:
            ConfigError: the language model cannot be reached without a key, or its local endpoint cannot start; or a
                pack changed since it was loaded.
            ModelMissing: weights are absent.
            AgentError: no worker can be started.
        """
        ...

    def close(self) -> None:
        """Give up the calls in flight, at once, and leave nothing running; closing twice does no harm."""
        ...
