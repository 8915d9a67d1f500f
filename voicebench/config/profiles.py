"""The pinned benchmark profiles: pipelines of which only the model under test is chosen."""

from __future__ import annotations

from voicebench.config.models import Pipeline

__all__ = ["PROFILES", "default_trials"]

PROFILES = ("callm", "mivas")
"""Pipelines whose runs alone are ranked, unless another is asked for."""

_PROFILE_TRIALS = 5


def default_trials(pipeline: Pipeline) -> int:
    """Return how often each task is repeated where nothing is said: five times in a profile, else once."""
    return _PROFILE_TRIALS if pipeline.name in PROFILES else 1
