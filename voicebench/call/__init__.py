"""One call: the session of caller, line and agent, and what is kept of it."""

from __future__ import annotations

from voicebench.call.files import CallFiles
from voicebench.call.run import CallSetup, prepare, run_call_unit
from voicebench.call.unit import WorkUnit

__all__ = ["CallFiles", "CallSetup", "WorkUnit", "prepare", "run_call_unit"]
