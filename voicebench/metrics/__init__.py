"""Metrics: figures of one call, as pure functions of its trace and its recording."""

from __future__ import annotations

from voicebench.metrics.activity import Segment, Speech, read_recording, recording_activity, voice_activity
from voicebench.metrics.call import call_metrics
from voicebench.metrics.claim_checks import check_claims
from voicebench.metrics.comprehension import CallerReaction, caller_reactions
from voicebench.metrics.duties import check_duties
from voicebench.metrics.fact_mentions import find_fact_mentions
from voicebench.metrics.latency import AnswerGap, answer_gaps, hello_stretches, quantiles, split_requests, v2v_parts
from voicebench.metrics.transcript import transcript

__all__ = [
    "AnswerGap",
    "CallerReaction",
    "Segment",
    "Speech",
    "answer_gaps",
    "call_metrics",
    "caller_reactions",
    "check_claims",
    "check_duties",
    "find_fact_mentions",
    "hello_stretches",
    "quantiles",
    "read_recording",
    "recording_activity",
    "split_requests",
    "transcript",
    "v2v_parts",
    "voice_activity",
]
