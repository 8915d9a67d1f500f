"""The pinned benchmark profiles, what a board ranks at all, and the models that voicebench serves itself."""

from __future__ import annotations

from voicebench.config.models import Pipeline

__all__ = [
    "BASELINES",
    "LOCAL_AGENTS",
    "LOCAL_CALLERS",
    "PROFILES",
    "QUALIFYING_TTFT_MS",
    "REFERENCE",
    "default_trials",
    "is_local",
    "is_local_caller",
]

PROFILES = ("callm", "mivas")
"""Pipelines whose runs alone are ranked, unless another is asked for."""

REFERENCE = "reference"
"""The local model that knows the tasks, and shows what the line lets a perfect agent reach."""

BASELINES = ("call_all", "random", "refuse", "silent", "transfer_all")
"""The local models that know nothing of the task and must fail every one."""

LOCAL_AGENTS = (REFERENCE, *BASELINES)
"""The models that ``voicebench.serve`` has for the agent under test."""

LOCAL_CALLERS = ("reader",)
"""The models that ``voicebench.serve`` has for the caller."""

QUALIFYING_TTFT_MS = 1_000.0
"""The median TTFT up to which a model counts as conversational, unless another limit is asked for."""

_PROFILE_TRIALS = 5


def is_local(model: str, base_url: str | None) -> bool:
    """Return whether an agent's model is served on this machine for the run: a local one, without an address."""
    return base_url is None and model in LOCAL_AGENTS


def is_local_caller(model: str, base_url: str | None) -> bool:
    """Return whether a model that plays the caller is served on this machine for the run."""
    return base_url is None and model in LOCAL_CALLERS


def default_trials(pipeline: Pipeline) -> int:
    """Return how often each task is repeated where nothing is said: five times in a profile, else once."""
    return _PROFILE_TRIALS if pipeline.name in PROFILES else 1
