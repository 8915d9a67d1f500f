"""What the simulated caller's script makes of some words: the question that tells its faults from the agent's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = ["React", "Reaction"]


@dataclass(frozen=True)
class Reaction:
    """What a caller that keeps to the script would do about some words.

    Attributes:
        rule: behind its answer, as the span ``caller.speech`` names it; empty where it would wait.
        gives: the facts that the answer gives.
    """

    rule: str
    gives: tuple[str, ...] = ()

    @property
    def answers(self) -> bool:
        """Whether its script has an answer, now."""
        return self.rule not in ("", "sorry", "give_up")


class React(Protocol):
    """The scripted caller at any moment of a call."""

    def __call__(self, text: str, span_id: str | None) -> Reaction:
        """Return what it would do about some words.

        Args:
            text: what it hears.
            span_id: of the ``caller.speech`` that it speaks instead, having heard all that was heard before; None for
                the end of the call.
        """
        ...
