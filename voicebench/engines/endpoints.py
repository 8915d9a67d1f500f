"""Where the language model under test answers: an endpoint that is started here, or a server elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator

from voicebench.config import Pipeline, read_key
from voicebench.config.caller import Caller
from voicebench.config.models import CascadeAgent, RealtimeAgent, Served
from voicebench.config.profiles import LOCAL_AGENTS, LOCAL_CALLERS, is_local, is_local_caller
from voicebench.errors import ConfigError
from voicebench.llm import LlmTarget
from voicebench.serve import AgentServerOptions, Endpoint, RealtimeServerOptions, start_endpoint, start_realtime

__all__ = ["StartEndpoint", "caller_model", "check_keys", "model_under_test", "remote_target", "remote_targets"]

StartEndpoint = Callable[[AgentServerOptions], Endpoint]

_NO_KEY = "none"
"""Sent where no key is needed: the client insists on one."""


def check_keys(pipeline: Pipeline) -> None:
    """Refuse a model, of the agent or of the caller, that is neither local nor has an address nor a key.

    Raises:
        ConfigError: the message names the variable, and the other ways.
    """
    for problem in missing_keys(pipeline).values():
        raise ConfigError(problem)


def missing_keys(pipeline: Pipeline) -> dict[str, str]:
    """Return the variables of the keys without which the pipeline cannot start, each with what is wrong in words."""
    models: list[tuple[Served, Iterable[str], str]] = [(pipeline.agent.served, LOCAL_AGENTS, "--base-url")]
    if pipeline.caller.kind == "llm":
        models.append((pipeline.caller.llm, LOCAL_CALLERS, "caller.llm.base_url"))
    problems: dict[str, str] = {}
    for served, local, address in models:
        try:
            _check_key(served, local, address)
        except ConfigError as error:
            problems.setdefault(served.api_key_env, str(error))
    return problems


def _check_key(served: Served, local: Iterable[str], address: str) -> None:
    if served.base_url is None and served.model not in local and read_key(served.api_key_env) is None:
        raise ConfigError(
            f"model {served.model}: the variable {served.api_key_env} holds no key; set it, or give the address of a "
            f"server with {address}, or use a local model ({', '.join(sorted(local))})"
        )


@contextlib.contextmanager
def model_under_test(
    agent: CascadeAgent | RealtimeAgent, seed: int, serve: StartEndpoint = start_endpoint
) -> Iterator[tuple[LlmTarget, Endpoint | None]]:
    """Give the target of a pipeline's model, and the endpoint if one was started for it.

    Args:
        agent: that part of the pipeline.
        seed: the run's seed.
        serve: starts the local endpoint of a language model.

    Raises:
        ConfigError: there is no key for a model that needs one, or the endpoint cannot be started.
    """
    served = agent.served
    _check_key(served, LOCAL_AGENTS, "--base-url")
    if is_local(served.model, served.base_url):
        with _start(agent, seed, serve) as endpoint:
            yield LlmTarget(served.model, endpoint.url, _NO_KEY, served.params, served.timeout_s, own=True), endpoint
    else:
        yield remote_target(served), None


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
    served = caller.llm
    if caller.kind == "scripted":
        yield None
    elif is_local_caller(served.model, served.base_url):
        with serve(AgentServerOptions(model=served.model, role="caller", ttft_ms=0.0, seed=seed)) as endpoint:
            yield LlmTarget(served.model, endpoint.url, _NO_KEY, served.params, served.timeout_s, own=True)
    else:
        _check_key(served, LOCAL_CALLERS, "caller.llm.base_url")
        yield remote_target(served)


def _start(agent: CascadeAgent | RealtimeAgent, seed: int, serve: StartEndpoint) -> Endpoint:
    if isinstance(agent, CascadeAgent):
        llm = agent.llm
        return serve(AgentServerOptions(llm.model, ttft_ms=llm.ttft_ms, ttft_sd_ms=llm.ttft_sd_ms, seed=seed))
    local = agent.local
    return start_realtime(
        RealtimeServerOptions(
            model=agent.model,
            ttft_ms=local.ttft_ms,
            ttft_sd_ms=local.ttft_sd_ms,
            seed=seed,
            asr_model=local.asr.model,
            asr_window=local.asr.window,
            asr_device=local.asr.device,
            asr_compute_type=local.asr.compute_type,
            voice=agent.voice,
            fault=local.fault,
        )
    )


def remote_targets(pipeline: Pipeline) -> tuple[LlmTarget | None, LlmTarget | None]:
    """Return the targets of the model under test and of the model that plays the caller.

    None stands for a local model, whose endpoint has yet to be started, and for a caller that is no model.
    """
    agent, caller = pipeline.agent.served, pipeline.caller.llm
    plays = pipeline.caller.kind == "llm" and not is_local_caller(caller.model, caller.base_url)
    return (
        None if is_local(agent.model, agent.base_url) else remote_target(agent),
        remote_target(caller) if plays else None,
    )


def remote_target(served: Served) -> LlmTarget:
    """Return the target of a model that is served elsewhere."""
    key = read_key(served.api_key_env) or _NO_KEY
    return LlmTarget(served.model, served.base_url, key, served.params, served.timeout_s)
