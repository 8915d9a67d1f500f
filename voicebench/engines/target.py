"""Where the language model under test answers: a local endpoint that is started here, or somebody's server."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator

from voicebench.config import Pipeline, read_key
from voicebench.config.models import AgentLlm, Caller, CallerLlm
from voicebench.errors import ConfigError
from voicebench.llm import LlmTarget
from voicebench.serve import AgentServerOptions, Endpoint, start_endpoint
from voicebench.serve.models import CALLERS, MODELS, is_local, is_local_caller

__all__ = ["StartEndpoint", "caller_model", "check_keys", "language_model", "remote_target"]

StartEndpoint = Callable[[AgentServerOptions], Endpoint]

_NO_KEY = "none"
"""Sent where no key is needed: the client insists on one."""


def check_keys(pipeline: Pipeline) -> None:
    """Refuse a model, of the agent or of the caller, that is neither local nor has an address nor a key.

    Raises:
        ConfigError: the message names the variable, and the other ways.
    """
    _check_key(pipeline.agent.llm, MODELS, "--base-url")
    if pipeline.caller.kind == "llm":
        _check_key(pipeline.caller.llm, CALLERS, "caller.llm.base_url")


def _check_key(llm: AgentLlm | CallerLlm, local: Iterable[str], address: str) -> None:
    if llm.base_url is None and llm.model not in local and read_key(llm.api_key_env) is None:
        raise ConfigError(
            f"model {llm.model}: the variable {llm.api_key_env} holds no key; set it, or give the address of a server "
            f"with {address}, or use a local model ({', '.join(sorted(local))})"
        )


@contextlib.contextmanager
def language_model(
    llm: AgentLlm, seed: int, serve: StartEndpoint = start_endpoint
) -> Iterator[tuple[LlmTarget, Endpoint | None]]:
    """Give the target of a pipeline's language model, and the endpoint if one was started for it.

    Args:
        llm: that part of the pipeline.
        seed: the run's seed.
        serve: starts the local endpoint.

    Raises:
        ConfigError: there is no key for a model that needs one, or the endpoint cannot be started.
    """
    _check_key(llm, MODELS, "--base-url")
    if is_local(llm.model, llm.base_url):
        options = AgentServerOptions(model=llm.model, ttft_ms=llm.ttft_ms, ttft_sd_ms=llm.ttft_sd_ms, seed=seed)
        with serve(options) as endpoint:
            yield LlmTarget(llm.model, endpoint.url, _NO_KEY, llm.params, llm.timeout_s), endpoint
    else:
        yield remote_target(llm), None


@contextlib.contextmanager
def caller_model(caller: Caller, seed: int, serve: StartEndpoint = start_endpoint) -> Iterator[LlmTarget | None]:
    """Give the target of the model that plays the caller, None if none does; its endpoint is started if it is local.

    Args:
        caller: that part of the pipeline.
        seed: the run's seed.
        serve: starts the local endpoint.

    Raises:
        ConfigError: there is no key for a model that needs one, or the endpoint cannot be started.
    """
    llm = caller.llm
    if caller.kind == "scripted":
        yield None
    elif is_local_caller(llm.model, llm.base_url):
        with serve(AgentServerOptions(model=llm.model, role="caller", ttft_ms=0.0, seed=seed)) as endpoint:
            yield LlmTarget(llm.model, endpoint.url, _NO_KEY, llm.params, llm.timeout_s)
    else:
        _check_key(llm, CALLERS, "caller.llm.base_url")
        yield remote_target(llm)


def remote_target(llm: AgentLlm | CallerLlm) -> LlmTarget:
    """Return the target of a model at somebody's server."""
    key = read_key(llm.api_key_env) or _NO_KEY
    return LlmTarget(llm.model, llm.base_url, key, llm.params, llm.timeout_s)
