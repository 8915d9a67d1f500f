"""The trace of a call over text in which a caller says what a test wants, and what is found wrong in it."""

from __future__ import annotations

from typing import Any

from voicebench.caller import Breach, breaches
from voicebench.packs import Pack
from voicebench.store import Tracer


class Told:
    """The trace of a call over text, turn by turn."""

    def __init__(self, greeting: str, opening: str) -> None:
        self._tracer = Tracer(1, lambda: 0)
        self._at_ns = 0
        self.turn(greeting, opening, "opening")

    def turn(self, heard: str, said: str | None, rule: str = "model") -> None:
        self._at_ns += 1_000_000_000
        spoken: dict[str, Any] = {"intended": heard, "spoken": heard, "turn": self._at_ns, "interrupted": False}
        self._tracer.span("agent.speech", self._at_ns, self._at_ns, **spoken)
        if said is None:
            self._tracer.event("caller.waits", self._at_ns, heard=heard)
        if said is not None:
            words: dict[str, Any] = {
                "intended": said,
                "spoken": said,
                "rule": rule,
                "answers": heard,
                "interrupts": False,
            }
            self._tracer.span("caller.speech", self._at_ns, self._at_ns, **words)

    def lines(self) -> list[dict[str, Any]]:
        """The trace of the call, which went on for 20 s after the last words."""
        self._tracer.span("call", 0, self._at_ns + 20_000_000_000)
        return self._tracer.lines()


def judged(pack: Pack, task: str, heard: str, said: str) -> list[Breach]:
    """Return what is wrong with one answer, right after the opening."""
    script = pack.cases[task].caller
    told = Told(pack.spec.greeting, script.opening)
    told.turn(heard, said)
    return breaches(script, pack.spec, told.lines(), end_reason="agent_silent")
