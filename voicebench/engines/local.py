"""One call after another, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from voicebench.call import prepare
from voicebench.config import Pipeline
from voicebench.config.models import CascadeAgent
from voicebench.engines.base import Job, Outcome
from voicebench.engines.maker import CallMaker
from voicebench.engines.target import StartEndpoint, caller_model, check_keys, model_under_test
from voicebench.serve import start_endpoint

__all__ = ["LocalEngine"]

_ASK_AGAIN_S = 0.05


class LocalEngine:
    """Makes calls one at a time; models and the local endpoint stay up from one call to the next.

    Args:
        pipeline: the configuration of all calls.
        seed: the run's seed.
        watch: called with each line of the trace as it is recorded, for showing a call as it happens.
        serve: starts the local endpoint.

    Attributes:
        endpoint_log: what a local endpoint of a language model said of its own delays, once all calls were made.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        seed: int,
        watch: Callable[[dict[str, Any]], None] | None = None,
        serve: StartEndpoint = start_endpoint,
    ) -> None:
        self._pipeline = pipeline
        self._seed = seed
        self._watch = watch
        self._serve = serve
        self.endpoint_log: list[dict[str, Any]] = []

    def prepare(self, caller_voices: Collection[str]) -> None:
        """Check the line's settings and the model's key, and load the pipeline's models and the callers' voices."""
        check_keys(self._pipeline)
        prepare(self._pipeline, caller_voices)

    def outcomes(self, jobs: Iterable[Job | None]) -> Iterator[Outcome]:
        """Make the calls in their order."""
        with (
            model_under_test(self._pipeline.agent, self._seed, self._serve) as (target, endpoint),
            caller_model(self._pipeline.caller, self._seed, self._serve) as caller,
        ):
            maker = CallMaker(self._pipeline, target, endpoint is not None, self._watch, caller)
            for job in jobs:
                if job is None:
                    time.sleep(_ASK_AGAIN_S)
                else:
                    yield Outcome(job, maker.make(job))
            if endpoint is not None and isinstance(self._pipeline.agent, CascadeAgent):
                self.endpoint_log = endpoint.read_log()

    def close(self) -> None:
        """Nothing runs beside the call itself."""
