"""Keys, by the name of their variable: whether they are there, never what they are."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from voicebench.config import Pipeline, load_pipeline, pipeline_names, read_key
from voicebench.errors import ConfigError
from voicebench.machine.findings import Finding

__all__ = ["key_findings", "read_keys"]


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


def key_findings(present: Mapping[str, bool], problems: Mapping[str, str]) -> list[Finding]:
    """Judge each key.

    Args:
        present: for each variable whether there is a key in it.
        problems: for the variables without which the pipeline cannot start, why.
    """
    return [_key(name, there, problems.get(name)) for name, there in present.items()]


def _key(name: str, there: bool, problem: str | None) -> Finding:
    if there:
        return Finding("keys", name, "ok", "is set")
    export = f"export {name}=…"
    if problem is not None:
        return Finding("keys", name, "missing", problem, export)
    return Finding("keys", name, "info", "is not set; only a provider's model needs it, no local one does", export)
