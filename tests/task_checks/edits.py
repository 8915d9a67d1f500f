"""Tasks with one thing changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from voicebench.packs.models import Case
from voicebench.task_checks.sandbox import Bench

MakeBench = Callable[[str], Bench]


def edited(bench: Bench, edit: Callable[[dict[str, Any]], object], **pack: Any) -> Bench:
    """The same task after an edit of its YAML, in a pack with other attributes."""
    content = bench.case.model_dump(by_alias=True, exclude_defaults=True)
    edit(content)
    return Bench(replace(bench.pack, **pack), Case.model_validate(content), bench.snapshot)


def whats(findings: list[Any]) -> list[str]:
    return [finding.what for finding in findings]
