"""Where the calls of a run are made: in this process, in workers, or elsewhere."""

from __future__ import annotations

from voicebench.engines.base import Engine, Job, Outcome, Waiting, WorkerLost
from voicebench.engines.failures import failed_call, stops_the_run
from voicebench.engines.local import LocalEngine
from voicebench.engines.ray_engine import RayEngine
from voicebench.engines.target import remote_target
from voicebench.engines.workers import WorkerEngine

__all__ = [
    "Engine",
    "Job",
    "LocalEngine",
    "Outcome",
    "RayEngine",
    "Waiting",
    "WorkerEngine",
    "WorkerLost",
    "failed_call",
    "remote_target",
    "stops_the_run",
]
