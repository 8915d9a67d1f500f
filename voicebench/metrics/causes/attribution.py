"""The first cause of a call that did not pass, from its stored files alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from voicebench.metrics.causes.acts import found_in_acts, found_too_much
from voicebench.metrics.causes.comprehension import not_comprehended
from voicebench.metrics.causes.diagnosed_call import CAUSES, CauseCandidate, DiagnosedCall
from voicebench.metrics.causes.hearing import lost_turn
from voicebench.metrics.causes.talk import found_in_talk
from voicebench.record.events import ErrorEvent
from voicebench.record.spans import LlmSpan
from voicebench.record.trace import TraceRecord
from voicebench.record.trace_line import TraceSpan
from voicebench.record.transcript import Attribution

__all__ = ["attribute", "broken_off", "count_causes"]


def attribute(call: DiagnosedCall) -> CauseCandidate | None:
    """Return what kept a call from passing; None if it passed.

    Of all that explains a failing gate, or the end of the call, the first in time is the cause. Where that would be the
    model, words of the caller's that never arrived before come first. A caller that did not understand what its task
    answers comes before all: what it did is never the agent's failure.
    """
    score = call.score
    if score.verdict == "passed":
        return None
    if score.verdict == "error":
        # What could not be taken back any more when the call broke off, or else what broke it off.
        broke = _break(str(call.score.reason), call.trace)
        done = [one for one in found_too_much(call) if one.at_s < broke.at_s]
        return min(done, key=lambda one: one.at_s, default=broke)
    if score.verdict == "void":
        # The breach that was found first, or the caller's last words where it was found out while it spoke.
        breaches, turns = call.score.fidelity, call.caller_turns
        evidence = [breaches[0].span_id or ""] if breaches else list(turns[-1].span_ids) if turns else []
        starts = [
            span.start_ns / 1e9 for span in call.trace if isinstance(span, TraceSpan) and span.span_id in evidence
        ]
        sentence = f"The simulated caller broke its script: {call.score.reason}."
        return CauseCandidate("caller", sentence, min(starts, default=call.end_s), evidence)
    if (missed := not_comprehended(call)) is not None:
        return missed
    found = [*found_in_talk(call), *found_in_acts(call)]
    if not found:
        return CauseCandidate("model", "The agent did not do what the task asks for.", call.end_s)
    first = min(found, key=lambda one: one.at_s)
    lost = lost_turn(call, first.at_s) if first.cause == "model" else None
    return lost or first


def broken_off(reason: str, trace: Sequence[TraceRecord]) -> Attribution:
    """Return the cause of a call that infrastructure prevented, or broke off before anything was done."""
    return _break(reason, trace).record()


def _break(reason: str, trace: Sequence[TraceRecord]) -> CauseCandidate:
    requests = [span for span in trace if isinstance(span, LlmSpan)]
    last = [span for span in requests if span.error] or requests
    ended = [event.time_ns / 1e9 for event in trace if isinstance(event, ErrorEvent)]
    at_s = ended[0] if ended else max((span.end_ns / 1e9 for span in last), default=0.0)
    sentence = f"The call broke off: {reason}."
    return CauseCandidate("harness", sentence, at_s, [span.span_id for span in last[-1:]])


def count_causes(attributions: Iterable[Attribution | None]) -> dict[str, int]:
    """Count the calls by cause, every cause listed; calls without one have passed."""
    causes = [one.cause for one in attributions if one is not None]
    return {cause: causes.count(cause) for cause in CAUSES}
