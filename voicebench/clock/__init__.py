"""Call time: the event loop of a call, what its real work is charged, and HTTP on it."""

from __future__ import annotations

from voicebench.clock.fetch import Fetching
from voicebench.clock.jobs import Device, FinishedJob, run_job, sleep, sleep_until
from voicebench.clock.loop import CallLoop, Mode, current_loop
from voicebench.clock.patch import EPOCH_S, patch_time
from voicebench.clock.run import longest_wait, run_call
from voicebench.clock.schedule import EventSchedule, ScheduledStream
from voicebench.clock.sse import SseEvent
from voicebench.clock.transport import ChargedTransport, HttpExchange
from voicebench.clock.work import JobTotals

__all__ = [
    "EPOCH_S",
    "CallLoop",
    "ChargedTransport",
    "Device",
    "EventSchedule",
    "Fetching",
    "FinishedJob",
    "HttpExchange",
    "JobTotals",
    "Mode",
    "ScheduledStream",
    "SseEvent",
    "current_loop",
    "longest_wait",
    "patch_time",
    "run_call",
    "run_job",
    "sleep",
    "sleep_until",
]
