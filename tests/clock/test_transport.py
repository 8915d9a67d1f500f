"""HTTP on call time: a real ``openai`` client over a transport that plays a response with known offsets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx2
import openai
import pytest

from voicebench.clock import ChargedTransport, HttpExchange, Mode, current_loop, run_call, sleep
from voicebench.config.charges import Charge
from voicebench.errors import ConfigError

pytestmark = pytest.mark.unit

Step = tuple[float, bytes] | tuple[float, Exception]
Talk = Callable[[openai.AsyncOpenAI], Awaitable[Any]]


def event(**delta: Any) -> bytes:
    chunk = {"id": "chatcmpl-1", "created": 7, "choices": [{"index": 0, "delta": delta}]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
HELLO: list[Step] = [
    (0.25, event(role="assistant", content="")),
    (0.5, event(reasoning_content="Hm")),
    (0.75, event(content="Hel") + event(content="lo")[:9]),
    (1.0, event(content="lo")[9:]),
    (1.25, DONE),
]


@dataclass
class Script(httpx2.AsyncBaseTransport, httpx2.AsyncByteStream):
    """Plays one response: each chunk at its time on a stopwatch of its own, so that no test waits."""

    steps: list[Step] = field(default_factory=lambda: HELLO)
    status: int = 200
    content_type: str = "text/event-stream; charset=utf-8"
    header_s: float = 0.125
    failure: Exception | None = None
    now_s: float = 100.0
    requests: list[Any] = field(default_factory=list)
    closed: bool = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(json.loads(await request.aread()))
        self.origin_s = self.now_s
        self.now_s = self.origin_s + self.header_s
        if self.failure is not None:
            raise self.failure
        return httpx2.Response(self.status, headers={"content-type": self.content_type}, stream=self)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for offset_s, step in self.steps:
            self.now_s = self.origin_s + offset_s
            if isinstance(step, Exception):
                raise step
            yield step

    async def aclose(self) -> None:
        self.closed = True


def talk(
    script: httpx2.AsyncBaseTransport, conversation: Talk, charge: str = "wall", mode: Mode = "charge", **options: Any
) -> Any:
    """Run a conversation from call second 10 on; return what it returned and its exchanges."""
    exchanges: list[HttpExchange] = []
    if isinstance(script, Script):
        options["stopwatch"] = lambda: script.now_s

    async def main() -> Any:
        if mode == "charge":
            await sleep(10)
        transport = ChargedTransport(charge=Charge.parse(charge), inner=script, on_exchange=exchanges.append, **options)
        http = httpx2.AsyncClient(transport=transport)
        async with openai.AsyncOpenAI(
            api_key="none", base_url="http://agent.test/v1", max_retries=0, http_client=http
        ) as client:
            return await conversation(client)

    return run_call(main(), mode=mode), exchanges


async def listen(client: openai.AsyncOpenAI) -> list[tuple[float, str | None]]:
    """Ask, and return when each piece of the answer came; the first is the response's headers."""
    stream = await client.chat.completions.create(model="m", messages=[], stream=True)
    heard: list[tuple[float, str | None]] = [(current_loop().time(), "headers")]
    async for chunk in stream:
        heard.append((current_loop().time(), chunk.choices[0].delta.content))
    return heard


