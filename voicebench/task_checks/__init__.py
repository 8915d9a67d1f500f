"""Task checks: the solution passes, and nothing passes by luck, laziness or a leak."""

from __future__ import annotations

from voicebench.task_checks.check import UNPROVEN, PackReport, TaskReport, check_task, check_tasks
from voicebench.task_checks.new_case import new_case
from voicebench.task_checks.sandbox import Proof, TaskFinding

__all__ = [
    "UNPROVEN",
    "PackReport",
    "Proof",
    "TaskFinding",
    "TaskReport",
    "check_task",
    "check_tasks",
    "new_case",
]
