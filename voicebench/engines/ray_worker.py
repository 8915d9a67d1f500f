"""A worker on a node of a Ray cluster: an actor with models and an endpoint of its own, one call at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import dataclass

import ray

import voicebench
from voicebench.config import Pipeline
from voicebench.engines.answer import answer, current_wait, load
from voicebench.engines.maker import CallMaker
from voicebench.engines.messages import Briefing, Failed, Made, Ready, Ticket, Waits
from voicebench.engines.target import StartEndpoint, caller_model, model_under_test
from voicebench.errors import ConfigError, VoicebenchError
from voicebench.llm import LlmTarget

__all__ = ["Assignment", "CallWorker"]


@dataclass(frozen=True)
class Assignment:
    """To a worker, first: what all calls have in common.

    A local endpoint listens on loopback, for one machine. So each worker starts one of its own, which answers as any
    other with the same options; a model that is served elsewhere has a target, with the driver's key.

    Attributes:
        version: the driver's voicebench.
        pipeline: the configuration of all calls.
        seed: the run's seed.
        serve: starts the local endpoint.
        target: the model under test, unless it is local.
        caller: the model that plays the caller, unless it is local or there is none.
        caller_voices: the names of the voices that speak the callers.
    """

    version: str
    pipeline: Pipeline
    seed: int
    serve: StartEndpoint
    target: LlmTarget | None
    caller: LlmTarget | None
    caller_voices: Collection[str]


class CallWorker:
    """Makes calls one at a time, and says meanwhile what a call waits for."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._open = contextlib.ExitStack()
        self._maker: CallMaker | None = None

    def load(self) -> Ready | Failed:
        """Start the endpoints that are missing, and load the models."""
        try:
            self._maker = load(self._briefing())
        except VoicebenchError as error:
            return Failed(error)
        return Ready()

    def make(self, ticket: Ticket) -> Made | Failed:
        """Make one call; its files come back as bytes."""
        assert self._maker is not None
        return answer(self._maker, ticket)

    @ray.method(concurrency_group="telling")  # type: ignore[untyped-decorator]  # Ray is not followed
    def waits(self, least_s: float) -> Waits | None:
        """Return what the call has waited for, if for so long."""
        return current_wait(least_s)

    def _briefing(self) -> Briefing:
        """Return what the local engine tells its workers.

        Raises:
            ConfigError: this node has another voicebench, or the endpoint cannot start.
        """
        given = self._assignment
        if given.version != voicebench.__version__:
            raise ConfigError(
                f"node {ray.util.get_node_ip_address()} has voicebench {voicebench.__version__}, and the run is "
                f"made by {given.version}; use the same image everywhere"
            )
        target, caller, own = given.target, given.caller, False
        if target is None:
            target, endpoint = self._open.enter_context(model_under_test(given.pipeline.agent, given.seed, given.serve))
            own = endpoint is not None
        if caller is None:
            caller = self._open.enter_context(caller_model(given.pipeline.caller, given.seed, given.serve))
        return Briefing(given.pipeline, target, own, caller, given.caller_voices)
