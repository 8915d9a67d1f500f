"""The actors of :class:`~voicebench.engines.ray_engine.RayEngine`: starting, hearing and ending them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from voicebench.engines.base import Job
from voicebench.engines.messages import Failed, FromWorker, Ready, Ticket, Waits
from voicebench.engines.staffed import Lost, NoRoom

__all__ = ["RayPool", "RayWorker"]

_TELL_EVERY_S = 1.0
_SILENT_S = 3.0


@dataclass(eq=False)
class RayWorker:
    """One actor, and what we wait for from it.

    Attributes:
        number: from 1.
        actor: its handle.
        since: ``perf_counter`` of its start, or of the start of its job.
        answer: what it is asked for: that its models are loaded, then one call after another; None if nothing.
        waits: the question what its call waits for, if one is under way.
        asked: ``perf_counter`` of the last such question.
        told: ``perf_counter`` of when we last told that it is not answered.
        ready: whether its models are loaded.
        job: what it is working on.
    """

    number: int
    actor: Any
    since: float
    answer: Any
    waits: Any = None
    asked: float = 0.0
    told: float = 0.0
    ready: bool = False
    job: Job | None = None

    @property
    def free(self) -> bool:
        """Whether it could take a job."""
        return self.ready and self.job is None

    def take(self, job: Job) -> None:
        """Give it a job; if it has just died, its end is heard of like any other."""
        self.job, self.since, self.asked = job, time.perf_counter(), time.perf_counter()
        self.answer = self.actor.make.remote(Ticket.of(job))


class RayPool:
    """Some actors.

    Args:
        gpus: of each.
        start_s: seconds that an actor may take until its models are loaded.
    """

    def __init__(self, gpus: float, start_s: float) -> None:
        self.workers: list[RayWorker] = []
        self._options = {"num_cpus": 1, "num_gpus": gpus, "max_restarts": 0, "max_task_retries": 0}
        self._start_s = start_s
        self._started = 0

    def start(self, assignment: Any) -> None:
        """Ask for one more, and let it load its models; Ray finds it a node."""
        import ray

        from voicebench.engines.ray_worker import CallWorker

        kind: Any = ray.remote(concurrency_groups={"telling": 1})(CallWorker)
        actor = kind.options(scheduling_strategy="SPREAD", **self._options).remote(assignment)
        self._started += 1
        self.workers.append(RayWorker(self._started, actor, time.perf_counter(), actor.load.remote()))

    def hear(self, timeout_s: float) -> Iterator[tuple[RayWorker, FromWorker | Lost]]:
        """Give what workers have said by now, or within the time; one that is gone has left the pool."""
        import ray

        yield from self._overdue()
        yield from self._ask()
        by_ref = {worker.answer: worker for worker in self.workers if worker.answer is not None}
        by_ref |= {worker.waits: worker for worker in self.workers if worker.waits is not None}
        if not by_ref:
            time.sleep(timeout_s)
            return
        done, _ = ray.wait(list(by_ref), num_returns=1, timeout=timeout_s)
        for ref in done:
            worker = by_ref[ref]
            message = self._read(worker, ref)
            if message is not None:
                yield worker, message

    def drop(self, worker: RayWorker) -> None:
        """End one, now; one that is only out of reach shall not go on either."""
        import ray

        self.workers.remove(worker)
        worker.answer = worker.waits = None
        ray.kill(worker.actor)

    def close(self) -> None:
        """End all of them, now."""
        for worker in list(self.workers):
            self.drop(worker)

    def _read(self, worker: RayWorker, ref: Any) -> FromWorker | Lost | None:
        """Return what a worker answered; whatever Ray raises means that it is gone, of which its answer tells."""
        import ray
        from ray.exceptions import RayError

        is_answer = ref is worker.answer
        if is_answer:
            worker.answer = None
        else:
            worker.waits = None
        try:
            message: FromWorker | None = ray.get(ref)
        except RayError as error:
            if not is_answer:
                return None
            self.drop(worker)
            return Lost(_how(error))
        worker.ready = worker.ready or isinstance(message, Ready)
        return message

    def _ask(self) -> Iterator[tuple[RayWorker, Waits]]:
        """Ask each worker once a second what its call waits for; tell of those whose node does not answer."""
        now = time.perf_counter()
        for worker in [worker for worker in self.workers if worker.job is not None]:
            if worker.waits is not None:
                if now - worker.told >= _TELL_EVERY_S and now - worker.asked >= _SILENT_S:
                    worker.told = now
                    yield worker, Waits("an answer of its node", now - worker.asked)
            elif now - worker.asked >= _TELL_EVERY_S:
                worker.asked = now
                worker.waits = worker.actor.waits.remote(_TELL_EVERY_S)

    def _overdue(self) -> Iterator[tuple[RayWorker, Failed]]:
        """Give up on workers that take too long to get ready."""
        for worker in list(self.workers):
            waited_s = time.perf_counter() - worker.since
            if not worker.ready and waited_s > self._start_s:
                self.drop(worker)
                why = "others have the cluster's CPUs or GPUs, or its node is slow"
                yield worker, Failed(NoRoom(f"worker {worker.number} was not ready after {waited_s:.0f} s: {why}"))


def _how(error: Exception) -> str:
    """Complete "the worker was"."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = lines[-1].partition(". ")[0] if lines else "no reason given"
    return f"lost with its process or its node ({type(error).__name__}: {reason})"
