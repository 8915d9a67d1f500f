"""HTTP on call time: the transport under the ``openai`` client."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx2

from voicebench.clock.chat import ChunkNormalizer, Content, ContentReader
from voicebench.clock.fetch import Fetcher, Fetching
from voicebench.clock.loop import CallLoop, current_loop
from voicebench.clock.schedule import EventSchedule, ScheduledStream
from voicebench.clock.sse import SseEvent
from voicebench.clock.work import Work
from voicebench.config.charges import Charge
from voicebench.errors import ConfigError
from voicebench.record.json_types import JsonObject

__all__ = ["ChargedTransport", "HttpExchange"]

_STORED_HEADERS = ("content-type", "retry-after", "retry-after-ms", "date")
_FIRST_ERROR_STATUS = 400
_TRANSFER_HEADERS = ("content-encoding", "content-length", "transfer-encoding")


@dataclass(frozen=True)
class HttpExchange:
    """One request and its response, as they are stored.

    Offsets are nanoseconds of call time since ``start_ns``. All but ``wall_s`` and dates in ``headers`` is the same in
    equal calls.

    Attributes:
        start_ns: call time of the request.
        request: its JSON body; empty if it had none.
        status: HTTP status; 0 if there was no response.
        headers: those of the response that matter to a reader: content-type, and what a wait is asked for with.
        streamed: whether the response is a stream of events.
        head_ns: offset of the response's headers; None if the client gave up before them.
        events: all that came: the events of a stream, or one whole body. Tool calls are renumbered over the call, and
            what differs between equal responses (ids, dates, fingerprints) is left out.
        delivered: how many of the events the client got before it closed the stream.
        first_token_ns: offset of the first text, reasoning or tool call (TTFT); None if none came.
        first_answer_ns: offset of the first text or tool call (TTFAT); None if none came.
        truncated: whether an endless stream was cut.
        wall_s: wall seconds that it took.
        error: why there is no response, or why it broke off; None if all went well.
        error_ns: offset of the transport's failure; None if it did not fail.
    """

    start_ns: int
    request: JsonObject
    status: int
    headers: dict[str, str]
    streamed: bool
    head_ns: int | None
    events: list[SseEvent]
    delivered: int
    first_token_ns: int | None
    first_answer_ns: int | None
    truncated: bool
    wall_s: float
    error: str | None
    error_ns: int | None


class ChargedTransport(httpx2.AsyncBaseTransport):
    """Sends requests in real time and hands the responses out in call time. One per call.

    In ``charge`` mode call time stands still until the whole response is there; then its events are handed out at the
    offsets that the charge says. In the other modes they are handed out as they come.

    Args:
        charge: ``wall`` (events at their measured offsets) or ``fixed``: the k-th event with text, reasoning or a tool
            call (k from 0) at ``ms + k * token_ms``, others with the one before; whole bodies and failures at ``ms``.
            ``recorded`` (events at the offsets that ``fetcher`` has) in a replay.
        inner: what really sends; it is driven in another thread and closed with this transport. By default httpx2's.
        on_exchange: called once for each request, when its response has ended or was closed.
        timeout_s: wall seconds without a byte after which a request has failed.
        max_chars: characters of text and tool arguments after which a stream counts as finished.
        stopwatch: wall seconds from any origin; tests give their own.
        fetcher: what brings recorded responses instead of the network, in a replay.

    Raises:
        ConfigError: the charge is ``cpu`` (an endpoint is another process), or ``recorded`` without a record.
    """

    def __init__(
        self,
        *,
        charge: Charge,
        inner: httpx2.AsyncBaseTransport | None = None,
        on_exchange: Callable[[HttpExchange], None] | None = None,
        timeout_s: float = 30.0,
        max_chars: int = 20_000,
        stopwatch: Callable[[], float] = time.perf_counter,
        fetcher: Fetching | None = None,
    ) -> None:
        if charge.kind not in (("wall", "fixed") if fetcher is None else ("recorded",)):
            raise ConfigError(f"charge {charge} does not suit requests; write wall, fixed:MS or fixed:MS/TOKEN_MS")
        self._charge = charge
        self._on_exchange = on_exchange
        self._normalizer = ChunkNormalizer()
        self._fetcher = fetcher or Fetcher(inner, timeout_s=timeout_s, max_chars=max_chars, stopwatch=stopwatch)
        self._open: list[_ChargedRequest] = []
        self._closed_with_loop = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return its response when call time has reached the headers.

        Raises:
            httpx2.TransportError: what the inner transport raised, or ``ReadTimeout`` after ``timeout_s``.
        """
        loop = current_loop()
        if not self._closed_with_loop:
            self._closed_with_loop = True
            loop.at_close(self._fetcher.close)
        body = await request.aread()
        call = _ChargedRequest(loop, self._fetcher, self._charge, self._normalizer.response(), request, body)

        def report() -> None:
            self._open.remove(call)
            if self._on_exchange is not None:
                self._on_exchange(call.exchange())

        call.on_end = report
        self._open.append(call)
        return await call.respond()

    async def aclose(self) -> None:
        """Report what is still open and close the connections."""
        for call in list(self._open):
            call.finish()
        self._fetcher.close()


