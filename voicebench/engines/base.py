"""What a run asks of an engine, and what it gets back."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

from voicebench.call import CallFiles, WorkUnit
from voicebench.errors import AgentError, ConfigError, ModelMissing, ProviderError, VoicebenchError
from voicebench.metrics.causes import broken_off
from voicebench.packs import Case, TaskRef, load_pack
from voicebench.record.call import CallRecord
from voicebench.store import SCHEMA_VERSION, SCORING_VERSION, to_json

__all__ = ["CallRequest", "CallResult", "Engine", "Waiting", "WorkerLost", "failed_call", "stops_the_run"]


_load_once = cache(load_pack)


@dataclass(frozen=True)
class CallRequest:
    """One call to make: the unit, and the task that it is an attempt at.

    A pickled request names its pack by folder and hash, since a pack's tools are code; reading it loads the pack.
    """

    unit: WorkUnit
    task: TaskRef

    def __reduce__(self) -> tuple[Callable[..., CallRequest], tuple[object, ...]]:
        """Return how the request is pickled."""
        pack = self.task.pack
        return CallRequest.unpickled, (self.unit, pack.root, pack.hash, self.task.case, self.task.variant)

    @classmethod
    def unpickled(
        cls, unit: WorkUnit, root: Path, pack_hash: str, case: Case, variant: Literal["BG", "SIG"] | None
    ) -> CallRequest:
        """Return a pickled request again.

        Raises:
            ConfigError: the pack cannot be loaded, or it has changed.
        """
        pack = _load_once(root)
        if pack.hash != pack_hash:
            raise ConfigError(f"pack {root}: it was changed while the run was going on; start the run again")
        return cls(unit, TaskRef(pack, case, variant))


@dataclass(frozen=True)
class CallResult:
    """What became of a request: the files of the call, or the exception that prevented it."""

    request: CallRequest
    result: CallFiles | Exception


@dataclass(frozen=True)
class Waiting:
    """Something is held up; reported about once a second while it lasts.

    Attributes:
        who: the call, or the worker.
        what: what it waits for.
        seconds: wall seconds so far.
    """

    who: str
    what: str
    seconds: float


class WorkerLost(AgentError):
    """The process that was making a call is gone: killed, crashed, or cut off.

    The call left nothing behind, so that the same unit can be made again; the run decides whether it is.
    """


class Engine(Protocol):
    """Makes calls.

    An engine takes the next request when it is ready to start it, so that the run may decide late, for example that a
    trial needs another attempt, or that no more calls shall start. The same unit gives the same files on every engine.
    ``tests/engines/suite.py`` is what an engine has to pass.
    """

    def prepare(self, caller_voices: Collection[str]) -> None:
        """Load what every call needs, so that what is missing is reported before the first call.

        Args:
            caller_voices: the names of the voices that speak the callers of the calls to come.

        Raises:
            ConfigError: the pipeline cannot be used on this machine.
            ModelMissing: weights are absent.
        """
        ...

    def results(self, requests: Iterable[CallRequest | None]) -> Iterator[CallResult | Waiting]:
        """Make the calls and give what became of each, in the order in which they end; and between them, who waits.

        Args:
            requests: the calls to make. None means that none may start just now: the engine asks again within a second.
                The engine ends when the requests have ended and the calls in flight too.

        Raises:
            ConfigError: the language model cannot be reached without a key, or its local endpoint cannot start; or a
                pack changed since it was loaded.
            ModelMissing: weights are absent.
            AgentError: no worker can be started.
        """
        ...

    def close(self) -> None:
        """Give up the calls in flight, at once, and leave nothing running; closing twice does no harm."""
        ...


def stops_the_run(error: Exception) -> bool:
    """Return whether every other call would meet the same: a wrong configuration, absent weights, a refused key."""
    refused = isinstance(error, ProviderError) and error.refused
    return refused or isinstance(error, ConfigError | ModelMissing)


def failed_call(unit: WorkUnit, error: Exception) -> CallFiles:
    """Return the files of an attempt that came to nothing: its ``call.json``, verdict ``error``."""
    reason = f"{type(error).__name__}: {error}"
    call = CallRecord(
        schema_version=SCHEMA_VERSION,
        pack=unit.pack,
        task=unit.task,
        trial=unit.trial,
        attempt=unit.attempt,
        seed=unit.seed,
        call_id=unit.call_id,
        verdict="error",
        scoring_version=SCORING_VERSION,
        error_by="harness",
        reason=reason,
        attribution=broken_off(reason, []),
    )
    if not isinstance(error, VoicebenchError):
        call = call.model_copy(update={"traceback": tuple(traceback.format_exception(error))})
    return CallFiles({"call.json": to_json(call.to_json())})
