"""One call after another, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from voicebench.call import CallSetup, prepare, run_call_unit
from voicebench.config import Pipeline
from voicebench.engines.base import Job, Outcome
from voicebench.engines.target import check_key, language_model

__all__ = ["LocalEngine"]


class LocalEngine:
    """Makes calls one at a time; models and the local endpoint stay up from one call to the next.

    Args:
        pipeline: the configuration of all calls.
        seed: the run's seed.
        watch: called with each line of the trace as it is recorded, for showing a call as it happens.

    Attributes:
        endpoint_log: what a local endpoint said of its own delays, once all calls were made.
    """

    def __init__(self, pipeline: Pipeline, seed: int, watch: Callable[[dict[str, Any]], None] | None = None) -> None:
        self._pipeline = pipeline
        self._seed = seed
        self._watch = watch
        self.endpoint_log: list[dict[str, Any]] = []

    def prepare(self) -> None:
        """Check the line's settings and the model's key, and load the pipeline's models."""
        check_key(self._pipeline.agent.llm)
        prepare(self._pipeline)

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Make the calls in their order."""
        with language_model(self._pipeline.agent.llm, self._seed) as (target, endpoint):
            for job in jobs:
                own = endpoint is not None
                setup = CallSetup(self._pipeline, job.pack, job.case, target, own, self._watch)
                try:
                    outcome = Outcome(job, run_call_unit(job.unit, setup))
                except Exception as error:
                    outcome = Outcome(job, error)
                yield outcome
            if endpoint is not None:
                self.endpoint_log = endpoint.read_log()
