"""One call: the session of caller, line and agent, and what is kept of it."""

from __future__ import annotations

from voicebench.call.audio import prepare
from voicebench.call.run import run_call_unit
from voicebench.call.setup import CallFiles, CallModels, CallSetup, RecordedModels, WorkUnit

__all__ = ["CallFiles", "CallModels", "CallSetup", "RecordedModels", "WorkUnit", "prepare", "run_call_unit"]
