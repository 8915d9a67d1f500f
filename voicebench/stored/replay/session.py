"""A stored realtime session once more through its harness, with no service, no caller and no line.

The service's events come again after the ticks after which they came; what the harness asks, runs and plays follows
from them. Sound was not kept: a constant of the same length is played in its place.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np

from voicebench.agent import FRAME, CallContext
from voicebench.agent.router import AgentRouter
from voicebench.call import WorkUnit
from voicebench.call.scoring import score_call, scoring_encoder
from voicebench.call.service import ServiceTarget, service_harness
from voicebench.clock import current_loop, patch_time, run_call, sleep
from voicebench.config import Pipeline
from voicebench.errors import ProviderError, StoreError, VoicebenchError
from voicebench.llm import LlmTarget
from voicebench.packs import Pack, TaskRef, diff_state
from voicebench.record.call import CallEnd
from voicebench.record.exchanges import Exchange, RealtimeExchange
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.state import StateRecord
from voicebench.record.trace import TraceRecord
from voicebench.record.trace_line import TraceSpan
from voicebench.store import Exchanges, StoredCall, Tracer, read_exchanges, read_trace, redact, to_json, to_jsonl
from voicebench.stored.replay.compare import (
    Difference,
    Replayed,
    as_stored,
    first_leaf,
    state_difference,
    verdict_difference,
)

__all__ = ["ReplayedSession", "repeat_session", "replay_session", "sent_events"]

_TICK_S = 0.02
_LOOK_S = 0.002
_MOST_LOOKS = 250
"""How often to look for what was sent before an event: half a second. Then the event comes all the same, and the
comparison shows what was not sent."""
_AFTERWARDS = sys.maxsize
_SILENCE = np.zeros(FRAME, dtype=np.int16)
_COMPARED = ("tool", "handoff", "agent.speech", "asr", "agent.unspoken")
"""The lines of a trace that follow from the session alone, and are the same on any clock."""
_TIMED = {"start_s"}


@dataclass(frozen=True)
class ReplayedSession:
    """The trace and the exchanges of a repeated session, and the state that it left."""

    trace: list[TraceRecord]
    exchanges: list[Exchange]
    state: StateRecord


def repeat_session(stored: StoredCall, unit: WorkUnit, pipeline: Pipeline, task: TaskRef) -> Replayed:
    """Repeat a session with no service, and compare what the harness asked, ran, and let be heard.

    Times are not compared, since the call's were the wall's; nor is the recording, whose sound came from the service.

    Raises:
        StoreError: no session is recorded.
    """
    ticks = 0 if stored.call.ticks is None else stored.call.ticks.n
    exchanges, trace = stored.exchanges, stored.trace
    again = replay_session(exchanges, ticks, unit, pipeline, task.pack)
    # The caller takes no part in a repeated session, but the verdict depends on what it did.
    callers = [
        line
        for line in trace
        if line.name.startswith("caller.") or line.name == "hangup" or getattr(line, "party", None) == "caller"
    ]
    both = sorted([*again.trace, *callers], key=_start_ns)
    end = CallEnd(end_reason=stored.call.end_reason, error=stored.call.error, void=stored.call.void)
    encoder, line = scoring_encoder(pipeline.caller), stored.call.line
    files = both, again.exchanges, again.state, None
    score = score_call(task.pack.snapshot(), task.case, end, *files, line=line, encoder=encoder)
    scored = json.loads(redact(to_json({**end.to_json(), **score.to_json()})))
    found = {
        "exchanges.jsonl": _asked_difference(sent_events(exchanges), sent_events(again.exchanges)),
        "trace.jsonl": _trace_difference(trace, again.trace),
        "state.json": state_difference(stored.state, again.state),
        "call.json": verdict_difference(_untimed(as_stored(stored.call)), _untimed(scored)),
    }
    return Replayed.of(stored, found, score.verdict, score.reason)


# ---- the session again ----------------------------------------------------------------------------------------------


def sent_events(exchanges: Sequence[Exchange]) -> list[tuple[int, JsonObject]]:
    """Return what the harness asked of the service, in order: call time and the event without its own name."""
    return [
        (line.at_ns, {key: value for key, value in line.event.items() if key != "event_id"})
        for line in exchanges
        if isinstance(line, RealtimeExchange) and line.direction == "sent"
    ]


def replay_session(
    exchanges: Sequence[Exchange], ticks: int, unit: WorkUnit, pipeline: Pipeline, pack: Pack
) -> ReplayedSession:
    """Repeat a session on the call's own clock.

    Args:
        exchanges: of the call.
        ticks: how long the call was, 20 ms each.
        unit: the call's.
        pipeline: the run's configuration.
        pack: as it was then.

    Raises:
        StoreError: the exchanges hold no session.
    """
    lines = [line for line in exchanges if isinstance(line, RealtimeExchange)]
    if not lines:
        raise StoreError("exchanges.jsonl: no session of a service is recorded there; make the call again")
    patch_time()
    return run_call(_hold(lines, ticks, unit, pipeline, pack), mode="charge")


@dataclass
class _RecordedConnection:
    """The service's events again, in the place of the connection to it.

    An event comes once the call has had as many ticks as it had then, and once all was sent that had been sent before
    the event: the service answered that.

    Attributes:
        due: tick, number of events that were sent before, and event.
        tick: how many ticks the repeated call has had.
        sent: how many events the harness has sent.
        inbox: events that have come; None is the loss of the session.
    """

    due: deque[tuple[int, int, JsonObject]]
    tick: int = 0
    sent: int = 0
    inbox: asyncio.Queue[JsonObject | None] = field(default_factory=asyncio.Queue)

    @classmethod
    def of(cls, lines: Sequence[RealtimeExchange]) -> _RecordedConnection:
        due: deque[tuple[int, int, JsonObject]] = deque()
        sent = 0
        for line in lines:
            sent += line.direction == "sent"
            if line.direction == "received":
                due.append((line.slot, sent, line.event))
        return cls(due)

    async def deliver(self) -> None:
        """Let all events come, each in its time, and then lose the session."""
        for tick, sent, event in self.due:
            looks = 0
            while self.tick < tick or (self.sent < sent and looks < _MOST_LOOKS):
                looks += self.tick >= tick
                await sleep(_LOOK_S)
            samples = event.get("samples")
            if event.get("type") == "response.output_audio.delta" and isinstance(samples, int):
                sound = np.ones(samples, dtype="<i2")
                event = {**event, "delta": base64.b64encode(sound.tobytes()).decode()}
            self.inbox.put_nowait(event)
            await sleep(0)  # the harness reads it, and may send, before the next event of the same tick comes
        self.inbox.put_nowait(None)

    async def send(self, event: JsonObject) -> None:
        """Count the event; sound is not recorded event by event, and so is not counted."""
        self.sent += event["type"] != "input_audio_buffer.append"

    async def receive(self) -> JsonObject:
        """Wait for the next event."""
        event = await self.inbox.get()
        if event is None:
            raise ProviderError("the session was lost here", retryable=True)
        return event

    async def close(self) -> None:
        """Do nothing: there is no connection."""


async def _hold(
    lines: Sequence[RealtimeExchange], ticks: int, unit: WorkUnit, pipeline: Pipeline, pack: Pack
) -> ReplayedSession:
    connection = _RecordedConnection.of(lines)
    loop = current_loop()
    tracer = Tracer(unit.seed, lambda: loop.now_ns)
    context = CallContext(unit.call_id, unit.seed, tracer, lambda: loop.now_ns, Exchanges())
    router = AgentRouter(pack, context, latency_ms=pipeline.tools.latency_ms)
    before = router.tool_context.dump(pack.spec)
    served = pipeline.agent.served
    target = LlmTarget(
        served.model, served.base_url, "none", served.params, served.timeout_s, metadata=_task_metadata(lines)
    )

    async def open_session() -> _RecordedConnection:
        return connection

    agent = service_harness(pipeline, router, ServiceTarget(target, open_session), context)
    delivering = asyncio.ensure_future(connection.deliver())
    with contextlib.suppress(VoicebenchError):  # the session of the call may not have begun either
        await agent.start()
        start_s = loop.time()
        for tick in range(1, ticks + 1):
            agent.speak()
            agent.hear(_SILENCE)
            connection.tick = tick
            await sleep(start_s + tick * _TICK_S - loop.time())
    connection.tick = _AFTERWARDS
    await agent.hang_up()
    await delivering
    after = router.tool_context.dump(pack.spec)
    router.tool_context.close()
    state = {"final": after, "seed": before, "difference": diff_state(before, after, pack.spec).to_json()}
    return ReplayedSession(
        read_trace(redact(to_jsonl(tracer.records())), "the replay"),
        read_exchanges(redact(to_jsonl(context.exchanges.records())), "the replay"),
        StateRecord.model_validate_json(redact(to_json(state))),
    )


def _task_metadata(lines: Sequence[RealtimeExchange]) -> dict[str, str] | None:
    """Return the task as the session's first update gave it to a server of our own."""
    for line in lines:
        session = line.event.get("session") if line.direction == "sent" else None
        tracing = session.get("tracing") if isinstance(session, dict) else None
        if isinstance(tracing, dict) and isinstance(metadata := tracing["metadata"], dict):
            return {"voicebench_call": str(tracing["group_id"]), **{key: str(text) for key, text in metadata.items()}}
    return None


