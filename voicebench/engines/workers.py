"""Calls in several processes of this machine, one call a process at a time."""

from __future__ import annotations

import contextlib

from voicebench.config import Pipeline
from voicebench.engines.messages import Briefing
from voicebench.engines.pool import Pool
from voicebench.engines.staffed import StaffedEngine
from voicebench.engines.target import StartEndpoint, caller_model, model_under_test
from voicebench.serve import start_endpoint

__all__ = ["WorkerEngine"]


class WorkerEngine(StaffedEngine):
    """Makes calls in worker processes, which share one local endpoint. All of them end with this process.

    Args:
        pipeline: the configuration of all calls.
        seed: the run's seed.
        workers: how many processes.
        serve: starts the local endpoint.
    """

    def __init__(self, pipeline: Pipeline, seed: int, workers: int = 1, serve: StartEndpoint = start_endpoint) -> None:
        self._processes = Pool()
        super().__init__(pipeline, workers, self._processes)
        self._seed = seed
        self._serve = serve
        self._briefing: Briefing | None = None
        self._open = contextlib.ExitStack()

    def close(self) -> None:
        """Kill the workers, and end the endpoint."""
        super().close()
        self._briefing = None
        self._open.close()

    def _start(self) -> None:
        if self._briefing is None:
            target, endpoint = self._open.enter_context(model_under_test(self._pipeline.agent, self._seed, self._serve))
            caller = self._open.enter_context(caller_model(self._pipeline.caller, self._seed, self._serve))
            own = endpoint is not None
            self._briefing = Briefing(self._pipeline, target, own, caller, self._caller_voices)
        self._processes.start(self._briefing)
