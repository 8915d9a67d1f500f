"""Why a call ended."""

from __future__ import annotations

from typing import Literal

__all__ = ["GRACE_S", "EndReason"]

EndReason = Literal[
    "caller_hung_up",
    "caller_gave_up",
    "agent_ended",
    "transferred",
    "agent_silent",
    "limit_call_s",
    "limit_turns",
    "error",
]

GRACE_S = 5.0
"""Seconds for which the line stays open after the agent's farewell."""
