"""The money that a run has spent and may spend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Budget"]


@dataclass
class Budget:
    """What the attempts of a run have cost, all sessions together.

    Attributes:
        most_usd: what they may cost; None is no limit.
        usd: what they have cost, as far as it is known.
        known: attempts whose cost is known.
        unknown: attempts whose cost is not.
    """

    most_usd: float | None = None
    usd: float = 0.0
    known: int = 0
    unknown: int = 0

    def add(self, cost: dict[str, Any] | None) -> None:
        """Count one attempt; None is one of which nothing is known."""
        usd = None if cost is None else cost["usd"]
        if usd is None:
            self.unknown += 1
        else:
            self.known += 1
            self.usd += usd

    def forbids(self, in_flight: int) -> str | None:
        """Return why no further call may start, or None if it may.

        Calls in flight are reckoned at the mean of those that have ended, so that the limit is passed by no more than
        one call's cost each.
        """
        if self.most_usd is None:
            return None
        if self.unknown:
            return (
                f"--max-cost: calls of unknown cost were made ({self.unknown}), so that ${self.most_usd:g} cannot be "
                "kept to; give the model a price under `prices:`, or leave --max-cost out"
            )
        expected_usd = self.usd + in_flight * (self.usd / self.known if self.known else 0.0)
        if expected_usd >= self.most_usd:
            return f"--max-cost: ${self.usd:.4f} of ${self.most_usd:g} are spent; raise it to go on"
        return None
