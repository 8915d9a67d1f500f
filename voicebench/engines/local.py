"""One call after another, in this process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from voicebench.call import CallFiles, CallSetup, prepare, run_call_unit
from voicebench.config import Pipeline
from voicebench.config.models import CascadeAgent
from voicebench.engines.base import CallRequest, CallResult
from voicebench.engines.endpoints import StartEndpoint, caller_model, check_keys, model_under_test
from voicebench.llm import LlmTarget
from voicebench.record.trace import TraceRecord
from voicebench.serve import LogEntry, start_endpoint

__all__ = ["CallMaker", "LocalEngine"]

_ASK_AGAIN_S = 0.05


@dataclass(frozen=True)
class CallMaker:
    """Makes calls of one pipeline in this process, whichever engine it belongs to.

    Attributes:
        pipeline: the configuration of all calls.
        target: where the model under test answers.
        caller: where the model that plays the caller answers, None for a scripted caller.
        watch: called with each span and event of the trace as it is added.
    """

    pipeline: Pipeline
    target: LlmTarget
    caller: LlmTarget | None
    watch: Callable[[TraceRecord], None] | None = None

    def make(self, request: CallRequest) -> CallFiles | Exception:
        """Return the files of a call, or what prevented it."""
        task = request.task
        pipeline = self.pipeline if task.line is None else self.pipeline.over(task.line)
        setup = CallSetup(pipeline, task.pack, task.case, self.target, self.caller, self.watch)
        try:
            setup = replace(setup, models=prepare(pipeline, [setup.caller_voice]))
            return run_call_unit(request.unit, setup)
        except Exception as error:
            return error
        finally:
            # The parties of a call refer to each other, so that only the collector frees them. It runs between calls,
            # where its pause is no part of a call's time.
            gc.collect()


class LocalEngine:
    """Makes calls one at a time; models and the local endpoint stay up from one call to the next.

    Args:
        pipeline: the configuration of all calls.
        seed: the run's seed.
        watch: called with each span and event of the trace as it is added, for showing a call as it happens.
        serve: starts the local endpoint.

    Attributes:
        endpoint_log: the delays that a local endpoint of a language model logged, once all calls were made.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        seed: int,
        watch: Callable[[TraceRecord], None] | None = None,
        serve: StartEndpoint = start_endpoint,
    ) -> None:
        self._pipeline = pipeline
        self._seed = seed
        self._watch = watch
        self._serve = serve
        self.endpoint_log: list[LogEntry] = []

    def prepare(self, caller_voices: Collection[str]) -> None:
        """Check the line's settings and the model's key, and load the pipeline's models and the callers' voices."""
        check_keys(self._pipeline)
        prepare(self._pipeline, caller_voices)

    def results(self, requests: Iterable[CallRequest | None]) -> Iterator[CallResult]:
        """Make the calls in their order."""
        with (
            model_under_test(self._pipeline.agent, self._seed, self._serve) as (target, endpoint),
            caller_model(self._pipeline.caller, self._seed, self._serve) as caller,
        ):
            # What the watching function raises is no failure of a call: the run ends with it, whatever the parties of
            # the call made of it meanwhile.
            raised: list[Exception] = []

            def watch(step: TraceRecord) -> None:
                if self._watch is None or raised:
                    return
                try:
                    self._watch(step)
                except Exception as error:
                    raised.append(error)
                    raise

            maker = CallMaker(self._pipeline, target, caller, self._watch and watch)
            for request in requests:
                if request is None:
                    time.sleep(_ASK_AGAIN_S)
                    continue
                made = maker.make(request)
                if raised:
                    raise raised[0]
                yield CallResult(request, made)
            if endpoint is not None and isinstance(self._pipeline.agent, CascadeAgent):
                self.endpoint_log = endpoint.read_log()

    def close(self) -> None:
        """Do nothing: only calls run here, and none is under way when this is called."""
