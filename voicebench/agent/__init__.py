"""The agent under test: how a model or a realtime service is driven through a call."""

from __future__ import annotations

from voicebench.agent.base import FRAME, SAMPLE_RATE, AgentHarness, CallContext, Pcm, RecordedCharges

__all__ = ["FRAME", "SAMPLE_RATE", "AgentHarness", "CallContext", "Pcm", "RecordedCharges"]
