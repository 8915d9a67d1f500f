"""Simulated callers: minds that know only text, and the telephone around them."""

from __future__ import annotations

from voicebench.caller.base import Caller, Decision, SpokenFact, Utterance
from voicebench.caller.fidelity import breaches
from voicebench.caller.llm import LlmCaller
from voicebench.caller.phone import HangUpReason, PhoneCaller
from voicebench.caller.scripted import ScriptedCaller

__all__ = [
    "Caller",
    "Decision",
    "HangUpReason",
    "LlmCaller",
    "PhoneCaller",
    "ScriptedCaller",
    "SpokenFact",
    "Utterance",
    "breaches",
]
