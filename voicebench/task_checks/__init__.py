"""Whether tasks are fair: a solution that passes, and nothing that passes by luck, laziness or a leak."""

from __future__ import annotations

from voicebench.task_checks.check import UNPROVEN, PackReport, TaskReport, check_task, check_tasks
from voicebench.task_checks.findings import Finding, Proof
from voicebench.task_checks.new_case import new_case

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