def offsets(exchange: HttpExchange) -> list[int]:
    return [event.offset_ns // 10**6 for event in exchange.events]


def test_chunks_arrive_at_their_measured_offsets() -> None:
    heard, _ = talk(Script(), listen)
    assert heard == [(10.125, "headers"), (10.25, ""), (10.5, None), (10.75, "Hel"), (11.0, "lo")]


def test_first_token_and_first_answer_are_exact() -> None:
    _, [exchange] = talk(Script(), listen)
    assert exchange.start_ns == 10 * 10**9
    assert (exchange.first_token_ns, exchange.first_answer_ns) == (500_000_000, 750_000_000)
    assert offsets(exchange) == [250, 500, 750, 1000, 1250]
    assert (exchange.delivered, exchange.status, exchange.wall_s, exchange.error) == (5, 200, 1.25, None)
    assert exchange.request == {"model": "m", "messages": [], "stream": True}


def test_a_fixed_charge_places_tokens_and_what_comes_with_them() -> None:
    heard, [exchange] = talk(Script(), listen, charge="fixed:300/20")
    assert heard == [(10.3, "headers"), (10.3, ""), (10.3, None), (10.32, "Hel"), (10.34, "lo")]
    assert offsets(exchange) == [300, 300, 320, 340, 340]
    assert (exchange.first_token_ns, exchange.first_answer_ns) == (300_000_000, 320_000_000)


def test_a_fixed_charge_does_not_see_how_the_network_merged_chunks() -> None:
    everything = b"".join(step for _, step in HELLO if isinstance(step, bytes))
    merged: list[Step] = [(0.2, everything)]
    split: list[Step] = [(0.01 * n, everything[n : n + 1]) for n in range(len(everything))]
    results = [talk(Script(steps), listen, charge="fixed:300/20") for steps in (HELLO, merged, split)]
    assert [heard for heard, _ in results] == [results[0][0]] * 3
    assert [exchanges[0].events for _, exchanges in results] == [results[0][1][0].events] * 3


def test_a_stream_that_the_client_closes_is_cut_there() -> None:
    async def barge_in(client: openai.AsyncOpenAI) -> float:
        stream = await client.chat.completions.create(model="m", messages=[], stream=True)
        async for chunk in stream:
            if chunk.choices[0].delta.content:
                break
        await stream.close()
        return current_loop().time()

    at_s, [exchange] = talk(Script(), barge_in)
    assert at_s == 10.75
    assert (exchange.delivered, len(exchange.events), exchange.error) == (3, 5, None)


@pytest.mark.parametrize(("cancel_s", "delivered"), [(0.05, 0), (0.6, 2)])
def test_a_request_whose_task_is_cancelled_is_cut_there(cancel_s: float, delivered: int) -> None:
    async def barge_in(client: openai.AsyncOpenAI) -> float:
        task = asyncio.create_task(listen(client))
        await sleep(cancel_s)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return current_loop().time()

    at_s, [exchange] = talk(Script(), barge_in)
    assert at_s == 10 + cancel_s
    assert exchange.delivered == delivered


@pytest.mark.parametrize(("charge", "end_s"), [("wall", 10.5), ("fixed:300/20", 10.3)])
def test_a_whole_body_arrives_at_its_end(charge: str, end_s: float) -> None:
    async def ask(client: openai.AsyncOpenAI) -> tuple[float, str | None, str]:
        reply = await client.chat.completions.create(model="m", messages=[])
        [call] = reply.choices[0].message.tool_calls or []
        return current_loop().time(), reply.choices[0].message.content, call.id

    message = {"content": "Hello", "tool_calls": [{"id": "x", "type": "function", "function": {"name": "f"}}]}
    body = json.dumps({"id": "chatcmpl-1", "choices": [{"index": 0, "message": message}]}).encode()
    script = Script([(0.25, body[:20]), (0.5, body[20:])], content_type="application/json")
    reply, [exchange] = talk(script, ask, charge=charge)
    assert reply == (end_s, "Hello", "call00001")
    assert exchange.first_token_ns == exchange.first_answer_ns == round((end_s - 10) * 1e9)


@pytest.mark.parametrize(("charge", "end_s"), [("wall", 10.5), ("fixed:300/20", 10.3)])
def test_an_error_status_arrives_after_its_charge(charge: str, end_s: float) -> None:
    async def ask(client: openai.AsyncOpenAI) -> float:
        with pytest.raises(openai.RateLimitError, match="slow down"):
            await listen(client)
        return current_loop().time()

    body = json.dumps({"error": {"message": "slow down"}, "request_id": 5}).encode()
    at_s, [exchange] = talk(Script([(0.5, body)], 429, "application/json"), ask, charge=charge)
    assert at_s == end_s
    assert (exchange.status, exchange.first_token_ns) == (429, None)


@pytest.mark.parametrize(("charge", "end_s"), [("wall", 10.125), ("fixed:300/20", 10.3)])
def test_a_refused_connection_is_an_error_after_its_charge(charge: str, end_s: float) -> None:
    async def ask(client: openai.AsyncOpenAI) -> float:
        with pytest.raises(openai.APIConnectionError):
            await listen(client)
        return current_loop().time()

    script = Script(failure=httpx2.ConnectError("nobody listens"))
    at_s, [exchange] = talk(script, ask, charge=charge)
    assert at_s == end_s
    assert (exchange.status, exchange.error) == (0, "ConnectError: nobody listens")


def test_a_server_that_sends_nothing_times_out() -> None:
    class Silent(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            await asyncio.Event().wait()
            raise AssertionError

    async def ask(client: openai.AsyncOpenAI) -> None:
        with pytest.raises(openai.APITimeoutError):
            await listen(client)

    _, [exchange] = talk(Silent(), ask, timeout_s=0.02)
    assert exchange.error == "ReadTimeout: no byte came for 0.02 s"


def test_a_stream_that_breaks_is_delivered_up_to_there() -> None:
    async def ask(client: openai.AsyncOpenAI) -> tuple[list[str | None], float]:
        heard: list[str | None] = []

        async def hear() -> None:
            async for chunk in await client.chat.completions.create(model="m", messages=[], stream=True):
                heard.append(chunk.choices[0].delta.content)

        with pytest.raises(openai.APIConnectionError):
            await hear()
        return heard, current_loop().time()

    steps: list[Step] = [(0.5, event(content="Hel")), (0.75, httpx2.ReadError("reset"))]
    heard, [exchange] = talk(Script(steps), ask)
    assert heard == (["Hel"], 10.75)
    assert (exchange.delivered, exchange.error) == (1, "ReadError: reset")


@pytest.mark.parametrize("mode", ["virtual", "real"])
def test_in_the_modes_that_follow_the_wall_closing_a_stream_stops_its_request(mode: Mode) -> None:
    class Stalled(Script):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield event(content="Hel")
            await asyncio.Event().wait()

    async def barge_in(client: openai.AsyncOpenAI) -> str | None:
        stream = await client.chat.completions.create(model="m", messages=[], stream=True)
        chunk = await anext(stream)
        await stream.close()
        return chunk.choices[0].delta.content

    script = Stalled()
    heard, [exchange] = talk(script, barge_in, mode=mode)
    assert (heard, exchange.delivered, exchange.error) == ("Hel", 1, None)
    assert script.closed


def test_an_endless_stream_is_cut_and_counts_as_finished() -> None:
    script = Script([(0.1 * n, event(content="word ")) for n in range(1, 1000)])
    heard, [exchange] = talk(script, listen, max_chars=24)
    assert [text for _, text in heard] == ["headers"] + ["word "] * 5
    assert exchange.truncated
    assert script.closed


def test_tool_calls_are_renumbered_alike_for_the_client_and_the_store() -> None:
    async def ask(client: openai.AsyncOpenAI) -> list[str]:
        ids = []
        for _ in range(2):
            stream = await client.chat.completions.create(model="m", messages=[], stream=True)
            async for chunk in stream:
                ids += [call.id for call in chunk.choices[0].delta.tool_calls or [] if call.id]
        return ids

    calls = [{"index": n, "id": f"random-{n}", "function": {"name": "f", "arguments": "{}"}} for n in range(2)]
    ids, exchanges = talk(Script([(0.5, event(tool_calls=calls)), (0.6, DONE)]), ask)
    stored = [json.loads(exchange.events[0].data)["choices"][0]["delta"]["tool_calls"] for exchange in exchanges]
    assert ids == ["call00001", "call00002", "call00003", "call00004"]
    assert [call["id"] for calls in stored for call in calls] == ids


def test_parallel_requests_overlap() -> None:
    async def ask(client: openai.AsyncOpenAI) -> float:
        await asyncio.gather(listen(client), listen(client), listen(client))
        return current_loop().time()

    at_s, exchanges = talk(Script(), ask, charge="fixed:300/20")
    assert at_s == 10.34
    assert len(exchanges) == 3


def test_the_clock_stands_still_for_others_while_a_request_is_on_its_way() -> None:
    async def ask(client: openai.AsyncOpenAI) -> int:
        ticks: list[float] = []

        async def tick() -> None:
            while True:
                ticks.append(current_loop().time())
                await sleep(0.1)

        task = asyncio.create_task(tick())
        await listen(client)
        task.cancel()
        return len(ticks)

    assert talk(Script(), ask, charge="fixed:1000/0")[0] == 10


@pytest.mark.parametrize("charge", ["cpu", "recorded"])
def test_a_charge_that_does_not_suit_requests_is_refused(charge: str) -> None:
    with pytest.raises(ConfigError, match=charge):
        ChargedTransport(charge=Charge.parse(charge))