# ---- side by side ---------------------------------------------------------------------------------------------------


def _start_ns(line: TraceRecord) -> int:
    return line.start_ns if isinstance(line, TraceSpan) else line.time_ns


def _asked_difference(
    recorded: Sequence[tuple[int, JsonObject]], replayed: Sequence[tuple[int, JsonObject]]
) -> Difference | None:
    """Compare what was sent to the service, event by event."""
    nothing: tuple[None, None] = (None, None)
    for number, (before, after) in enumerate(zip_longest(recorded, replayed, fillvalue=nothing), start=1):
        found = first_leaf(before[1], after[1])
        if found is not None:
            kind = (before[1] or after[1] or {}).get("type")
            place = f"event {number} to the service, {kind}{f': {found[0]}' if found[0] else ''}"
            at_ns = after[0] if before[0] is None else before[0]
            return Difference("exchanges.jsonl", place, found[1], found[2], at_ns, (before[1], after[1]))
    return None


def _trace_difference(recorded: Sequence[TraceRecord], replayed: Sequence[TraceRecord]) -> Difference | None:
    """Compare tools, handoffs and words, each kind in its order."""
    differences = []
    for name in _COMPARED:
        sides = ([line for line in trace if line.name == name] for trace in (recorded, replayed))
        for number, (before, after) in enumerate(zip_longest(*sides), start=1):
            left, right = (None if line is None else as_stored(line) for line in (before, after))
            attributes = [None if line is None else _untimed_value(line["attributes"]) for line in (left, right)]
            found = first_leaf(attributes[0], attributes[1])
            if found is not None:
                place = f"{name} {number}{f': {found[0]}' if found[0] else ''}"
                shown = before or after
                at_ns = shown.end_ns if isinstance(shown, TraceSpan) else _start_ns(shown)
                differences.append(Difference("trace.jsonl", place, found[1], found[2], at_ns, (left, right)))
                break
    return min(differences, key=lambda one: one.at_ns or 0, default=None)


def _untimed(values: JsonObject) -> JsonObject:
    """Return a JSON object without the times in it, however deep."""
    return {key: _untimed_value(value) for key, value in values.items() if key not in _TIMED}


def _untimed_value(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return _untimed(value)
    return [_untimed_value(inner) for inner in value] if isinstance(value, list) else value
