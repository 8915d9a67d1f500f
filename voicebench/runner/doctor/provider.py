"""The language model under test: whether it answers, asked once and cheaply."""

from __future__ import annotations

from voicebench.config import Pipeline
from voicebench.errors import ConfigError, ProviderError
from voicebench.runner.doctor.findings import Finding
from voicebench.runner.preflight import Preflight, preflight

__all__ = ["ask_provider", "provider_finding"]

Answer = Preflight | ConfigError | ProviderError | None


def ask_provider(pipeline: Pipeline) -> Answer:
    """Send one request to the pipeline's model; None if voicebench serves that model itself."""
    try:
        return next(iter(preflight(pipeline)), None)
    except (ConfigError, ProviderError) as error:
        return error


def provider_finding(model: str, answer: Answer) -> Finding:
    """Judge what the model answered."""
    if answer is None:
        return Finding("provider", model, "ok", "served by voicebench itself")
    if isinstance(answer, Preflight):
        return Finding("provider", model, "ok", f"{answer.where} answered after {answer.seconds:.2f} s")
    if isinstance(answer, ProviderError) and answer.retryable:
        return Finding("provider", model, "missing", str(answer), "voicebench doctor")
    return Finding("provider", model, "missing", str(answer), "voicebench run … --model MODEL --base-url URL")
