"""Where the calls of a run are made: in this process, in worker processes, or on the nodes of a Ray cluster."""

from __future__ import annotations

from voicebench.engines.base import (
    CallRequest,
    CallResult,
    Engine,
    Waiting,
    WorkerLost,
    failed_call,
    stops_the_run,
)
from voicebench.engines.endpoints import remote_target
from voicebench.engines.local import LocalEngine
from voicebench.engines.processes import ProcessEngine
from voicebench.engines.ray import RayEngine
from voicebench.serve import LogEntry

__all__ = [
    "CallRequest",
    "CallResult",
    "Engine",
    "LocalEngine",
    "LogEntry",
    "ProcessEngine",
    "RayEngine",
    "Waiting",
    "WorkerLost",
    "failed_call",
    "remote_target",
    "stops_the_run",
]
