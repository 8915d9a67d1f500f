"""What of this machine a run needs and has: checks, each with the command that mends it.

Every area has readings, taken at the edge, and a pure function that judges them.
"""

from __future__ import annotations

from voicebench.machine.checks import Check, Diagnosis
from voicebench.machine.diagnose import diagnose
from voicebench.machine.needs import PIPELINE, read_needs

__all__ = ["PIPELINE", "Check", "Diagnosis", "diagnose", "read_needs"]
