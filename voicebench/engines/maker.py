"""Making one call after another in one process, whichever engine the process belongs to."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection
from typing import Any

from voicebench.call import CallArtifacts, CallSetup, prepare, run_call_unit
from voicebench.config import Pipeline
from voicebench.engines.base import Job
from voicebench.llm import LlmTarget

__all__ = ["CallMaker"]


class CallMaker:
    """Makes calls of one pipeline; models are loaded once.

    Args:
        pipeline: the configuration of all calls.
        target: where the model under test answers.
        own_endpoint: whether the harness started that endpoint itself.
        watch: called with each line of the trace as it is recorded.
        caller: where the model that plays the caller answers, if one does.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        target: LlmTarget,
        own_endpoint: bool,
        watch: Callable[[dict[str, Any]], None] | None = None,
        caller: LlmTarget | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._target = target
        self._own_endpoint = own_endpoint
        self._watch = watch
        self._caller = caller

    def prepare(self, caller_voices: Collection[str]) -> None:
        """Load the pipeline's models, and the callers' voices.

        Raises:
            ModelMissing: weights are absent or differ from their hash.
            ConfigError: a voice, recognizer, preset or key of the line is unknown.
        """
        prepare(self._pipeline, caller_voices)

    def make(self, job: Job) -> CallArtifacts | Exception:
        """Return the files of a call, or what prevented it."""
        task = job.task
        pipeline = self._pipeline if task.line is None else self._pipeline.over(task.line)
        setup = CallSetup(
            pipeline,
            task.pack,
            task.case,
            self._target,
            self._own_endpoint,
            self._watch,
            caller=self._caller,
        )
        try:
            return run_call_unit(job.unit, setup)
        except Exception as error:
            return error
        finally:
            gc.collect()  # between calls rather than within one; their parties refer to each other
