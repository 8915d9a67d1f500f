"""Calls by workers on the nodes of a Ray cluster."""

from __future__ import annotations

import contextlib
import pickle
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from voicebench.config import Pipeline
from voicebench.engines.base import CallRequest
from voicebench.engines.endpoints import StartEndpoint, remote_targets
from voicebench.engines.pool import CallWorker, FromWorker, Lost, NoRoom, PooledEngine, Ready, Waits, WorkerConfig
from voicebench.engines.ray_cluster import (
    check_installed,
    check_places,
    check_share,
    connected,
    describe,
    nodes_alive,
    places,
)
from voicebench.errors import AgentError
from voicebench.serve import start_endpoint

__all__ = ["RayEngine"]

_START_S = 300.0
_LOOK_EVERY_S = 1.0
_REPORT_EVERY_S = 1.0
_SILENT_S = 3.0
_WAITS = "waits"
"""The concurrency group in which an actor says what its call waits for, while its only other thread makes the call."""


class RayEngine(PooledEngine):
    """Makes calls by actors, each with models and a local endpoint of its own; what they make comes back as bytes.

    An endpoint listens on loopback, for one machine, so that each worker starts its own, which answers as any other
    with the same options; a model that is served elsewhere is called with the driver's key.

    A cluster that was started here ends with the engine; in another one nothing of the engine's is left. The death of
    a worker or of its node costs the calls that were in flight there. Where there is no place for a new worker the
    others go on, and it is started once there is.

    Args:
        pipeline: the configuration of all calls.
        seed: the run's seed.
        workers: how many actors, one CPU each.
        address: of the cluster, ``HOST:PORT`` or ``auto``; without one a cluster is started on this machine.
        gpus_per_worker: a share of one GPU, or whole ones.
        serve: starts the local endpoint; the nodes need to know it too.
        start_s: seconds that a worker may take until it is ready.

    Raises:
        ConfigError: Ray is not installed, or there is no such share.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        seed: int,
        workers: int = 1,
        address: str | None = None,
        gpus_per_worker: float = 0.0,
        serve: StartEndpoint = start_endpoint,
        start_s: float = _START_S,
    ) -> None:
        check_installed()
        check_share(gpus_per_worker)
        self._actors = RayPool(gpus_per_worker, start_s)
        super().__init__(pipeline, workers, self._actors)
        self._seed = seed
        self._address = address
        self._gpus = gpus_per_worker
        self._serve = serve
        self._start_s = start_s
        self._cluster = contextlib.ExitStack()
        self._is_connected = False
        self._places = workers
        self._looked = 0.0
        self._without_workers_since: float | None = None

    def close(self) -> None:
        """Kill the workers and leave the cluster; one that was started here ends."""
        if self._is_connected:
            super().close()
        self._is_connected = False
        self._cluster.close()

    def worker_config(self) -> WorkerConfig:
        """Return what a worker needs to start the endpoints of local models itself."""
        return WorkerConfig(
            self._pipeline, self._seed, *remote_targets(self._pipeline), self._caller_voices, self._serve
        )

    def max_workers(self) -> int:
        """Return how many workers the cluster has places for now, and those asked for at most."""
        return min(self._count, self._places)

    def start_missing(self, count: int) -> None:
        """Start the workers that are missing; the first time, join the cluster.

        Raises:
            ConfigError: the cluster cannot be reached, or has no places for the workers.
            AgentError: no node has had room for a worker for too long.
        """
        if not self._is_connected:
            self._cluster.enter_context(connected(self._address, self._count))
            self._is_connected = True
            check_places(nodes_alive(), self._count, self._gpus)
        now = time.perf_counter()
        if now - self._looked >= _LOOK_EVERY_S:
            self._looked = now
            self._places = places(nodes_alive(), self._gpus)
            surplus = len(self._actors.workers) - self.max_workers()
            waiting = [worker for worker in self._actors.workers if not worker.ready]
            for worker in waiting[: max(0, surplus)]:  # they wait for a place that is gone
                self._actors.drop(worker)
        super().start_missing(count)
        if not count or self._actors.workers:
            self._without_workers_since = None
            return
        self._without_workers_since = self._without_workers_since or now
        if now - self._without_workers_since > self._start_s:
            raise AgentError(f"no node has had room for a worker for {self._start_s:.0f} s; {describe(nodes_alive())}")

    def unready(self) -> list[tuple[str, str, float]]:
        """Return the workers that are still starting, and the run itself while no node has room for a worker."""
        since = self._without_workers_since
        return [*super().unready(), *([] if since is None else [("the run", "a node with room for a worker", since)])]


@dataclass(eq=False)
class RayHandle:
    """One actor, and what we wait for from it (see :class:`~voicebench.engines.pool.WorkerHandle`).

    Attributes:
        number: from 1.
        actor: its handle.
        since: ``perf_counter`` of its start, or of the start of its call.
        answer: what it is asked for: that its models are loaded, then one call after another; None if nothing.
        waits: the question what its call waits for, if one is under way.
        asked: ``perf_counter`` of the last such question.
        reported: ``perf_counter`` of the last report that it is not answered.
        ready: whether its models are loaded.
        request: the call that it is making.
    """

    number: int
    actor: Any
    since: float
    answer: Any
    waits: Any = None
    asked: float = 0.0
    reported: float = 0.0
    ready: bool = False
    request: CallRequest | None = None

    def take(self, request: CallRequest) -> None:
        """Give it a call to make; if it has just died, ``receive`` reports that as of any other."""
        self.request, self.since, self.asked = request, time.perf_counter(), time.perf_counter()
        # As bytes: an error of the pack is raised where the worker can answer with it, not as Ray reads the arguments.
        self.answer = self.actor.make.remote(pickle.dumps(request))


class RayPool:
    """The actors of an engine (see :class:`~voicebench.engines.pool.WorkerPool`).

    Args:
        gpus: GPUs that each actor reserves; may be a fraction.
        start_s: seconds that an actor may take until its models are loaded.
    """

    def __init__(self, gpus: float, start_s: float) -> None:
        self.workers: list[RayHandle] = []
        # Neither restarts nor retries of Ray's own: the run decides whether a call is made again, and counts them.
        self._options = {"num_cpus": 1, "num_gpus": gpus, "max_restarts": 0, "max_task_retries": 0}
        self._start_s = start_s
        self._started = 0

    def start(self, config: WorkerConfig) -> None:
        """Ask for one more, and let it load its models; Ray finds it a node."""
        import ray

        kind: Any = ray.remote(concurrency_groups={_WAITS: 1})(CallWorker)
        # By default Ray fills one node before it takes the next; spread, a node that dies costs fewer calls.
        actor = kind.options(scheduling_strategy="SPREAD", **self._options).remote(config)
        self._started += 1
        self.workers.append(RayHandle(self._started, actor, time.perf_counter(), actor.load.remote()))

    def receive(self, timeout_s: float) -> Iterator[tuple[RayHandle, FromWorker | Lost]]:
        """Give what workers have sent by now, or within the time; one that is gone has left the pool."""
        import ray

        yield from self._overdue()
        yield from self._ask()
        by_ref = {worker.answer: worker for worker in self.workers if worker.answer is not None}
        by_ref |= {worker.waits: worker for worker in self.workers if worker.waits is not None}
        if not by_ref:
            time.sleep(timeout_s)
            return
        # One return is enough: more would make the first answer wait for another until the time is up.
        done, _ = ray.wait(list(by_ref), num_returns=1, timeout=timeout_s)
        for ref in done:
            worker = by_ref[ref]
            message = self._read(worker, ref)
            if message is not None:
                yield worker, message

    def drop(self, worker: RayHandle) -> None:
        """End one, now; one that is only out of reach shall not go on either."""
        import ray

        self.workers.remove(worker)
        # A worker that was only cut off may still answer; without the references that is not taken for a result.
        worker.answer = worker.waits = None
        ray.kill(worker.actor)

    def close(self) -> None:
        """End all of them, now."""
        for worker in list(self.workers):
            self.drop(worker)

    def _read(self, worker: RayHandle, ref: Any) -> FromWorker | Lost | None:
        """Return what a worker answered; whatever Ray raises for its answer means that it is gone."""
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
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            reason = lines[-1].partition(". ")[0] if lines else "no reason given"
            return Lost(f"lost with its process or its node ({type(error).__name__}: {reason})")
        worker.ready = worker.ready or isinstance(message, Ready)
        return message

    def _ask(self) -> Iterator[tuple[RayHandle, Waits]]:
        """Ask each worker once a second what its call waits for; report those whose node does not answer."""
        now = time.perf_counter()
        for worker in [worker for worker in self.workers if worker.request is not None]:
            if worker.waits is not None:
                if now - worker.reported >= _REPORT_EVERY_S and now - worker.asked >= _SILENT_S:
                    worker.reported = now
                    yield worker, Waits("an answer of its node", now - worker.asked)
            elif now - worker.asked >= _REPORT_EVERY_S:
                worker.asked = now
                worker.waits = worker.actor.waits.options(concurrency_group=_WAITS).remote(_REPORT_EVERY_S)

    def _overdue(self) -> Iterator[tuple[RayHandle, NoRoom]]:
        """Give up on workers that take too long to get ready."""
        for worker in list(self.workers):
            waited_s = time.perf_counter() - worker.since
            if not worker.ready and waited_s > self._start_s:
                self.drop(worker)
                why = "others have the cluster's CPUs or GPUs, or its node is slow"
                yield worker, NoRoom(f"worker {worker.number} was not ready after {waited_s:.0f} s: {why}")
