"""The task's facts on the trace: at each saying, what was heard of it and whether that was right."""

from __future__ import annotations

from voicebench.metrics import sayings, transcript
from voicebench.packs.models import Case, PackSpec
from voicebench.store import Tracer

__all__ = ["record_facts"]

_TOLD = ("fact", "value", "speaker", "form", "said", "heard", "understood", "right", "used", "heard_span_ids")


def record_facts(tracer: Tracer, case: Case, spec: PackSpec) -> None:
    """Record an event ``fact`` for each saying of a fact, under the span of its speech, where that begins.

    It is what :func:`voicebench.metrics.fact_mentions` says of it when the call ends. Nothing is computed from these
    events: who scores the call again judges anew.

    Args:
        tracer: of the call, after it.
        case: the task.
        spec: the pack's.
    """
    trace = tracer.lines()
    for saying in sayings(transcript(trace), trace, case, spec):
        told = {key: saying[key] for key in _TOLD}
        tracer.event("fact", round(saying["start_s"] * 1e9), span=saying["span_ids"][0], **told)
