"""What a stage of the agent costs on the call's clock, written as one string."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from voicebench.errors import ConfigError

__all__ = ["FREE", "RECORDED", "Charge"]

Kind = Literal["cpu", "wall", "fixed", "recorded"]

_PLAIN: dict[str, Kind] = {"cpu": "cpu", "wall": "wall", "recorded": "recorded"}
_FIXED = re.compile(r"fixed:(?P<ms>\d+(?:\.\d+)?)(?:/(?P<token_ms>\d+(?:\.\d+)?))?")


@dataclass(frozen=True)
class Charge:
    """One parsed charge.

    Attributes:
        kind: ``cpu`` (CPU time of the process during the job), ``wall``, ``fixed``, or ``recorded`` (replay only).
        ms: milliseconds of a fixed charge; for an LLM the offset of its first token.
        token_ms: milliseconds between an LLM's tokens under a fixed charge.
    """

    kind: Kind
    ms: float = 0.0
    token_ms: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Charge:
        """Parse ``cpu``, ``wall``, ``recorded``, ``fixed:MS`` or ``fixed:MS/TOKEN_MS``.

        Raises:
            ConfigError: the text is none of these.
        """
        if text in _PLAIN:
            return cls(_PLAIN[text])
        match = _FIXED.fullmatch(text)
        if match is None:
            raise ConfigError(
                f"charge {text!r} is not understood; write cpu, wall, fixed:MS or fixed:MS/TOKEN_MS (milliseconds)"
            )
        return cls("fixed", float(match["ms"]), float(match["token_ms"] or 0.0))

    def __str__(self) -> str:
        if self.kind != "fixed":
            return self.kind
        return f"fixed:{self.ms:g}" + (f"/{self.token_ms:g}" if self.token_ms else "")


FREE = Charge("fixed", 0.0)
"""The caller's own jobs: the simulated person's hardware is no part of the call."""

RECORDED = Charge("recorded")
"""What a replay charges: what the call was charged."""
