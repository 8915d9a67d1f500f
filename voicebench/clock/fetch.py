"""HTTP in real time, in a thread of its own, each event stamped as it arrives."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Protocol

import httpx2

from voicebench.clock.chat import ContentReader
from voicebench.clock.sse import DONE, SseDecoder

__all__ = ["Arrival", "Fetch", "Fetcher", "Fetching"]

_REASONING_FACTOR = 10
"""A model may reason for so many times the characters that it may answer with before its stream is cut."""
_CLOSE_S = 2.0
"""Wall seconds that the connections have to close; a server that does not answer is left behind with its thread."""


@dataclass(frozen=True)
class Arrival:
    """One event, or one whole body: seconds since the request, and its data."""

    offset_s: float
    data: str


@dataclass
class Fetch:
    """One request on its way; written by the fetching thread, read by the call's.

    Attributes:
        request: what is sent, its body read.
        notify: called in the fetching thread whenever something has come.
        status: HTTP status; 0 before there is a response.
        headers: of the response.
        header_s: seconds from the request to the headers.
        streamed: whether the response is a stream of events.
        arrivals: what has come so far: the events of a stream, or one whole body.
        end_s: seconds from the request to the end.
        error: the transport's failure.
        truncated: whether an endless stream was cut.
        done: whether all of it has come.
    """

    request: httpx2.Request
    notify: Callable[[], object]
    status: int = 0
    headers: httpx2.Headers = field(default_factory=httpx2.Headers)
    header_s: float | None = None
    streamed: bool = False
    arrivals: list[Arrival] = field(default_factory=list)
    end_s: float = 0.0
    error: Exception | None = None
    truncated: bool = False
    done: bool = False


class Fetching(Protocol):
    """What brings responses: the network, or a record of them."""

    def open(self, request: httpx2.Request, body: bytes, notify: Callable[[], object]) -> Fetch:
        """Take a request that will be sent, unless it is given up before."""
        ...

    def begin(self, fetch: Fetch) -> None:
        """Send it."""

    def abort(self, fetch: Fetch) -> None:
        """Stop a request that is no longer wanted."""

    def close(self) -> None:
        """Close the connections."""


class Fetcher:
    """A daemon thread with an ordinary event loop, where time-outs are real and nothing waits for the call.

    Args:
        inner: the transport that it drives and closes; the default one of httpx2 if None.
        timeout_s: wall seconds without a byte after which a request has failed.
        max_chars: characters of text and tool arguments after which a stream is cut (ten times as many of reasoning).
        stopwatch: wall seconds from any origin.
    """

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport | None,
        *,
        timeout_s: float,
        max_chars: int,
        stopwatch: Callable[[], float],
    ) -> None:
        self._inner = inner
        self._timeout_s = timeout_s
        self._max_chars = max_chars
        self._stopwatch = stopwatch
        self._loop: asyncio.AbstractEventLoop | None = None
        self._running: dict[int, concurrent.futures.Future[None]] = {}
        self._thread: threading.Thread | None = None

    def open(self, request: httpx2.Request, body: bytes, notify: Callable[[], object]) -> Fetch:
        """Take a request that will be sent, unless it is given up before."""
        return Fetch(request, notify)

    def begin(self, fetch: Fetch) -> None:
        """Send a request."""
        if self._loop is None:
            self._loop = asyncio.SelectorEventLoop()
            self._thread = threading.Thread(target=self._serve, args=(self._loop,), name="voicebench-http", daemon=True)
            self._thread.start()
        running = asyncio.run_coroutine_threadsafe(self._run(fetch), self._loop)
        self._running[id(fetch)] = running
        running.add_done_callback(lambda _: self._running.pop(id(fetch)))

    def abort(self, fetch: Fetch) -> None:
        """Stop a request that is no longer wanted."""
        running = self._running.get(id(fetch))
        if running is not None and not fetch.done:
            running.cancel()

    def close(self) -> None:
        """Close the connections and end the thread."""
        if self._loop is not None and self._thread is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_CLOSE_S)

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        async def end() -> None:
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._inner is not None:
                await self._inner.aclose()

        try:
            loop.run_forever()
            loop.run_until_complete(end())
        finally:
            loop.close()

    async def _run(self, fetch: Fetch) -> None:
        if self._inner is None:
            self._inner = httpx2.AsyncHTTPTransport()
        begun_s = self._stopwatch()
        try:
            await self._receive(self._inner, fetch, begun_s)
        except TimeoutError:
            fetch.error = httpx2.ReadTimeout(f"no byte came for {self._timeout_s:g} s", request=fetch.request)
        except Exception as error:
            fetch.error = error
        finally:
            fetch.end_s = self._stopwatch() - begun_s
            fetch.done = True  # last: the call's thread reads it first, and then all that was written before
            fetch.notify()

    async def _receive(self, inner: httpx2.AsyncBaseTransport, fetch: Fetch, begun_s: float) -> None:
        async with asyncio.timeout(self._timeout_s):
            response = await inner.handle_async_request(fetch.request)
        try:
            response.request = fetch.request
            fetch.status = response.status_code
            fetch.headers = response.headers
            fetch.streamed = response.headers.get("content-type", "").startswith("text/event-stream")
            fetch.header_s = self._stopwatch() - begun_s
            fetch.notify()
            chunks = self._chunks(response)
            if fetch.streamed:
                await self._receive_events(chunks, fetch, begun_s)
            else:
                body = b"".join([chunk async for chunk in chunks])
                offset_s = self._stopwatch() - begun_s
                fetch.arrivals.append(Arrival(offset_s, body.decode(response.encoding or "utf-8", errors="replace")))
        finally:
            await response.aclose()

    async def _receive_events(self, chunks: AsyncIterator[bytes], fetch: Fetch, begun_s: float) -> None:
        decoder, reader = SseDecoder(), ContentReader()
        budget = [self._max_chars, self._max_chars * _REASONING_FACTOR]
        try:
            async for chunk in chunks:
                offset_s = self._stopwatch() - begun_s
                for data in decoder.feed(chunk):
                    fetch.arrivals.append(Arrival(offset_s, data))
                    content = reader.read(data)
                    budget = [budget[0] - content.chars, budget[1] - content.reasoning_chars]
                    if min(budget) < 0:
                        fetch.truncated = True
                        fetch.arrivals.append(Arrival(offset_s, DONE))
                        return
                fetch.notify()
        except (TimeoutError, httpx2.TransportError):
            # Some servers reset the connection after the last event: nothing is missing then
            if not fetch.arrivals or fetch.arrivals[-1].data != DONE:
                raise
        fetch.arrivals.extend(Arrival(self._stopwatch() - begun_s, data) for data in decoder.flush())

    async def _chunks(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """Yield decoded chunks, each within the time limit."""
        chunks = response.aiter_bytes()
        while True:
            try:
                async with asyncio.timeout(self._timeout_s):
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                return
            yield chunk
