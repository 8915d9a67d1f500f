"""Responses out of a record: the client sees them at the times, and with the failures, that were recorded."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from voicebench.clock import ChargedTransport, HttpExchange, current_loop, run_call, sleep
from voicebench.config.charges import RECORDED
from voicebench.errors import ConfigError
from voicebench.record.exchanges import LlmExchange, StreamChunk
from voicebench.stored.replay.recorded import RecordedFetcher

pytestmark = pytest.mark.unit

TEXT = '{"object":"chunk","choices":[{"delta":{"content":"Hi"}}]}'


def record(
    status: int = 0, head_ns: int | None = None, text: str = "", error: str | None = None, error_ns: int | None = None
) -> LlmExchange:
    """Return an exchange; one with a status is a stream of one chunk."""
    return LlmExchange(
        span_id="s1",
        start_ns=1_000_000_000,
        request={"model": "m"},
        status=status,
        streamed=bool(status),
        head_ns=head_ns,
        retry_after_ms=0.0,
        error=error,
        error_ns=error_ns,
        delivered=0,
        truncated=False,
        chunks=(StreamChunk(offset_ns=200_000_001, data=text),) if status else (),
    )


STREAM = record(200, 123_456_789, TEXT)


def ask(recorded: LlmExchange, give_up_s: float | None = None) -> tuple[list[float], str | None, HttpExchange]:
    """Send a request at call second 1; return when head and end came, the failure, and the exchange."""
    exchanges: list[HttpExchange] = []
    asked: list[dict[str, Any]] = []
    times: list[float] = []

    def answer(request: dict[str, Any]) -> LlmExchange:
        asked.append(request)
        return recorded

    async def send(client: httpx2.AsyncClient) -> None:
        async with client.stream("POST", "http://agent.test/v1", json={"model": "m"}) as response:
            times.append(current_loop().time())
            await response.aread()
        times.append(current_loop().time())

    async def main() -> str | None:
        import asyncio

        await sleep(1)
        transport = ChargedTransport(charge=RECORDED, fetcher=RecordedFetcher(answer), on_exchange=exchanges.append)
        async with httpx2.AsyncClient(transport=transport) as client:
            try:
                await asyncio.wait_for(send(client), give_up_s)
            except (httpx2.TransportError, TimeoutError) as error:
                times.append(current_loop().time())
                return f"{type(error).__name__}: {error}"
        return None

    failure = run_call(main())
    assert asked == [{"model": "m"}]
    return times, failure, exchanges[0]


def again(exchange: HttpExchange) -> LlmExchange:
    """Make a record of what was exchanged."""
    return record(
        exchange.status,
        exchange.head_ns,
        "".join(event.data for event in exchange.events),
        exchange.error,
        exchange.error_ns,
    )


def test_head_and_events_come_at_their_nanosecond() -> None:
    times, failure, exchange = ask(STREAM)
    assert (times, failure) == ([1.123456789, 1.200000001], None)
    assert (exchange.first_token_ns, exchange.delivered, exchange.error) == (200_000_001, 1, None)
    assert again(exchange) == STREAM


@pytest.mark.parametrize(
    "text",
    ["ReadTimeout: no byte came for 30 s", "ConnectError: All connection attempts failed", "OddError: unheard of"],
)
def test_a_failure_has_its_name_its_words_and_its_time(text: str) -> None:
    recorded = record(error=text, error_ns=250_000_000)
    times, failure, exchange = ask(recorded)
    assert (times, failure, exchange.error) == ([1.25], text, text)
    assert again(exchange) == recorded


def test_a_stream_that_broke_breaks_after_its_last_event() -> None:
    recorded = record(200, 0, TEXT, "RemoteProtocolError: cut", 300_000_000)
    times, failure, exchange = ask(recorded)
    assert (times, failure) == ([1.0, 1.3], "RemoteProtocolError: cut")
    assert again(exchange) == recorded


def test_a_request_that_is_given_up_before_its_answer_is_the_same_again() -> None:
    times, failure, exchange = ask(STREAM, give_up_s=0.1)
    assert (times, failure) == ([1.1], "TimeoutError: ")
    assert (exchange.error, exchange.status, exchange.delivered) == ("CancelledError before a response", 200, 0)
    recorded = again(exchange)
    assert recorded.error_ns is None
    assert ask(recorded, give_up_s=0.1)[2] == exchange


def test_a_request_without_a_recorded_answer_fails() -> None:
    nothing = record(error="CancelledError before a response")
    _, failure, _ = ask(nothing)
    assert failure is not None
    assert "no recorded answer" in failure


def test_a_record_and_its_charge_belong_together() -> None:
    with pytest.raises(ConfigError, match="charge recorded"):
        ChargedTransport(charge=RECORDED)
