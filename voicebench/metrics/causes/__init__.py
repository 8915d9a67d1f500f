"""Why a call did not pass: the first cause, with the spans that show it."""

from __future__ import annotations

from voicebench.metrics.causes.attribution import attribute, broken_off, count_causes
from voicebench.metrics.causes.finding import CAUSES, Cause, Finding
from voicebench.metrics.causes.scripted_reply import React, Reaction

__all__ = ["CAUSES", "Cause", "Finding", "React", "Reaction", "attribute", "broken_off", "count_causes"]
