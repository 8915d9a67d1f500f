"""Engines with several workers: what a worker is given, what it does and answers, and how an engine leads them."""

from __future__ import annotations

import abc
import contextlib
import gc
import pickle
import platform
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import voicebench
from voicebench.call import CallFiles, prepare
from voicebench.clock import longest_wait
from voicebench.config import Pipeline
from voicebench.engines.base import CallRequest, CallResult, Waiting, WorkerLost, failed_call
from voicebench.engines.endpoints import StartEndpoint, caller_model, check_keys, model_under_test
from voicebench.engines.local import CallMaker
from voicebench.errors import AgentError, ConfigError, VoicebenchError
from voicebench.llm import LlmTarget
from voicebench.serve import start_endpoint

__all__ = [
    "CallWorker",
    "FromWorker",
    "Lost",
    "NoRoom",
    "PooledEngine",
    "Ready",
    "Waits",
    "WorkerConfig",
    "WorkerHandle",
    "WorkerPool",
]

_LISTEN_S = 0.2
_REPORT_EVERY_S = 1.0
_MAX_FAILED_STARTS = 3


# ---- a worker ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WorkerConfig:
    """What all calls of a worker have in common; sent to it first.

    Attributes:
        pipeline: the configuration of all calls.
        seed: the run's seed.
        target: the model under test; None for a local one whose endpoint the worker starts itself.
        caller: the model that plays the caller; None likewise, and for a scripted caller.
        caller_voices: the names of the voices that speak the callers.
        serve: starts the local endpoint.
        version: the voicebench of the run.
    """

    pipeline: Pipeline
    seed: int
    target: LlmTarget | None
    caller: LlmTarget | None
    caller_voices: Collection[str]
    serve: StartEndpoint = start_endpoint
    version: str = voicebench.__version__


@dataclass(frozen=True)
class Ready:
    """From a worker, first: its models are loaded."""


@dataclass(frozen=True)
class Waits:
    """From a worker: what its call waits for, and for how many wall seconds so far."""

    what: str
    seconds: float


FromWorker = Ready | Waits | CallFiles | VoicebenchError
"""What a worker sends: the files of its call, or what prevented its start or its call."""


class CallWorker:
    """Loads the models, makes one call at a time, and says meanwhile what a call waits for."""

    def __init__(self, config: WorkerConfig) -> None:
        self._config = config
        self._endpoints = contextlib.ExitStack()
        self._maker: CallMaker | None = None

    def load(self) -> Ready | VoicebenchError:
        """Start the endpoints that are missing, and load the models."""
        config = self._config
        try:
            if config.version != voicebench.__version__:
                raise ConfigError(
                    f"node {platform.node()} has voicebench {voicebench.__version__}, and the run is made by "
                    f"{config.version}; use the same image everywhere"
                )
            target, caller = config.target, config.caller
            if target is None:
                model = model_under_test(config.pipeline.agent, config.seed, config.serve)
                target, _ = self._endpoints.enter_context(model)
            if caller is None:
                caller = self._endpoints.enter_context(caller_model(config.pipeline.caller, config.seed, config.serve))
            prepare(config.pipeline, config.caller_voices)
        except VoicebenchError as error:
            return error
        self._maker = CallMaker(config.pipeline, target, caller)
        gc.freeze()  # models stay until the end; the collector need not look at them between calls
        return Ready()

    def make(self, pickled: bytes) -> CallFiles | VoicebenchError:
        """Make the call of a pickled :class:`CallRequest`."""
        assert self._maker is not None
        # The pack is loaded here and not where the message comes in, so that its error becomes the result of this call.
        try:
            request: CallRequest = pickle.loads(pickled)  # noqa: S301 - from our own parent process
        except VoicebenchError as error:
            return error
        result = self._maker.make(request)
        if isinstance(result, CallFiles | VoicebenchError):
            return result
        # Exceptions of others may not survive pickling, and would lose their traceback.
        return failed_call(request.unit, result)

    def waits(self, least_s: float) -> Waits | None:
        """Return what the call has waited for, if for so long."""
        wait = longest_wait()
        return None if wait is None or wait[1] < least_s else Waits(*wait)


# ---- the engine's side ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lost:
    """A worker is gone; ``how`` completes "the worker was …"."""

    how: str


class NoRoom(AgentError):
    """A worker did not get ready in time; if there are others, they make the calls."""


class WorkerHandle(Protocol):
    """A worker, as an engine sees it.

    Attributes:
        number: from 1.
        since: ``perf_counter`` of its start, or of the start of its call.
        ready: whether its models are loaded.
        request: the call that it is making.
    """

    number: int
    since: float
    ready: bool
    request: CallRequest | None

    def take(self, request: CallRequest) -> None:
        """Give it a call to make; if it has just died, ``receive`` reports that as of any other."""
        ...


