"""What a task's script makes of a call: what the scripted caller would have done, and whether it had a reason to go."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from voicebench.caller.policy import CallerDecision
from voicebench.caller.scripted import ScriptedCaller
from voicebench.language.intents import Intents
from voicebench.language.nearest import SentenceEncoder
from voicebench.metrics.causes import ScriptedReplies, ScriptedReply
from voicebench.packs.models import AnswerRule, CallerScript, PackSpec
from voicebench.record.spans import AgentSpeechSpan, CallerSpeechSpan
from voicebench.record.trace import TraceRecord

__all__ = ["Shadow", "scripted_replies", "was_told"]


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


def was_told(
    script: CallerScript, spec: PackSpec, trace: Sequence[TraceRecord], encoder: SentenceEncoder | None = None
) -> bool:
    """Say whether the agent had told the caller by the end what it waits for before it hangs up, however it was heard.

    Args:
        script: the caller's part of the case.
        spec: the pack's.
        trace: spans and events.
        encoder: by which the agent is understood; None for rules alone.
    """
    spoken = [span for span in trace if isinstance(span, AgentSpeechSpan)]
    # One turn may come in several pieces, and an intent may need the words of two of them
    joined = [f"{one.spoken} {next_.spoken}" for one, next_ in pairwise(spoken) if one.turn == next_.turn]
    texts = [text for text in (*(span.spoken for span in spoken), *joined) if text.strip()]
    intents, ends = Intents(spec.intents, encoder), script.hangs_up

    def says(rule: AnswerRule) -> bool:
        if rule.heard:
            return any(intents.match("heard", rule.heard, text) for text in texts)
        return any(intents.match("asked", rule.asked or "", text) for text in texts)

    missing = set(ends.needs) - {rule.sets for rule in script.answers if rule.sets in ends.needs and says(rule)}
    return not missing and any(intents.match("heard", ends.heard, text) for text in texts)
