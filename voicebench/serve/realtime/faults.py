"""What a realtime server does wrong on purpose, and in which sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from voicebench.config import derive_seed
from voicebench.serve.faults import read_fault

__all__ = ["FAULTS", "FaultPlan"]

FAULTS: Mapping[str, str] = {
    "slow-audio": "waits two seconds before the first audio of each answer",
    "drop-socket": "closes the socket in the middle of the second answer",
    "burst": "holds an answer's audio back for a second and a half, then sends all of it at once",
    "reorder": "changes the places of events that follow each other, sound excepted",
    "duplicate": "sends each event of an answer twice",
    "cancel-tool": "cancels the first answer that calls a tool, while the tool runs",
}
"""The kinds of fault, and what each does."""


@dataclass(frozen=True)
class FaultPlan:
    """Which sessions are hit by what: ``rate`` is their share, 0 to 1, drawn by a hash of the seed and their id."""

    kind: str
    rate: float = 1.0
    seed: int = 0

    @classmethod
    def read(cls, text: str, seed: int = 0) -> FaultPlan:
        """Read ``KIND`` or ``KIND:RATE``.

        Raises:
            ConfigError: no such kind, or a rate that is no share.
        """
        return cls(*read_fault(text, FAULTS, "serve realtime"), seed)

    def hits(self, session_id: str) -> bool:
        """Return whether a session is hit."""
        return derive_seed("realtime fault", self.seed, session_id) < self.rate * 2**63