class WorkerPool(Protocol):
    """The workers of an engine, wherever they run."""

    @property
    def workers(self) -> Sequence[WorkerHandle]:
        """Those that there are now, in the order of their start."""
        ...

    def start(self, config: WorkerConfig) -> None:
        """Start one more; it sends ``Ready`` once its models are loaded."""
        ...

    def receive(self, timeout_s: float) -> Iterator[tuple[WorkerHandle, FromWorker | Lost]]:
        """Give what workers have sent by now, or within the time; one that is gone has left the pool."""
        ...

    def close(self) -> None:
        """End all of them, now."""
        ...


class PooledEngine(abc.ABC):
    """Makes calls by workers, which load the models once.

    A worker that is lost is replaced; the result of its call is :class:`WorkerLost`.

    Args:
        pipeline: the configuration of all calls.
        workers: how many.
        pool: where they are.
    """

    def __init__(self, pipeline: Pipeline, workers: int, pool: WorkerPool) -> None:
        self._pipeline = pipeline
        self._count = workers
        self._pool = pool
        self._caller_voices: Collection[str] = ()
        self._failed_starts = 0
        self._reported = 0.0

    @abc.abstractmethod
    def worker_config(self) -> WorkerConfig:
        """Return what a new worker is given; what it needs besides is started first."""

    def max_workers(self) -> int:
        """Return how many workers there can be now."""
        return self._count

    def prepare(self, caller_voices: Collection[str]) -> None:
        """Check the model's key, and let the first worker load the pipeline's models and the callers' voices."""
        check_keys(self._pipeline)
        self._caller_voices = caller_voices
        self.start_missing(1)
        while not any(worker.ready for worker in self._pool.workers):
            for worker, message in self._pool.receive(_LISTEN_S):
                self._take_start(worker, message)
            self.start_missing(1)

    def results(self, requests: Iterable[CallRequest | None]) -> Iterator[CallResult | Waiting]:
        """Make the calls, as many at a time as there are workers."""
        waiting = iter(requests)
        more = True
        while more or any(worker.request for worker in self._pool.workers):
            self.start_missing(self._count if more else 0)
            more = more and self._hand_out(waiting)
            for worker, message in self._pool.receive(_LISTEN_S):
                if worker.request is None:
                    self._take_start(worker, message)
                else:
                    yield _event(worker, worker.request, message)
            now = time.perf_counter()
            if now - self._reported >= _REPORT_EVERY_S:
                self._reported = now
                yield from (Waiting(who, what, now - since) for who, what, since in self.unready())

    def close(self) -> None:
        """End the workers, now."""
        self._pool.close()

    def start_missing(self, count: int) -> None:
        """Start the workers that are missing, as far as there is room for them."""
        while len(self._pool.workers) < min(count, self.max_workers()):
            self._pool.start(self.worker_config())

    def unready(self) -> list[tuple[str, str, float]]:
        """Return the workers that are still starting: name, what each waits for, and its start by ``perf_counter``."""
        return [(f"worker {one.number}", "its models", one.since) for one in self._pool.workers if not one.ready]

    def _hand_out(self, requests: Iterator[CallRequest | None]) -> bool:
        """Give each free worker its next request; return False once there are no more requests."""
        for worker in self._pool.workers:
            if worker.ready and worker.request is None:
                try:
                    request = next(requests)
                except StopIteration:
                    return False
                # "Not now" is for all workers: asked on behalf of the next one, the run would say the same.
                if request is None:
                    break
                worker.take(request)
        return True

    def _take_start(self, worker: WorkerHandle, message: FromWorker | Lost) -> None:
        """Take what a worker that makes no call has sent: how its start went."""
        match message:
            case Ready():
                self._failed_starts = 0
            # The others have room already; asking again and again for one more would only delay them.
            case NoRoom() if self._pool.workers:
                self._count = len(self._pool.workers)
            case VoicebenchError():
                raise message
            # What ends one worker as it loads ends the next one too, most likely: too little memory, a broken library.
            case Lost(how) if not worker.ready:
                self._failed_starts += 1
                if self._failed_starts >= _MAX_FAILED_STARTS:
                    raise AgentError(
                        f"{_MAX_FAILED_STARTS} workers were lost while they loaded the models, the last one was {how}; "
                        "what it wrote to standard error says why"
                    )


def _event(worker: WorkerHandle, request: CallRequest, message: FromWorker | Lost) -> CallResult | Waiting:
    """Return what the message of a worker that makes a call means to the run."""
    if isinstance(message, Waits):
        return Waiting(request.unit.name, message.what, message.seconds)
    worker.request = None
    if isinstance(message, Lost):
        return CallResult(request, WorkerLost(f"worker {worker.number} was {message.how}"))
    assert not isinstance(message, Ready)
    return CallResult(request, message)
