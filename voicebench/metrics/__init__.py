"""Metrics: figures of one call, as pure functions of its trace and its recording."""

from __future__ import annotations

from voicebench.metrics.activity import Segment, Speech, read_recording, recording_activity, voice_activity
from voicebench.metrics.call import call_metrics
from voicebench.metrics.claim_checks import claim_checks
from voicebench.metrics.fact_mentions import sayings
from voicebench.metrics.latency import Response, quantiles, responses, v2v_parts
from voicebench.metrics.transcript import transcript

__all__ = [
    "Response",
    "Segment",
    "Speech",
    "call_metrics",
    "claim_checks",
    "quantiles",
    "read_recording",
    "recording_activity",
    "responses",
    "sayings",
    "transcript",
    "v2v_parts",
    "voice_activity",
]
