"""The same over a real connection: a server in another thread, httpx2's own transport, each clock mode."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Generator

import httpx2
import openai
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from tests.ports import deaf_port
from voicebench.clock import ChargedTransport, HttpExchange, Mode, current_loop, run_call
from voicebench.config.charges import Charge

pytestmark = pytest.mark.unit

WORDS = ["Hello", " caller", "."]


async def complete(request: Request) -> StreamingResponse:
    await request.json()

    async def events() -> AsyncIterator[str]:
        for word in WORDS:
            chunk = {"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {"content": word}}]}
            yield f"data: {json.dumps(chunk)}\n\n"
        yield "data: [DONE]\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


@pytest.fixture(scope="module")
def endpoint() -> Generator[str]:
    app = Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        server.should_exit = True
        thread.join()


async def converse(url: str, charge: str, exchanges: list[HttpExchange]) -> list[list[tuple[float, str | None]]]:
    """Ask twice over one connection."""
    transport = ChargedTransport(charge=Charge.parse(charge), on_exchange=exchanges.append)
    http = httpx2.AsyncClient(transport=transport)
    turns = []
    async with openai.AsyncOpenAI(api_key="none", base_url=url, max_retries=0, http_client=http) as client:
        for _ in range(2):
            stream = await client.chat.completions.create(model="m", messages=[], stream=True)
            turns.append([(current_loop().time(), chunk.choices[0].delta.content) async for chunk in stream])
    return turns


def test_with_a_fixed_charge_equal_calls_are_equal(endpoint: str) -> None:
    first: list[HttpExchange] = []
    second: list[HttpExchange] = []
    turns = run_call(converse(endpoint, "fixed:300/20", first))
    assert turns == [
        [(0.3, "Hello"), (0.32, " caller"), (0.34, ".")],
        [(0.64, "Hello"), (0.66, " caller"), (0.68, ".")],
    ]
    assert run_call(converse(endpoint, "fixed:300/20", second)) == turns
    assert [exchange.events for exchange in first] == [exchange.events for exchange in second]


@pytest.mark.parametrize("mode", ["charge", "virtual", "real"])
def test_with_a_measured_charge_everything_comes_in_order_in_each_mode(endpoint: str, mode: Mode) -> None:
    exchanges: list[HttpExchange] = []
    turns = run_call(converse(endpoint, "wall", exchanges), mode=mode)
    assert [[word for _, word in turn] for turn in turns] == [WORDS, WORDS]
    times = [time for turn in turns for time, _ in turn]
    assert times == sorted(times)
    assert times[0] > 0
    for exchange in exchanges:
        assert exchange.first_token_ns == exchange.events[0].offset_ns > 0
        assert exchange.error is None


def test_in_charge_mode_the_measured_offsets_are_the_call_time(endpoint: str) -> None:
    exchanges: list[HttpExchange] = []
    turns = run_call(converse(endpoint, "wall", exchanges))
    for turn, exchange in zip(turns, exchanges, strict=True):
        heard_ns = [round(time * 1e9) - exchange.start_ns for time, _ in turn]
        assert heard_ns == [event.offset_ns for event in exchange.events[:3]]


def test_nobody_listening_is_a_connection_error() -> None:
    exchanges: list[HttpExchange] = []
    with deaf_port() as port, pytest.raises(openai.APIConnectionError):
        run_call(converse(f"http://127.0.0.1:{port}/v1", "fixed:300", exchanges))
    assert exchanges[0].status == 0
    assert str(exchanges[0].error).startswith("ConnectError")
    assert str(port) not in str(exchanges[0].error)
