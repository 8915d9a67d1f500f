"""A session's events on their way out: in order, or not, where that is the fault asked for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

from voicebench.clock import sleep
from voicebench.record.json_types import JsonObject, JsonValue

__all__ = ["Outgoing"]

_SLOW_S = 2.0
_STALL_S = 1.5
_DROPPED_ANSWER = 2

Send = Callable[[str], Awaitable[None]]


class Outgoing:
    """Queues events and sends them, with one kind of fault or none.

    Args:
        send: sends one text message.
        drop: breaks the connection off.

    Attributes:
        fault: one of ``voicebench.serve.faults.SESSION_FAULTS``, None for none.
    """

    def __init__(self, send: Send, drop: Callable[[], Awaitable[None]]) -> None:
        self.fault: str | None = None
        self._send = send
        self._drop = drop
        self._queue: asyncio.Queue[JsonObject | None] = asyncio.Queue()
        self._count = 0
        self._answers = 0
        self._held: JsonObject | None = None
        self._stalled: list[JsonObject] = []
        self._silent = False

    def put(self, kind: str, **fields: JsonValue) -> None:
        """Queue an event; it gets its name."""
        self._count += 1
        self._queue.put_nowait({"type": kind, "event_id": f"event_{self._count}", **fields})

    def close(self) -> None:
        """Let ``run`` end when all is sent."""
        self._queue.put_nowait(None)

    async def run(self) -> None:
        """Send what is queued, as it comes."""
        while (event := await self._queue.get()) is not None:
            kind = str(event["type"])
            if self._silent:
                continue
            if self.fault == "duplicate" and kind.startswith("response."):
                await self._write(event)
            swapped = self.fault == "reorder" and kind.startswith("response.") and await self._swap(event)
            if swapped or (self.fault == "burst" and await self._hold_back(event)):
                continue
            if kind == "response.created":
                self._answers += 1
            self._silent = self.fault == "stall" and kind == "input_audio_buffer.committed"
            is_due = self.fault == "drop-socket" and self._answers >= _DROPPED_ANSWER
            if is_due and kind == "response.output_audio.delta":
                self._silent = True
                await self._drop()
            else:
                await self._write(event)

    async def _swap(self, event: JsonObject) -> bool:
        """Keep an event until the next one is sent; sound keeps its order. Return whether the event was dealt with."""
        held, self._held = self._held, None
        if held is None and event["type"] not in ("response.output_audio.delta", "response.done"):
            self._held = event
            return True
        await self._write(event)
        if held is not None:
            await self._write(held)
        return True

    async def _hold_back(self, event: JsonObject) -> bool:
        """Keep an answer's sound until the answer is complete, and then a while longer."""
        if event["type"] == "response.output_audio.delta":
            self._stalled.append(event)
            return True
        if event["type"] == "response.output_audio.done" and self._stalled:
            await sleep(_STALL_S)
            stalled, self._stalled = self._stalled, []
            for one in stalled:
                await self._write(one)
        return False

    async def _write(self, event: JsonObject) -> None:
        await self._send(json.dumps(event, ensure_ascii=False))

    async def before_sound(self) -> None:
        """Wait where the fault is slowness."""
        if self.fault == "slow-audio":
            await sleep(_SLOW_S)
