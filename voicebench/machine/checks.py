"""A check of this machine, and all of them together: the diagnosis that ``voicebench doctor`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from voicebench.record.json_types import JsonObject

__all__ = ["Check", "Diagnosis", "Status", "split_remedy"]

Status = Literal["ok", "missing", "warning", "info"]


@dataclass(frozen=True)
class Check:
    """The result of one check of this machine.

    Attributes:
        area: the group of checks it belongs to, such as ``models``.
        name: what was checked, such as a model's name.
        status: ``ok``; ``missing`` when the run cannot start because of it; ``warning`` when it can, but
            something is wrong; ``info`` for what is not needed, or was not looked at.
        detail: what was found, in words.
        fix: the command that mends it, or brings what is not here; empty where nothing is to be done.
    """

    area: str
    name: str
    status: Status
    detail: str
    fix: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """All checks, in the order in which they were made."""

    checks: Sequence[Check]

    @property
    def missing(self) -> list[Check]:
        """What keeps the run from starting."""
        return [check for check in self.checks if check.status == "missing"]

    @property
    def ok(self) -> bool:
        """Whether such a run can start."""
        return not self.missing

    def to_json(self) -> JsonObject:
        """Return what ``voicebench doctor --json`` prints."""
        return {"ok": self.ok, "findings": [asdict(check) for check in self.checks]}


def split_remedy(message: str) -> tuple[str, str]:
    """Split an error message of ours into what is wrong and the command after ``Run:``, empty if it has none."""
    wrong, _, command = message.partition("Run: ")
    return wrong.strip(), command.strip()
