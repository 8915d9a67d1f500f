"""Verification: three gates over what a call left behind, as pure functions of stored data."""

from __future__ import annotations

from voicebench.verify.evidence import Evidence, Hop, ToolCallRecord, evidence_from
from voicebench.verify.verdict import Gate, Verdict, verify_call

__all__ = ["Evidence", "Gate", "Hop", "ToolCallRecord", "Verdict", "evidence_from", "verify_call"]
