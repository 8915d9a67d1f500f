"""Tool calls of a session, one after the other."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from voicebench.agent.router import AgentRouter, ToolOutcome
from voicebench.llm import ToolCall
from voicebench.packs.models import AgentSpec

__all__ = ["CallQueue"]


class CallQueue:
    """Runs each call once, in the order in which they came.

    Args:
        router: runs them.
        on_result: called with each call and what it did.
        on_idle: called when none is left.
        on_failure: called with what went wrong in the harness itself.
    """

    def __init__(
        self,
        router: AgentRouter,
        on_result: Callable[[ToolCall, ToolOutcome], None],
        on_idle: Callable[[], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        self._router = router
        self._on_result = on_result
        self._on_idle = on_idle
        self._on_failure = on_failure
        self._seen: set[str] = set()
        self._queue: deque[tuple[ToolCall, AgentSpec]] = deque()
        self._working: asyncio.Task[None] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no call runs or waits."""
        return self._working is None

    def add(self, call: ToolCall, agent: AgentSpec) -> None:
        """Take a call that ``agent`` made, unless it was taken before."""
        # It comes as an item and again with the response's end, and from some services twice: a write must happen once
        if call.call_id in self._seen:
            return
        self._seen.add(call.call_id)
        self._queue.append((call, agent))
        if self._working is None:
            self._working = asyncio.ensure_future(self._work())

    async def finish(self, limit_s: float) -> None:
        """Wait until all calls have run, so many seconds of call time at most."""
        if self._working is not None:
            await asyncio.wait({self._working}, timeout=limit_s)

    async def _work(self) -> None:
        try:
            while self._queue:
                call, agent = self._queue.popleft()
                self._on_result(call, await self._router.execute(call, agent))
        except Exception as error:
            self._on_failure(error)
        finally:
            self._working = None
        self._on_idle()
