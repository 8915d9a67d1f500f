"""A recorded realtime session once more through its harness, with no service, no caller and no line.

The service's events come again after the ticks after which they came; what the harness asks, runs and plays follows
from them. Sound was not kept: in its place something as long is played.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import sys
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from voicebench.agent import FRAME, AgentHarness, CallContext
from voicebench.agent.router import AgentRouter
from voicebench.call.service import ServiceTarget, service_harness
from voicebench.call.setup import WorkUnit
from voicebench.clock import current_loop, patch_time, run_call, sleep
from voicebench.config import Pipeline
from voicebench.errors import ProviderError, StoreError, VoicebenchError
from voicebench.llm import LlmTarget
from voicebench.packs import Pack, diff_state
from voicebench.store import Exchanges, Tracer

__all__ = ["ReplayedSession", "replay_session", "sent_events"]

_SLOT_S = 0.02
_LOOK_S = 0.002
_PATIENCE = 250
"""How often to look for what was sent before an event; then it comes all the same, and the two differ."""
_AFTERWARDS = sys.maxsize
_SILENCE = np.zeros(FRAME, dtype=np.int16)


@dataclass(frozen=True)
class ReplayedSession:
    """What came of it: lines of the trace and of the exchanges, and the content of ``state.json``."""

    trace: list[dict[str, Any]]
    exchanges: list[dict[str, Any]]
    state: dict[str, Any]


class _Recorded:
    """Stands where the service's connection was.

    An event comes again once the ticks are where they were, and once all was sent that had been sent before it: the
    service answered that.
    """

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        self.slot = 0
        self._due: deque[tuple[int, int, dict[str, Any]]] = deque()
        sent = 0
        for line in lines:
            if line["direction"] == "sent":
                sent += 1
            elif line["direction"] == "received":
                self._due.append((int(line["slot"]), sent, line["event"]))
        self._sent = 0
        self._inbox: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    async def deliver(self) -> None:
        """Let all events come, each in its time, and then lose the session."""
        for slot, sent, event in self._due:
            late = 0
            while self.slot < slot or (self._sent < sent and late < _PATIENCE):
                late += self.slot >= slot
                await sleep(_LOOK_S)
            self._inbox.put_nowait(_with_sound(event))
            await sleep(0)
        self._inbox.put_nowait(None)

    async def send(self, event: dict[str, Any]) -> None:
        """Nobody is there; the harness has written it down."""
        self._sent += event["type"] != "input_audio_buffer.append"

    async def receive(self) -> dict[str, Any]:
        """Wait for the next event."""
        event = await self._inbox.get()
        if event is None:
            raise ProviderError("the session was lost here", retryable=True)
        return event

    async def close(self) -> None:
        """Nothing is open."""


def _with_sound(event: dict[str, Any]) -> dict[str, Any]:
    if event.get("type") != "response.output_audio.delta" or "samples" not in event:
        return event
    sound = np.ones(int(event["samples"]), dtype="<i2")
    return {**event, "delta": base64.b64encode(sound.tobytes()).decode()}


def sent_events(exchanges: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines of what the harness asked of the service, in order, without the events' own names."""
    lines = [line for line in exchanges if line["kind"] == "realtime" and line["direction"] == "sent"]
    return [{**line, "event": {k: v for k, v in line["event"].items() if k != "event_id"}} for line in lines]


def replay_session(
    exchanges: list[dict[str, Any]], slots: int, unit: WorkUnit, pipeline: Pipeline, pack: Pack
) -> ReplayedSession:
    """Repeat a session of ``slots`` ticks on the call's own clock.

    Args:
        exchanges: lines of ``exchanges.jsonl``.
        slots: ticks of the call.
        unit: the call's.
        pipeline: the run's configuration.
        pack: as it was then.

    Raises:
        StoreError: the exchanges hold no session.
    """
    lines = [line for line in exchanges if line["kind"] == "realtime"]
    if not lines:
        raise StoreError("exchanges.jsonl: no session of a service is recorded there; make the call again")
    patch_time()
    return run_call(_Repeat(lines, slots, unit, pipeline, pack).hold(), mode="charge")


class _Repeat:
    def __init__(self, lines: list[dict[str, Any]], slots: int, unit: WorkUnit, pipeline: Pipeline, pack: Pack) -> None:
        self._connection = _Recorded(lines)
        self._task = _told_task(lines)
        self._slots = slots
        self._unit = unit
        self._pipeline = pipeline
        self._pack = pack

    async def hold(self) -> ReplayedSession:
        unit, pipeline = self._unit, self._pipeline
        loop = current_loop()
        tracer = Tracer(unit.seed, lambda: loop.now_ns)
        context = CallContext(unit.call_id, unit.seed, tracer, lambda: loop.now_ns, Exchanges())
        router = AgentRouter(self._pack, context, latency_ms=pipeline.tools.latency_ms)
        before = router.tool_context.dump(self._pack.spec)
        served = pipeline.agent.served
        target = LlmTarget(served.model, served.base_url, "none", served.params, served.timeout_s, metadata=self._task)

        async def recorded() -> _Recorded:
            return self._connection

        agent = service_harness(pipeline, router, ServiceTarget(target, recorded), context)
        delivering = asyncio.ensure_future(self._connection.deliver())
        with contextlib.suppress(VoicebenchError):  # it may not have begun then either
            await agent.start()
            await self._tick(agent)
        self._connection.slot = _AFTERWARDS
        await agent.hang_up()
        await delivering
        after = router.tool_context.dump(self._pack.spec)
        router.tool_context.close()
        difference = diff_state(before, after, self._pack.spec).model_dump(mode="json")
        state = {"final": after, "seed": before, "difference": difference}
        return ReplayedSession(tracer.lines(), context.exchanges.lines(), state)

    async def _tick(self, agent: AgentHarness) -> None:
        start_s = current_loop().time()
        for slot in range(1, self._slots + 1):
            agent.speak()
            agent.hear(_SILENCE)
            self._connection.slot = slot
            await sleep(start_s + slot * _SLOT_S - current_loop().time())


def _told_task(lines: list[dict[str, Any]]) -> dict[str, str] | None:
    """Return what a server of our own was told of the task, from the session's first update."""
    for line in lines:
        tracing = line["event"].get("session", {}).get("tracing") if line["direction"] == "sent" else None
        if isinstance(tracing, dict):
            return {"voicebench_call": tracing["group_id"], **json.loads(json.dumps(tracing["metadata"]))}
    return None
