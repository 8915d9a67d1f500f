"""One call: the session of caller, line and agent, and what is kept of it."""

from __future__ import annotations

from voicebench.call.run import prepare, run_call_unit
from voicebench.call.setup import CallFiles, CallSetup, RecordedModels, WorkUnit

__all__ = ["CallFiles", "CallSetup", "RecordedModels", "WorkUnit", "prepare", "run_call_unit"]
