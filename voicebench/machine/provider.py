"""The models of a pipeline: whether they answer, asked once and cheaply."""

from __future__ import annotations

from voicebench.config import Pipeline
from voicebench.errors import ConfigError, ProviderError
from voicebench.machine.findings import Finding
from voicebench.runner.preflight import Preflight, preflight

__all__ = ["ask_provider", "provider_findings"]

Answer = list[Preflight] | ConfigError | ProviderError


def ask_provider(pipeline: Pipeline) -> Answer:
    """Send one request to each of the pipeline's models that voicebench does not serve itself."""
    try:
        return preflight(pipeline)
    except (ConfigError, ProviderError) as error:
        return error


def provider_findings(model: str, answer: Answer) -> list[Finding]:
    """Judge what the models answered.

    Args:
        model: the one under test, which an error is told of.
        answer: what came of asking.
    """
    if isinstance(answer, list):
        told = [
            Finding("provider", each.model, "ok", f"{each.where} answered after {each.seconds:.2f} s")
            for each in answer
        ]
        return told or [Finding("provider", model, "ok", "served by voicebench itself")]
    passing = isinstance(answer, ProviderError) and answer.retryable
    fix = "voicebench doctor" if passing else "voicebench run … --model MODEL --base-url URL"
    return [Finding("provider", model, "missing", str(answer), fix)]
