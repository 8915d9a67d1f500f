"""The models of a pipeline: whether there are keys for them, and whether they answer when asked once."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from voicebench.config import Pipeline, load_pipeline, pipeline_names, read_key
from voicebench.errors import ConfigError, ProviderError
from voicebench.machine.checks import Check
from voicebench.runner.preflight import Preflight, preflight

__all__ = ["ask_provider", "key_checks", "provider_checks", "read_keys"]


def read_keys(pipeline: Pipeline) -> dict[str, bool]:
    """Return for the variable of every shipped pipeline and of this one whether there is a key in it."""
    names = _variables(pipeline)
    for name in pipeline_names():
        with contextlib.suppress(ConfigError):
            names += _variables(load_pipeline(name))
    return {name: read_key(name) is not None for name in dict.fromkeys(names)}


def _variables(pipeline: Pipeline) -> list[str]:
    """Return the variables of a pipeline's models: the agent's, and the caller's if a model plays it."""
    played = [pipeline.caller.llm.api_key_env] if pipeline.caller.kind == "llm" else []
    return [pipeline.agent.served.api_key_env, *played]


def key_checks(present: Mapping[str, bool], problems: Mapping[str, str]) -> list[Check]:
    """Check each key.

    Args:
        present: for each variable whether there is a key in it.
        problems: for the variables without which the pipeline cannot start, why.
    """
    checks = []
    for name, there in present.items():
        export = f"export {name}=…"
        if there:
            checks.append(Check("keys", name, "ok", "is set"))
        elif name in problems:
            checks.append(Check("keys", name, "missing", problems[name], export))
        else:
            unneeded = "is not set; only a provider's model needs it, no local one does"
            checks.append(Check("keys", name, "info", unneeded, export))
    return checks


Answer = list[Preflight] | ConfigError | ProviderError


def ask_provider(pipeline: Pipeline) -> Answer:
    """Send one request to each of the pipeline's models that voicebench does not serve itself."""
    try:
        return preflight(pipeline)
    except (ConfigError, ProviderError) as error:
        return error


def provider_checks(model: str, answer: Answer) -> list[Check]:
    """Check the answers of the models.

    Args:
        model: the one under test, to which an error belongs.
        answer: the answers, or the error.
    """
    if isinstance(answer, list):
        answered = [
            Check("provider", each.model, "ok", f"{each.where} answered after {each.seconds:.2f} s") for each in answer
        ]
        return answered or [Check("provider", model, "ok", "served by voicebench itself")]
    passing = isinstance(answer, ProviderError) and answer.retryable
    fix = "voicebench doctor" if passing else "voicebench run … --model MODEL --base-url URL"
    return [Check("provider", model, "missing", str(answer), fix)]
