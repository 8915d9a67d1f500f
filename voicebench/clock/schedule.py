"""Events that are handed out when their call time has come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import httpx2

from voicebench.clock.chat import deliverable
from voicebench.clock.jobs import sleep_until
from voicebench.clock.sse import SseEvent, frame

__all__ = ["EventSchedule", "ScheduledStream"]


@dataclass
class EventSchedule:
    """The events of one response: all of them at once, or growing while they arrive.

    Attributes:
        start_ns: call time of the request.
        events: what to hand out, in order.
        done: whether no event will follow.
        error: what ends the stream after the last event, if it broke.
        error_ns: call time since the request at which it broke.
        delivered: how many events were handed out so far.
        changed: set whenever something has come.
    """

    start_ns: int
    events: list[SseEvent] = field(default_factory=list)
    done: bool = False
    error: Exception | None = None
    error_ns: int = 0
    delivered: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition on the schedule holds."""
        while not condition():
            self.changed.clear()
            await self.changed.wait()

    async def reach(self, offset_ns: int) -> None:
        """Wait for a call time after the request."""
        await sleep_until((self.start_ns + offset_ns) / 1e9)


class ScheduledStream(httpx2.AsyncByteStream):
    """The body of a response: each event of a schedule at its offset, framed as server-sent events or bare.

    Args:
        schedule: what to hand out.
        framed: whether the response is a stream of events; otherwise the data go out as they are.
        on_end: called once, when the stream has ended, broken, or been closed by the client.
    """

    def __init__(self, schedule: EventSchedule, *, framed: bool, on_end: Callable[[], object] = lambda: None) -> None:
        self._schedule = schedule
        self._framed = framed
        self._on_end = on_end
        self._ended = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        schedule = self._schedule
        try:
            while not self._ended:
                await schedule.until(lambda: schedule.done or schedule.delivered < len(schedule.events))
                if schedule.delivered == len(schedule.events):
                    break
                event = schedule.events[schedule.delivered]
                await schedule.reach(event.offset_ns)
                schedule.delivered += 1
                data = deliverable(event.data)
                yield frame(data) if self._framed else data.encode()
            if schedule.error is not None:  # it broke after events that the client has had
                await schedule.reach(schedule.error_ns)
                raise schedule.error
        finally:
            self._end()

    async def aclose(self) -> None:
        """Stop: what has not been handed out yet never is."""
        self._end()

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._on_end()
