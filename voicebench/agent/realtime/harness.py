"""A realtime service as the agent under test: the line's ticks on one side, a session on the other."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
from collections.abc import Awaitable, Callable
from typing import Literal

import numpy as np

from voicebench.agent.base import SAMPLE_RATE, CallContext, Pcm
from voicebench.agent.realtime.connection import Connection
from voicebench.agent.realtime.dialogue import Dialogue
from voicebench.agent.realtime.playout import SpeechPlayout
from voicebench.agent.realtime.session import RATE, SessionSettings
from voicebench.agent.router import AgentRouter
from voicebench.errors import ProviderError
from voicebench.line.resample import Resampler
from voicebench.line.stage import to_pcm
from voicebench.record.exchanges import RealtimeExchange
from voicebench.record.json_types import JsonObject

__all__ = ["RealtimeHarness"]

_AUDIO = {"response.output_audio.delta": "delta", "input_audio_buffer.append": "audio"}
"""Events that carry sound, and the key that has it."""


class RealtimeHarness:
    """An agent under test that hears and speaks by itself.

    See :class:`voicebench.agent.base.AgentHarness` for the attributes. Every event but the caller's audio goes to the
    exchanges with the tick (``slot``) after which it was sent or came, which is what a replay needs; of sound there is
    its length and hash.

    Args:
        router: runs the tools.
        settings: of the session.
        open_session: connects; called once.
        context: of the call.
        model: name of the model.
        timeout_s: seconds in which the session must begin, and each response that was asked for.
    """

    def __init__(
        self,
        router: AgentRouter,
        settings: SessionSettings,
        open_session: Callable[[], Awaitable[Connection]],
        context: CallContext,
        *,
        model: str,
        timeout_s: float,
    ) -> None:
        self.finished = asyncio.Event()
        self._open_session = open_session
        self._context = context
        self._timeout_s = timeout_s
        self._greeting = router.pack.spec.greeting
        self._playout = SpeechPlayout(context, RATE)

        def send(event: JsonObject) -> None:
            self._record("sent", event)
            self._outgoing.put_nowait(event)

        self._dialogue = Dialogue(router, self._playout, settings, context, send, model=model, timeout_s=timeout_s)
        self._outgoing: asyncio.Queue[JsonObject] = asyncio.Queue()
        self._to_service = Resampler(SAMPLE_RATE, RATE)
        self._connection: Connection | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._slot = 0

    @property
    def failure(self) -> Exception | None:
        """The infrastructure error that ended the session, if any; it is never opened again."""
        return self._dialogue.failure

    @property
    def end_reason(self) -> str | None:
        """Why the agent ended the call, if it did."""
        return self._dialogue.ended

    @property
    def turns(self) -> int:
        """Turns that the agent has begun to answer."""
        return self._dialogue.turns

    async def start(self) -> None:
        """Connect, set the session up, and ask for the greeting.

        Raises:
            ProviderError: the session cannot be opened.
        """
        try:
            self._connection = await self._open_session()
            self._tasks = [asyncio.ensure_future(self._receive()), asyncio.ensure_future(self._send())]
            await self._wait_for(self._dialogue.created)
            self._dialogue.begin()
            await self._wait_for(self._dialogue.updated)
        except ProviderError as error:
            self._dialogue.fail(error)
            await self._end()
            raise
        self._dialogue.greet(self._greeting)

    async def _wait_for(self, event: asyncio.Event) -> None:
        """Wait for the session, at most ``timeout_s``; a failure on the way is what the call ends with."""
        waiting = asyncio.ensure_future(event.wait())
        done, _ = await asyncio.wait(
            {waiting, *self._tasks}, timeout=self._timeout_s, return_when=asyncio.FIRST_COMPLETED
        )
        waiting.cancel()
        if not done:
            self._dialogue.fail(ProviderError(f"the session did not begin in {self._timeout_s:g} s", retryable=True))
        if self.failure is not None:
            raise self.failure

    def hear(self, frame: Pcm) -> None:
        """Take 20 ms of what came over the line: int16[320] at 16 kHz."""
        if self._slot <= 1:  # the service's times count from the first audio that it got, not from the connection
            self._dialogue.audio_begins()
        samples = to_pcm(self._to_service.process(frame.astype(np.float64)))
        audio = base64.b64encode(samples.astype("<i2").tobytes()).decode()
        self._outgoing.put_nowait({"type": "input_audio_buffer.append", "audio": audio})

    def speak(self) -> Pcm:
        """Return the next 20 ms that the agent says: int16[320] at 16 kHz."""
        self._slot += 1
        self._dialogue.check()
        frame = self._playout.speak()
        if self._dialogue.ended is not None and self._dialogue.is_idle and self._playout.is_quiet:
            self.finished.set()
        return frame

    async def hang_up(self) -> None:
        """Stop: nothing new begins, tools in flight finish, the last turn is written down."""
        self._playout.cut()
        await self._dialogue.close()
        await self._end()

    async def _end(self) -> None:
        """Leave the session; if the service has failed, the exchanges say how."""
        if isinstance(self.failure, ProviderError):
            self._record("failed", {"type": "failed", "status": self.failure.status, "message": str(self.failure)})
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        if self._connection is not None:
            await self._connection.close()

    # ---- the session's two directions ------------------------------------------------------------------------------

    async def _send(self) -> None:
        assert self._connection is not None
        try:
            while True:
                await self._connection.send(await self._outgoing.get())
        except ProviderError as error:
            self._dialogue.fail(error)

    async def _receive(self) -> None:
        assert self._connection is not None
        # Exchanges are written before the event is handled: what it makes us send comes after it, as in the session
        try:
            while self.failure is None:
                event = await self._connection.receive()
                self._record("received", event)
                self._dialogue.handle(event)
        except ProviderError as error:
            self._dialogue.fail(error)

    def _record(self, direction: Literal["sent", "received", "failed"], event: JsonObject) -> None:
        key = _AUDIO.get(str(event.get("type")), "")
        audio = event.get(key)
        if isinstance(audio, str):
            sound = base64.b64decode(audio)
            event = {**event, key: None, "samples": len(sound) // 2, "sha256": hashlib.sha256(sound).hexdigest()}
        now_ns = self._context.now_ns()
        self._context.exchanges.add(RealtimeExchange(direction=direction, at_ns=now_ns, slot=self._slot, event=event))
