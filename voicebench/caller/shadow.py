"""The scripted caller beside another one: it hears the same; what it would have done is the measure of the other."""

from __future__ import annotations

from typing import Any

from voicebench.caller.policy import CallerDecision
from voicebench.caller.scripted import ScriptedCaller
from voicebench.metrics.causes import React, Reaction
from voicebench.packs.models import CallerScript, PackSpec

__all__ = ["Shadow", "reactions"]


class Shadow:
    """The scripted caller of a task, told turn by turn what another caller had heard when it spoke.

    Args:
        script: the caller's part of the case.
        spec: the pack's.
    """

    def __init__(self, script: CallerScript, spec: PackSpec) -> None:
        self._caller = ScriptedCaller(script, spec)

    def hear(self, text: str, *, interrupts: bool = False) -> CallerDecision:
        """Take what an utterance of the other's answered, or interrupted; return what the scripted caller would do."""
        if not interrupts:
            return self._caller.hear(text)
        for point in self._caller.interrupt_points():
            decision = self._caller.hear(text, after_words=point)
            if decision.action != "wait":
                return decision
        return CallerDecision("wait")

    def would(self, text: str) -> CallerDecision:
        """Return what it would do about some words now, which are then forgotten."""
        decision = self._caller.hear(text)
        self._caller.retract()
        return decision


def reactions(script: CallerScript, spec: PackSpec, trace: list[dict[str, Any]]) -> React:
    """Return what the scripted caller would do about any words, at any moment of a call.

    Args:
        script: the caller's part of the case.
        spec: the pack's.
        trace: lines of ``trace.jsonl``.
    """
    said = [line for line in trace if line["name"] == "caller.speech"]

    def react(text: str, span_id: str | None) -> Reaction:
        shadow = Shadow(script, spec)
        for line in said:
            utterance = line["attributes"]
            if line["span_id"] == span_id:
                break
            if utterance.get("rule") not in ("opening", "hello"):
                shadow.hear(utterance.get("answers", ""), interrupts=utterance.get("interrupts", False))
        utterance = shadow.would(text).utterance
        if utterance is None:
            return Reaction("")
        return Reaction(utterance.rule, tuple(fact.name for fact in utterance.facts))

    return react
