"""Responses out of a record, in the place of the network."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2

from voicebench.clock.fetch import Arrival, Fetch
from voicebench.clock.sse import SseEvent

__all__ = ["RecordedFetcher", "RecordedResponse"]


@dataclass(frozen=True)
class RecordedResponse:
    """A response as :class:`~voicebench.clock.HttpExchange` describes it; offsets are nanoseconds since the request.

    ``headers`` are those that the client looks at. A request that was given up before it was sent has ``status`` 0 and
    no ``error``.
    """

    status: int
    headers: dict[str, str]
    streamed: bool
    head_ns: int | None
    events: list[SseEvent]
    truncated: bool
    error: str | None
    error_ns: int | None


class RecordedFetcher:
    """Answers each request at once with what was recorded.

    Args:
        answer: returns the response to a request, given its JSON body; what it raises, the client sees as a failure.
    """

    def __init__(self, answer: Callable[[dict[str, Any]], RecordedResponse]) -> None:
        self._answer = answer

    def open(self, request: httpx2.Request, body: bytes, notify: Callable[[], object]) -> Fetch:
        """Take the next response of the record."""
        recorded = self._answer(json.loads(body) if body else {})
        fetch = Fetch(request, notify, recorded.status, httpx2.Headers(recorded.headers))
        fetch.streamed = recorded.streamed
        fetch.truncated = recorded.truncated
        fetch.header_s = None if recorded.head_ns is None else recorded.head_ns / 1e9
        fetch.arrivals = [Arrival(event.offset_ns / 1e9, event.data) for event in recorded.events]
        fetch.end_s = fetch.arrivals[-1].offset_s if fetch.arrivals else 0.0
        if recorded.error_ns is not None:
            fetch.error, fetch.end_s = _failure(recorded.error or "", request), recorded.error_ns / 1e9
        return fetch

    def begin(self, fetch: Fetch) -> None:
        """All of it is there."""
        if fetch.status == 0 and fetch.error is None:
            text = "there is no recorded answer: the request was given up before it was sent"
            fetch.error = httpx2.ReadError(text, request=fetch.request)
        fetch.done = True

    def abort(self, fetch: Fetch) -> None:
        """Nothing is on its way."""

    def close(self) -> None:
        """Nothing is open."""


def _failure(text: str, request: httpx2.Request) -> Exception:
    """Return a failure that is written as ``text``: its class, and what it says."""
    name, _, message = text.partition(": ")
    known = getattr(httpx2, name, None)
    kind: type[httpx2.TransportError] = type(name, (httpx2.TransportError,), {})
    if isinstance(known, type) and issubclass(known, httpx2.TransportError):
        kind = known
    return kind(message, request=request)
