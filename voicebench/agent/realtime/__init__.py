"""Services of speech to speech as the agent under test; so far over OpenAI's realtime protocol."""

from __future__ import annotations

from voicebench.agent.realtime.connection import Connection, connect
from voicebench.agent.realtime.harness import RealtimeHarness
from voicebench.agent.realtime.playout import SpeechPlayout
from voicebench.agent.realtime.session import SessionSettings

__all__ = ["Connection", "RealtimeHarness", "SessionSettings", "SpeechPlayout", "connect"]
