"""Calls by workers on the nodes of a Ray cluster."""

from __future__ import annotations

import contextlib
import time

import voicebench
from voicebench.config import Pipeline
from voicebench.engines.ray_cluster import check_installed, check_places, check_share, connected, describe, places
from voicebench.engines.ray_pool import RayPool
from voicebench.engines.staffed import StaffedEngine
from voicebench.engines.target import StartEndpoint, remote_targets
from voicebench.errors import AgentError
from voicebench.serve import start_endpoint

__all__ = ["RayEngine"]

_START_S = 300.0
_LOOK_EVERY_S = 1.0


class RayEngine(StaffedEngine):
    """Makes calls by actors, each with models and a local endpoint of its own; what they make comes back as bytes.

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
        self._bare_since: float | None = None

    def close(self) -> None:
        """Kill the workers and leave the cluster; one that was started here ends."""
        if self._is_connected:
            super().close()
        self._is_connected = False
        self._cluster.close()

    def _start(self) -> None:
        from voicebench.engines.ray_worker import Assignment

        targets = remote_targets(self._pipeline)
        given = (voicebench.__version__, self._pipeline, self._seed, self._serve)
        self._actors.start(Assignment(*given, *targets, self._caller_voices))

    def _most(self) -> int:
        return min(self._count, self._places)

    def _staff(self, count: int) -> None:
        self._connect()
        self._look()
        super()._staff(count)
        if not count or self._actors.workers:
            self._bare_since = None
            return
        now = time.perf_counter()
        self._bare_since = now if self._bare_since is None else self._bare_since
        if now - self._bare_since > self._start_s:
            import ray

            raise AgentError(f"no node has had room for a worker for {self._start_s:.0f} s; {describe(ray.nodes())}")

    def _connect(self) -> None:
        """Join the cluster, once, if the workers have places there."""
        if self._is_connected:
            return
        self._cluster.enter_context(connected(self._address, self._count))
        self._is_connected = True
        import ray

        check_places(ray.nodes(), self._count, self._gpus)

    def _look(self) -> None:
        """See how many places there are now, and give up on workers that wait for one that is gone."""
        now = time.perf_counter()
        if now - self._looked < _LOOK_EVERY_S:
            return
        import ray

        self._looked = now
        self._places = places(ray.nodes(), self._gpus)
        surplus = len(self._actors.workers) - self._most()
        for worker in [worker for worker in self._actors.workers if not worker.ready][: max(0, surplus)]:
            self._actors.drop(worker)

    def _unready(self) -> list[tuple[str, str, float]]:
        bare = [] if self._bare_since is None else [("the run", "a node with room for a worker", self._bare_since)]
        return [*super()._unready(), *bare]
