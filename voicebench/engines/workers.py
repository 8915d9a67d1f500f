"""Calls in several processes of this machine, one call a process at a time."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator

from voicebench.config import Pipeline
from voicebench.engines.base import Job, Outcome, Waiting, WorkerLost
from voicebench.engines.messages import Briefing, Failed, FromWorker, Made, Ready, Waits
from voicebench.engines.pool import Lost, Pool, Worker
from voicebench.engines.target import StartEndpoint, caller_model, check_keys, model_under_test
from voicebench.errors import AgentError
from voicebench.serve import start_endpoint

__all__ = ["WorkerEngine"]

_LISTEN_S = 0.2
_TELL_EVERY_S = 1.0
_MOST_STILLBORN = 3


class WorkerEngine:
    """Makes calls in worker processes, which load the models once; they share one local endpoint.

    A worker that dies is replaced; its job's outcome is :class:`WorkerLost`. All of them end with this process.

    Args:
        pipeline: the configuration of all calls.
        seed: the run's seed.
        workers: how many processes.
        serve: starts the local endpoint.
    """

    def __init__(self, pipeline: Pipeline, seed: int, workers: int = 1, serve: StartEndpoint = start_endpoint) -> None:
        self._pipeline = pipeline
        self._seed = seed
        self._count = workers
        self._serve = serve
        self._pool = Pool()
        self._briefing: Briefing | None = None
        self._open = contextlib.ExitStack()
        self._stillborn = 0
        self._told = 0.0

    def prepare(self) -> None:
        """Check the model's key, start the endpoint, and let the first worker load the pipeline's models."""
        check_keys(self._pipeline)
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
            self._staff(self._count if more else len(self._pool.workers))
            more = more and self._hand_out(waiting)
            for worker, message in self._pool.hear(_LISTEN_S):
                told = self._settle(worker, message)
                if told is not None:
                    yield told
            yield from self._loading()

    def close(self) -> None:
        """Kill the workers, and end the endpoint."""
        self._pool.close()
        self._briefing = None
        self._open.close()

    def _staff(self, count: int) -> None:
        """Start the workers that are missing."""
        if self._briefing is None:
            target, endpoint = self._open.enter_context(model_under_test(self._pipeline.agent, self._seed, self._serve))
            caller = self._open.enter_context(caller_model(self._pipeline.caller, self._seed, self._serve))
            self._briefing = Briefing(self._pipeline, target, endpoint is not None, caller)
        for _ in range(count - len(self._pool.workers)):
            self._pool.start(self._briefing)

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

    def _settle(self, worker: Worker, message: FromWorker | Lost) -> Outcome | Waiting | None:
        """Return what a message means to the run."""
        job = worker.job
        if job is None:
            self._settle_start(worker, message)
            return None
        if isinstance(message, Waits):
            return Waiting(job.unit.name, message.what, message.seconds)
        worker.job = None
        if isinstance(message, Lost):
            return Outcome(job, WorkerLost(f"worker {worker.number} was {message}"))
        if isinstance(message, Made):
            return Outcome(job, message.artifacts)
        assert isinstance(message, Failed)
        return Outcome(job, message.error)

    def _settle_start(self, worker: Worker, message: FromWorker | Lost) -> None:
        if isinstance(message, Failed):
            raise message.error
        if isinstance(message, Ready):
            self._stillborn = 0
        if isinstance(message, Lost) and not worker.ready:
            self._stillborn += 1
            if self._stillborn >= _MOST_STILLBORN:
                raise AgentError(
                    f"{_MOST_STILLBORN} worker processes were lost while they loaded the models, the last one was "
                    f"{message}; what it wrote to standard error says why"
                )

    def _loading(self) -> Iterator[Waiting]:
        """Say once a second who still loads models."""
        now = time.perf_counter()
        if now - self._told >= _TELL_EVERY_S:
            self._told = now
            for worker in self._pool.workers:
                if not worker.ready:
                    yield Waiting(f"worker {worker.number}", "its models", now - worker.since)
