"""Pipelines, settings and seeds."""

from __future__ import annotations

from voicebench.config.charges import FREE, Charge
from voicebench.config.environment import data_dir, known_secrets, read_key, voice_names
from voicebench.config.load import load_pipeline, pipeline_names
from voicebench.config.models import Limits, Pipeline, hash_of
from voicebench.config.profiles import PROFILES, default_trials
from voicebench.config.seeds import derive_seed, unit_seed

__all__ = [
    "FREE",
    "PROFILES",
    "Charge",
    "Limits",
    "Pipeline",
    "data_dir",
    "default_trials",
    "derive_seed",
    "hash_of",
    "known_secrets",
    "load_pipeline",
    "pipeline_names",
    "read_key",
    "unit_seed",
    "voice_names",
]
