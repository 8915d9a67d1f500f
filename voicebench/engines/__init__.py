"""Where the calls of a run are made: in this process, or elsewhere."""

from __future__ import annotations

from voicebench.engines.base import Engine, Job, Outcome
from voicebench.engines.local import LocalEngine

__all__ = ["Engine", "Job", "LocalEngine", "Outcome"]
