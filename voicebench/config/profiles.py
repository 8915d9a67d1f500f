"""The pinned benchmark profiles, of which only the model under test is chosen, and what a board ranks at all."""

from __future__ import annotations

from voicebench.config.models import Pipeline

__all__ = ["BASELINES", "PROFILES", "QUALIFYING_TTFT_MS", "REFERENCE", "default_trials"]

PROFILES = ("callm", "mivas")
"""Pipelines whose runs alone are ranked, unless another is asked for."""

REFERENCE = "reference"
"""The local model that knows the tasks, and shows what the line lets a perfect agent reach."""

BASELINES = ("call_all", "random", "refuse", "silent", "transfer_all")
"""The local models that are told nothing of the task and must fail every one."""

QUALIFYING_TTFT_MS = 1_000.0
"""The median TTFT up to which a model counts as conversational, unless another limit is asked for."""

_PROFILE_TRIALS = 5


def default_trials(pipeline: Pipeline) -> int:
    """Return how often each task is repeated where nothing is said: five times in a profile, else once."""
    return _PROFILE_TRIALS if pipeline.name in PROFILES else 1