class _ChargedRequest:
    """One request from its sending to the end of its response."""

    on_end: Callable[[], None]

    def __init__(
        self,
        loop: CallLoop,
        fetcher: Fetching,
        charge: Charge,
        rewrite: Callable[[str], str],
        request: httpx2.Request,
        body: bytes,
    ) -> None:
        self._loop = loop
        self._fetcher = fetcher
        self._measured = charge.kind in ("wall", "recorded") or loop.mode != "charge"
        self._charge = charge
        self._rewrite = rewrite
        self._body = body
        self._schedule = EventSchedule(loop.now_ns)
        self._fetch = fetcher.open(request, body, self._notify)
        self._work = Work(
            f"the request to {request.url.host}",
            lambda: fetcher.begin(self._fetch),
            lambda: self._fetch.done,
            self._absorb,
        )
        self._reader = ContentReader()
        self._last_ns = round(charge.ms * 1e6)
        self._tokens = 0
        self._first_token_ns: int | None = None
        self._first_answer_ns: int | None = None
        self._headed_ns: int | None = None
        self._finished = False
        self._error: str | None = None

    async def respond(self) -> httpx2.Response:
        """Send it, and return its response when call time has reached the headers."""
        schedule, fetch = self._schedule, self._fetch
        try:
            self._loop.track(self._work)
            await schedule.until(lambda: schedule.done or (self._loop.mode != "charge" and fetch.streamed))
            if fetch.error is not None and not fetch.streamed:
                await schedule.reach(schedule.error_ns)
                raise fetch.error
            if not fetch.streamed:
                self._headed_ns = schedule.events[0].offset_ns
            elif self._measured:
                self._headed_ns = round((fetch.header_s or 0.0) * 1e9)
            else:
                self._headed_ns = round(self._charge.ms * 1e6)
            await schedule.reach(self._headed_ns)
        except BaseException as error:
            if fetch.error is None:
                self._error = f"{type(error).__name__} before a response"
            self.finish()
            raise
        headers = [(key, value) for key, value in fetch.headers.multi_items() if key not in _TRANSFER_HEADERS]
        stream = ScheduledStream(schedule, framed=fetch.streamed, on_end=self.finish)
        return httpx2.Response(fetch.status, headers=headers, stream=stream, request=fetch.request)

    def finish(self) -> None:
        """Stop what still runs, and report; once."""
        if self._finished:
            return
        self._finished = True
        self._loop.forget(self._work)
        self._fetcher.abort(self._fetch)
        self._loop.fetch_wall_s += self._fetch.end_s
        if self._fetch.error is not None:
            self._error = f"{type(self._fetch.error).__name__}: {self._fetch.error}"
        self.on_end()

    def exchange(self) -> HttpExchange:
        """Return what there is to store of it."""
        fetch, schedule = self._fetch, self._schedule
        return HttpExchange(
            start_ns=schedule.start_ns,
            request=json.loads(self._body) if self._body else {},
            status=fetch.status,
            headers={key: fetch.headers[key] for key in _STORED_HEADERS if key in fetch.headers},
            streamed=fetch.streamed,
            head_ns=self._headed_ns,
            events=list(schedule.events),
            delivered=schedule.delivered,
            first_token_ns=self._first_token_ns,
            first_answer_ns=self._first_answer_ns,
            truncated=fetch.truncated,
            wall_s=fetch.end_s,
            error=self._error,
            error_ns=None if fetch.error is None else schedule.error_ns,
        )

    def _notify(self) -> None:
        """Something has come; called in the fetching thread."""
        self._work.touch()
        if self._loop.mode != "charge":
            with contextlib.suppress(RuntimeError):  # the call may have ended meanwhile
                self._loop.call_soon_threadsafe(self._absorb)
        self._loop.wake()

    def _absorb(self) -> None:
        """Put what has come on the schedule."""
        fetch, schedule = self._fetch, self._schedule
        done = fetch.done  # before the arrivals are read: the other thread may add some
        for arrival in fetch.arrivals[len(schedule.events) :]:
            data = self._rewrite(arrival.data) if fetch.status < _FIRST_ERROR_STATUS else arrival.data
            schedule.events.append(SseEvent(self._charged_ns(arrival.offset_s, self._reader.read(data)), data))
        if done:
            schedule.done = True
            schedule.error = fetch.error
            schedule.error_ns = round(fetch.end_s * 1e9) if self._measured else self._last_ns
        schedule.changed.set()

    def _charged_ns(self, offset_s: float, content: Content) -> int:
        """Return the offset of the next event in call time, and note the first token and answer."""
        if self._measured:
            self._last_ns = round(offset_s * 1e9)
        elif content.token:
            self._last_ns = round((self._charge.ms + self._tokens * self._charge.token_ms) * 1e6)
            self._tokens += 1
        if content.token and self._first_token_ns is None:
            self._first_token_ns = self._last_ns
        if content.answer and self._first_answer_ns is None:
            self._first_answer_ns = self._last_ns
        return self._last_ns
