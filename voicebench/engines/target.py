"""Where the language model under test answers: a local endpoint that is started here, or somebody's server."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from voicebench.agent.llm import LlmTarget
from voicebench.config import read_key
from voicebench.config.models import AgentLlm
from voicebench.errors import ConfigError
from voicebench.serve import AgentServerOptions, Endpoint, start_endpoint
from voicebench.serve.models import MODELS

__all__ = ["check_key", "language_model"]

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
def language_model(llm: AgentLlm, seed: int) -> Iterator[tuple[LlmTarget, Endpoint | None]]:
    """Give the target of a pipeline's language model, and the endpoint if one was started for it.

    Raises:
        ConfigError: there is no key for a model that needs one, or the endpoint cannot be started.
    """
    check_key(llm)
    if llm.base_url is None and llm.model in MODELS:
        options = AgentServerOptions(model=llm.model, ttft_ms=llm.ttft_ms, ttft_sd_ms=llm.ttft_sd_ms, seed=seed)
        with start_endpoint(options) as endpoint:
            yield LlmTarget(llm.model, endpoint.url, _NO_KEY, llm.params, llm.timeout_s), endpoint
    else:
        key = read_key(llm.api_key_env) or _NO_KEY
        yield LlmTarget(llm.model, llm.base_url, key, llm.params, llm.timeout_s), None
