"""Verification: three gates over what a call left behind, as pure functions of stored data."""

from __future__ import annotations

from voicebench.verify.verdict import Evidence, Verification, evidence_from, verify_call

__all__ = ["Evidence", "Verification", "evidence_from", "verify_call"]
