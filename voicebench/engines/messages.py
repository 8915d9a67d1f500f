"""What a run's process and its workers tell each other, pickled, over a socket."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from voicebench.call import CallArtifacts, WorkUnit
from voicebench.config import Pipeline
from voicebench.engines.base import Job
from voicebench.errors import ConfigError
from voicebench.llm import LlmTarget
from voicebench.packs import Case, Pack, TaskRef, load_pack

__all__ = ["Briefing", "Failed", "FromWorker", "Made", "Ready", "Ticket", "Waits"]


@dataclass(frozen=True)
class Briefing:
    """To a worker, first: what all calls have in common."""

    pipeline: Pipeline
    target: LlmTarget
    own_endpoint: bool
    caller: LlmTarget | None = None
    caller_voices: Collection[str] = ()


@dataclass(frozen=True)
class Ticket:
    """To a worker: one job. The pack goes by its folder, since its tools are code, and by its hash."""

    unit: WorkUnit
    root: Path
    hash: str
    case: Case
    variant: Literal["BG", "SIG"] | None

    @classmethod
    def of(cls, job: Job) -> Ticket:
        """Return the ticket of a job."""
        task = job.task
        return cls(job.unit, task.pack.root, task.pack.hash, task.case, task.variant)

    def job(self) -> Job:
        """Return the job again, in the worker.

        Raises:
            ConfigError: the pack cannot be loaded, or is another one by now.
        """
        pack = _pack(self.root)
        if pack.hash != self.hash:
            raise ConfigError(f"pack {self.root}: it was changed while the run was going on; start the run again")
        return Job(self.unit, TaskRef(pack, self.case, self.variant))


@dataclass(frozen=True)
class Ready:
    """From a worker, first: its models are loaded."""


@dataclass(frozen=True)
class Made:
    """From a worker: the files of its call."""

    artifacts: CallArtifacts


@dataclass(frozen=True)
class Failed:
    """From a worker: what prevented its start or its call."""

    error: Exception


@dataclass(frozen=True)
class Waits:
    """From a worker: what its call waits for, and for how many wall seconds so far."""

    what: str
    seconds: float


FromWorker = Ready | Made | Failed | Waits


@cache
def _pack(root: Path) -> Pack:
    return load_pack(root)
