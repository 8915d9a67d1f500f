"""Tasks with one thing changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from voicebench.packs.models import Case
from voicebench.task_checks.sandbox import TaskSandbox

MakeSandbox = Callable[[str], TaskSandbox]


def edited(sandbox: TaskSandbox, edit: Callable[[dict[str, Any]], object], **pack: Any) -> TaskSandbox:
    """The same task after an edit of its YAML, in a pack with other attributes."""
    content = sandbox.case.model_dump(by_alias=True, exclude_defaults=True)
    edit(content)
    return TaskSandbox(replace(sandbox.pack, **pack), Case.model_validate(content), sandbox.snapshot)


def whats(findings: list[Any]) -> list[str]:
    return [finding.what for finding in findings]
