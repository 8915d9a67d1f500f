"""A scripted caller that hears what another caller heard: what it would have done is the measure of the other."""

from __future__ import annotations

from collections.abc import Sequence

from voicebench.caller.policy import CallerDecision
from voicebench.caller.scripted import ScriptedCaller
from voicebench.language.nearest import SentenceEncoder
from voicebench.metrics.causes import ScriptedReplies, ScriptedReply
from voicebench.packs.models import CallerScript, PackSpec
from voicebench.record.spans import CallerSpeechSpan
from voicebench.record.trace import TraceRecord

__all__ = ["Shadow", "scripted_replies"]


class Shadow:
    """The scripted caller of a task, given turn by turn what another caller had heard when it spoke.

    Args:
        script: the caller's part of the case.
        spec: the pack's.
        encoder: for the pack's example sentences; without it these are not used.
    """

    def __init__(self, script: CallerScript, spec: PackSpec, encoder: SentenceEncoder | None = None) -> None:
        self._caller = ScriptedCaller(script, spec, encoder)

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
        """Return how the caller would answer these words now; its state is restored afterwards."""
        decision = self._caller.hear(text)
        self._caller.retract()
        return decision


def scripted_replies(
    script: CallerScript, spec: PackSpec, trace: Sequence[TraceRecord], encoder: SentenceEncoder | None = None
) -> ScriptedReplies:
    """Return what the scripted caller would do about any words, at any moment of a call.

    Args:
        script: the caller's part of the case.
        spec: the pack's.
        trace: spans and events.
        encoder: as in :class:`Shadow`.
    """
    said = [span for span in trace if isinstance(span, CallerSpeechSpan)]

    def scripted_reply(text: str, span_id: str | None) -> ScriptedReply:
        shadow = Shadow(script, spec, encoder)
        for span in said:
            if span.span_id == span_id:
                break
            if span.rule not in ("opening", "hello"):
                shadow.hear(span.answers or "", interrupts=span.interrupts)
        utterance = shadow.would(text).utterance
        if utterance is None:
            return ScriptedReply("")
        return ScriptedReply(utterance.rule, tuple(fact.name for fact in utterance.facts))

    return scripted_reply
