"""What of this machine a run needs and has: findings, each with the command that mends it.

Every area has readings, taken at the edge, and a pure function that judges them.
"""

from __future__ import annotations

from voicebench.machine.diagnose import diagnose
from voicebench.machine.findings import Diagnosis, Finding
from voicebench.machine.needs import PIPELINE, read_needs

__all__ = ["PIPELINE", "Diagnosis", "Finding", "diagnose", "read_needs"]
