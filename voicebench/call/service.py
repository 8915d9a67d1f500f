"""The harness of a realtime service, made from a pipeline's configuration."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicebench.agent import CallContext
from voicebench.agent.router import AgentRouter
from voicebench.config import Pipeline
from voicebench.config.models import RealtimeAgent
from voicebench.llm import LlmTarget
from voicebench.record.json_types import JsonObject

if TYPE_CHECKING:
    from voicebench.agent.realtime import Connection, RealtimeHarness, SessionSettings

__all__ = ["ServiceTarget", "service_harness", "session_settings"]

_SERVER_VAD = ("threshold", "prefix_padding_ms", "silence_duration_ms")


@dataclass(frozen=True)
class ServiceTarget:
    """Where a service answers, and how a session with it is opened.

    ``open_session`` stands in for the network in tests and replays; None connects.
    """

    target: LlmTarget
    open_session: Callable[[], Awaitable[Connection]] | None = None


def service_harness(
    pipeline: Pipeline, router: AgentRouter, service: ServiceTarget, context: CallContext
) -> RealtimeHarness:
    """Return the harness of one call."""
    from voicebench.agent.realtime import RealtimeHarness, connect

    agent, target = pipeline.agent, service.target
    assert isinstance(agent, RealtimeAgent)
    return RealtimeHarness(
        router,
        session_settings(agent, target),
        service.open_session or (lambda: connect(target)),
        context,
        model=target.model,
        timeout_s=target.timeout_s,
    )


def session_settings(agent: RealtimeAgent, target: LlmTarget) -> SessionSettings:
    """Return what a session is opened with; the task goes only to a server that we started."""
    from voicebench.agent.realtime import SessionSettings

    task: JsonObject | None = None
    if target.metadata is not None:
        metadata: JsonObject = {**target.metadata}
        task = {"group_id": metadata.pop("voicebench_call"), "metadata": metadata}
    detection = agent.turn_detection
    keys = ("eagerness",) if detection.type == "semantic_vad" else _SERVER_VAD
    # The service answers by itself and stops when it is spoken over: what the dialogue's rules rest on
    turn_detection = {
        "type": detection.type,
        **{key: getattr(detection, key) for key in keys},
        "create_response": True,
        "interrupt_response": True,
    }
    return SessionSettings(agent.voice, turn_detection, agent.transcription, agent.params, task)
