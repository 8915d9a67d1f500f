"""What the cause of a call is, once it is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

__all__ = ["CAUSES", "Cause", "Finding"]

Cause = Literal["caller", "line", "asr", "model", "harness", "task"]
CAUSES: tuple[Cause, ...] = get_args(Cause)


@dataclass(frozen=True)
class Finding:
    """Something that kept a call from passing.

    Attributes:
        cause: who or what.
        sentence: what happened, for people.
        at_s: when, seconds of call time; infinite for what was never done.
        evidence: ids of the spans that show it.
        fact: the fact of the task that it is about.
        said: the words spoken.
        heard: the words recognised of them.
        used: the value given to a tool.
    """

    cause: Cause
    sentence: str
    at_s: float
    evidence: list[str] = field(default_factory=list)
    fact: str | None = None
    said: str | None = None
    heard: str | None = None
    used: Any = None

    def as_json(self) -> dict[str, Any]:
        """Return it as ``call.json`` holds it; ``at_s`` is null for what was never done."""
        at_s = None if self.at_s == float("inf") else round(self.at_s, 3)
        return {**vars(self), "at_s": at_s, "evidence": list(dict.fromkeys(self.evidence))}
