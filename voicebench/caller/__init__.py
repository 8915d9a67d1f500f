"""Simulated callers: policies that know only text, and the telephone around them."""

from __future__ import annotations

from voicebench.caller.fidelity import breaches
from voicebench.caller.llm import LlmCaller
from voicebench.caller.phone import HangUpReason, PhoneCaller
from voicebench.caller.policy import CallerDecision, CallerPolicy, SpokenFact, Utterance
from voicebench.caller.scripted import ScriptedCaller

__all__ = [
    "CallerDecision",
    "CallerPolicy",
    "HangUpReason",
    "LlmCaller",
    "PhoneCaller",
    "ScriptedCaller",
    "SpokenFact",
    "Utterance",
    "breaches",
]
