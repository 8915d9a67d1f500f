"""Who does which part of a pipeline's calls, and what a call cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from voicebench.config import Pipeline
from voicebench.config.models import CascadeAgent
from voicebench.config.profiles import is_local, is_local_caller
from voicebench.llm import Party
from voicebench.metrics.cost import Service, call_cost, request_usd
from voicebench.record.exchanges import Exchange
from voicebench.record.figures import CallCost
from voicebench.record.trace import TraceRecord

_WITHIN = "within the agent"
"""A realtime service's tokens pay for its hearing and its voice; a transcription model costs extra."""

_NONE = "none"

__all__ = ["cost_of_call", "cost_of_request", "services"]


def services(pipeline: Pipeline) -> dict[str, Service]:
    """Return who does each part: the models of both parties anywhere, all else on this machine."""
    agent, served = pipeline.agent, pipeline.agent.served
    local = is_local(served.model, served.base_url)
    caller, player = pipeline.caller.kind, pipeline.caller.llm
    parts = {
        "agent": Service(served.model, served.base_url, local),
        "caller": Service(caller, local=True)
        if caller == "scripted"
        else Service(player.model, player.base_url, is_local_caller(player.model, player.base_url)),
    }
    if isinstance(agent, CascadeAgent):
        return {**parts, "asr": Service(agent.asr.model, local=True), "tts": Service(agent.tts.voice, local=True)}
    unheard = agent.transcription is None
    transcription = Service(agent.transcription or _NONE, served.base_url, local or unheard)
    return {**parts, "asr": transcription, "tts": Service(_WITHIN, local=True)}


def cost_of_call(pipeline: Pipeline, trace: Sequence[TraceRecord], exchanges: Sequence[Exchange], on: date) -> CallCost:
    """Return what a call cost, from its files and the pipeline's prices of that day."""
    return call_cost(trace, exchanges, services(pipeline), _prices(pipeline), on)


def cost_of_request(pipeline: Pipeline, party: Party, on: date, usage: Mapping[str, float]) -> float | None:
    """Return what one request to a party's model costs, US dollars; None if it has no price.

    Args:
        pipeline: the configuration.
        party: whose model it is.
        on: the day.
        usage: units of ``genai-prices`` to amounts, as ``input_tokens``.
    """
    return request_usd(services(pipeline)[party], _prices(pipeline), on, usage)


def _prices(pipeline: Pipeline) -> dict[str, dict[str, float | None]]:
    return {model: price.model_dump() for model, price in pipeline.prices.items()}
