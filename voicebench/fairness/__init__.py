"""Whether tasks are fair: a solution that passes, and nothing that passes by luck, laziness or a leak."""

from __future__ import annotations

from voicebench.fairness.check import UNPROVEN, PackReport, TaskReport, check_task, check_tasks
from voicebench.fairness.findings import Finding, Proof
from voicebench.fairness.new_case import new_case

__all__ = [
    "UNPROVEN",
    "Finding",
    "PackReport",
    "Proof",
    "TaskReport",
    "check_task",
    "check_tasks",
    "new_case",
]
