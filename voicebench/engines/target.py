"""Where the language model under test answers: a local endpoint that is started here, or somebody's server."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from voicebench.agent.llm import LlmTarget
from voicebench.config import read_key
from voicebench.config.models import AgentLlm
from voicebench.errors import ConfigError
from voicebench.serve import AgentServerOptions, Endpoint, start_endpoint
from voicebench.serve.models import MODELS, is_local

__all__ = ["StartEndpoint", "check_key", "language_model", "remote_target"]

StartEndpoint = Callable[[AgentServerOptions], Endpoint]

_NO_KEY = "none"
"""Sent where no key is needed: the client insists on one."""


def check_key(llm: AgentLlm) -> None:
    """Refuse a model that is neither local nor has an address, if there is no key for it.

    Raises:
        ConfigError: the message names the variable, and the other ways.
    """
    if llm.base_url is None and llm.model not in MODELS and read_key(llm.api_key_env) is None:
        local = ", ".join(sorted(MODELS))
        raise ConfigError(
            f"model {llm.model}: the variable {llm.api_key_env} holds no key; set it, or give the address of a server "
            f"with --base-url, or use a local model ({local})"
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
    check_key(llm)
    if is_local(llm.model, llm.base_url):
        options = AgentServerOptions(model=llm.model, ttft_ms=llm.ttft_ms, ttft_sd_ms=llm.ttft_sd_ms, seed=seed)
        with serve(options) as endpoint:
            yield LlmTarget(llm.model, endpoint.url, _NO_KEY, llm.params, llm.timeout_s), endpoint
    else:
        yield remote_target(llm), None


def remote_target(llm: AgentLlm) -> LlmTarget:
    """Return the target of a model at somebody's server."""
    key = read_key(llm.api_key_env) or _NO_KEY
    return LlmTarget(llm.model, llm.base_url, key, llm.params, llm.timeout_s)
