"""What a proof says of a task when it does not hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "Proof"]

Proof = Literal["solution", "baseline", "mutant", "variation", "facts", "leak", "reference", "caller", "audio", "text"]
"""The six proofs, the leaks of the fifth apart; ``caller``: the scripted caller breaks its own script in a call of a
proof; ``audio``: a fact that is lost on the telephone; ``text``: the case is not filled in."""


@dataclass(frozen=True)
class Finding:
    """One reason why a task is not fair. ``proof`` says which proof fails, ``what`` says where and how."""

    proof: Proof
    what: str

    def __str__(self) -> str:
        return f"{self.proof}: {self.what}"
