"""Who does which part of a pipeline's calls, and what a call cost."""

from __future__ import annotations

from datetime import date
from typing import Any

from voicebench.config import Pipeline
from voicebench.config.models import Caller
from voicebench.llm import Party
from voicebench.metrics.cost import Service, call_cost, request_usd
from voicebench.serve.models import is_local, is_local_caller

__all__ = ["cost_of_call", "cost_of_request", "services"]


def services(pipeline: Pipeline) -> dict[str, Service]:
    """Return who does each part: the models of both parties anywhere, all else on this machine."""
    agent, caller = pipeline.agent, pipeline.caller
    llm = agent.llm
    return {
        "agent": Service(llm.model, llm.base_url, is_local(llm.model, llm.base_url)),
        "caller": _caller(caller),
        "asr": Service(agent.asr.model, local=True),
        "tts": Service(agent.tts.voice, local=True),
    }


def _caller(caller: Caller) -> Service:
    if caller.kind == "scripted":
        return Service(caller.kind, local=True)
    return Service(caller.llm.model, caller.llm.base_url, is_local_caller(caller.llm.model, caller.llm.base_url))


def cost_of_call(
    pipeline: Pipeline, trace: list[dict[str, Any]], exchanges: list[dict[str, Any]], on: date
) -> dict[str, Any]:
    """Return the ``cost`` of ``call.json``, from the call's files and the pipeline's prices of that day."""
    return call_cost(trace, exchanges, services(pipeline), _prices(pipeline), on)


def cost_of_request(
    pipeline: Pipeline, party: Party, on: date, input_tokens: float, output_tokens: float
) -> float | None:
    """Return what one request to a party's model costs, US dollars, no token cached; None if it has no price."""
    usage = {"input_tokens": input_tokens, "output_tokens": output_tokens}
    return request_usd(services(pipeline)[party], _prices(pipeline), on, usage)


def _prices(pipeline: Pipeline) -> dict[str, dict[str, float | None]]:
    return {model: price.model_dump() for model, price in pipeline.prices.items()}
