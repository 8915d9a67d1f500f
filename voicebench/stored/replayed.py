"""What came of a replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voicebench.call.compare import Difference
from voicebench.store import StoredCall, from_jsonl, redact, to_jsonl

__all__ = ["Replayed", "first_difference", "written"]


@dataclass(frozen=True)
class Replayed:
    """What came of a replay.

    Attributes:
        call: the stored call.
        files: file name to ``equal``, ``different``, or ``equal so far`` and ``not compared`` if it had to stop.
        difference: the first one in call time; None if there is none.
        verdict: of the replay; None if it could not go on to its end.
        reason: why the replay itself ended as void or error, which the stored call may have done as well.
    """

    call: StoredCall
    files: dict[str, str]
    difference: Difference | None
    verdict: str | None
    reason: str | None

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return self.difference is None

    def as_json(self) -> dict[str, Any]:
        """Return what ``replay --json`` prints."""
        return {
            "dir": str(self.call.dir.resolve()),
            "equal": self.equal,
            "difference": None if self.difference is None else self.difference.as_json(),
            "files": self.files,
            "verdict": {"recorded": self.call.call["verdict"], "replayed": self.verdict},
            "reason": self.reason,
        }


def first_difference(found: Mapping[str, Difference | None]) -> Difference | None:
    """Return the first in call time; what has no time comes after what has."""
    differences = [difference for difference in found.values() if difference is not None]
    return min(differences, key=lambda one: (one.at_ns is None, one.at_ns or 0), default=None)


def written(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return lines as a file would hold them."""
    return from_jsonl(redact(to_jsonl(lines)), "the replay")
