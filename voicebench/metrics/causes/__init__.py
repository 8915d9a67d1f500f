"""Why a call did not pass: the first cause, with the spans that show it."""

from __future__ import annotations

from voicebench.metrics.causes.attribution import attribute, broken_off, count_causes
from voicebench.metrics.causes.diagnosed_call import CAUSES, DiagnosedCall, ScriptedReplies, ScriptedReply

__all__ = ["CAUSES", "DiagnosedCall", "ScriptedReplies", "ScriptedReply", "attribute", "broken_off", "count_causes"]
