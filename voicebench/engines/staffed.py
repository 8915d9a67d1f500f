"""What engines with several workers have in common, wherever the workers are."""

from __future__ import annotations

import abc
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from voicebench.config import Pipeline
from voicebench.engines.base import Job, Outcome, Waiting, WorkerLost
from voicebench.engines.messages import Failed, FromWorker, Made, Ready, Waits
from voicebench.engines.target import check_keys
from voicebench.errors import AgentError

__all__ = ["AnyPool", "AnyWorker", "Lost", "NoRoom", "StaffedEngine"]

_LISTEN_S = 0.2
_TELL_EVERY_S = 1.0
_MOST_STILLBORN = 3


@dataclass(frozen=True)
class Lost:
    """A worker is gone; ``how`` completes "the worker was …"."""

    how: str


class NoRoom(AgentError):
    """A worker did not get ready in time; if there are others, they make the calls."""


class AnyWorker(Protocol):
    """A worker, as an engine sees it.

    Attributes:
        number: from 1.
        since: ``perf_counter`` of its start, or of the start of its job.
        ready: whether its models are loaded.
        job: what it is working on.
    """

    number: int
    since: float
    ready: bool
    job: Job | None

    @property
    def free(self) -> bool:
        """Whether it could take a job."""
        ...

    def take(self, job: Job) -> None:
        """Give it a job; if it has just died, its end is heard of like any other."""
        ...


class AnyPool(Protocol):
    """Some workers."""

    @property
    def workers(self) -> Sequence[AnyWorker]:
        """Those that there are now, in the order of their start."""
        ...

    def hear(self, timeout_s: float) -> Iterator[tuple[AnyWorker, FromWorker | Lost]]:
        """Give what workers have said by now, or within the time; one that is gone has left the pool."""
        ...

    def close(self) -> None:
        """End all of them, now."""
        ...


class StaffedEngine(abc.ABC):
    """Makes calls by workers, which load the models once.

    A worker that is lost is replaced; its job's outcome is :class:`WorkerLost`.

    Args:
        pipeline: the configuration of all calls.
        workers: how many.
        pool: where they are.
    """

    def __init__(self, pipeline: Pipeline, workers: int, pool: AnyPool) -> None:
        self._pipeline = pipeline
        self._count = workers
        self._pool = pool
        self._caller_voices: Collection[str] = ()
        self._stillborn = 0
        self._told = 0.0

    @abc.abstractmethod
    def _start(self) -> None:
        """Start one more worker, whatever else that needs first."""

    def _most(self) -> int:
        """Return how many workers there can be now."""
        return self._count

    def prepare(self, caller_voices: Collection[str]) -> None:
        """Check the model's key, and let the first worker load the pipeline's models and the callers' voices."""
        check_keys(self._pipeline)
        self._caller_voices = caller_voices
        self._staff(1)
        while not any(worker.ready for worker in self._pool.workers):
            for worker, message in self._pool.hear(_LISTEN_S):
                self._settle(worker, message)
            self._staff(1)

    def outcomes(self, jobs: Iterable[Job | None]) -> Iterator[Outcome | Waiting]:
        """Make the calls, as many at a time as there are workers."""
        waiting = iter(jobs)
        more = True
        while more or any(worker.job for worker in self._pool.workers):
            self._staff(self._count if more else 0)
            more = more and self._hand_out(waiting)
            for worker, message in self._pool.hear(_LISTEN_S):
                told = self._settle(worker, message)
                if told is not None:
                    yield told
            yield from self._loading()

    def close(self) -> None:
        """End the workers, now."""
        self._pool.close()

    def _staff(self, count: int) -> None:
        """Start the workers that are missing, as far as there is room for them."""
        while len(self._pool.workers) < count and len(self._pool.workers) < self._most():
            self._start()

    def _hand_out(self, jobs: Iterator[Job | None]) -> bool:
        """Give free workers what is due; return False once there are no jobs any more."""
        for worker in self._pool.workers:
            if worker.free:
                try:
                    job = next(jobs)
                except StopIteration:
                    return False
                if job is None:
                    break
                worker.take(job)
        return True

    def _settle(self, worker: AnyWorker, message: FromWorker | Lost) -> Outcome | Waiting | None:
        """Return what a message means to the run."""
        job = worker.job
        if job is None:
            self._settle_start(worker, message)
            return None
        if isinstance(message, Waits):
            return Waiting(job.unit.name, message.what, message.seconds)
        worker.job = None
        if isinstance(message, Lost):
            return Outcome(job, WorkerLost(f"worker {worker.number} was {message.how}"))
        if isinstance(message, Made):
            return Outcome(job, message.artifacts)
        assert isinstance(message, Failed)
        return Outcome(job, message.error)

    def _settle_start(self, worker: AnyWorker, message: FromWorker | Lost) -> None:
        if isinstance(message, Failed):
            others = len(self._pool.workers)
            if not (isinstance(message.error, NoRoom) and others):
                raise message.error
            self._count = others
        if isinstance(message, Ready):
            self._stillborn = 0
        if isinstance(message, Lost) and not worker.ready:
            self._stillborn += 1
            if self._stillborn >= _MOST_STILLBORN:
                raise AgentError(
                    f"{_MOST_STILLBORN} workers were lost while they loaded the models, the last one was {message.how}"
                    "; what it wrote to standard error says why"
                )

    def _loading(self) -> Iterator[Waiting]:
        """Say once a second who is not ready to make calls."""
        now = time.perf_counter()
        if now - self._told >= _TELL_EVERY_S:
            self._told = now
            for who, what, since in self._unready():
                yield Waiting(who, what, now - since)

    def _unready(self) -> list[tuple[str, str, float]]:
        """Return who waits for what, since when by ``perf_counter``."""
        return [(f"worker {one.number}", "its models", one.since) for one in self._pool.workers if not one.ready]
