"""The client of the language model: against a transport with known offsets, and against a real server on loopback."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Generator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from tests.agent.fakes import new_context
from tests.agent.loopback import chunk, serving, sse
from tests.jsons import lines_of
from tests.ports import deaf_port
from voicebench.agent import CallContext
from voicebench.clock import current_loop, run_call, sleep
from voicebench.config.charges import Charge
from voicebench.errors import ConfigError, ProviderError
from voicebench.llm import Delta, LlmClient, LlmTarget, ToolCall
from voicebench.record.json_types import JsonObject
from voicebench.store import to_jsonl

pytestmark = pytest.mark.unit

KEY = "sk-do-not-store-me-1234"
MESSAGES: list[JsonObject] = [
    {"role": "system", "content": "You answer the phone."},
    {"role": "user", "content": "Hello."},
]
TOOLS: list[JsonObject] = [
    {"type": "function", "function": {"name": "get_order", "description": "", "parameters": {"type": "object"}}}
]
USAGE = {"prompt_tokens": 120, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 64}}


def piece(index: int, arguments: str, **start: str) -> dict[str, Any]:
    name = {"name": start["name"]} if "name" in start else {}
    return {
        "index": index,
        **({"id": start["id"]} if "id" in start else {}),
        "function": {**name, "arguments": arguments},
    }


END = chunk("stop") + sse({"id": "chatcmpl-9", "choices": [], "usage": USAGE}) + sse("[DONE]")
HELLO = chunk(role="assistant", content="") + chunk(content="Hel") + chunk(content="lo.") + END
PARALLEL = (
    chunk(content="Let me see.")
    + chunk(tool_calls=[piece(0, "", id="x1", name="get_order"), piece(1, '{"n"', id="x2", name="get_days")])
    + chunk(tool_calls=[piece(1, ": 2}")])
    + chunk(tool_calls=[piece(0, '{"n": 1}')])
    + END.replace(b'"stop"', b'"tool_calls"')
)
BODIES: dict[str, bytes] = {
    "hello": HELLO,
    "parallel": PARALLEL,
    "one-index": chunk(tool_calls=[piece(0, '{"n": 1}', id="x1", name="get_order")])
    + chunk(tool_calls=[piece(0, '{"n": 2}', id="x2", name="get_days")])
    + END,
    "empty": chunk(role="assistant", content="") + END,
    "stops": chunk(content="Hel"),
    "no-finish": chunk(content="Hello.") + sse("[DONE]"),
    "no-usage": chunk(content="Hello.") + chunk("stop") + sse("[DONE]"),
    "not-json": chunk(content="Hel") + sse("<html>"),
    "not-an-object": chunk(content="Hel") + sse([1, 2]),
    "odd-choices": chunk(content="Hel") + sse({"choices": "none"}) + END,
    "odd-arguments": chunk(tool_calls=[{"index": 0, "id": "x", "function": {"name": "f", "arguments": {"n": 1}}}])
    + END,
    "error-event": chunk(content="Hel") + sse({"error": {"message": f"lost {KEY}"}}),
}


@dataclass
class Received:
    """What a server was asked."""

    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Server:
    url: str
    received: Received


@pytest.fixture(scope="module")
def server() -> Generator[Server]:
    """A server whose behaviour is chosen by the model's name."""
    received = Received()

    async def complete(request: Request) -> Response:
        body = await request.json()
        received.requests.append(body)
        received.headers.append(dict(request.headers))
        name = body["model"]
        if name.isdigit():
            error = {"message": f"No, {request.headers['authorization']}.", "type": "refused"}
            return JSONResponse({"error": error}, status_code=int(name))
        if name == "cut":
            return StreamingResponse(cut(), media_type="text/event-stream")
        if name == "page":
            return Response("<html>hello</html>", media_type="text/html")
        return Response(BODIES[name], media_type="text/event-stream")

    async def cut() -> AsyncIterator[bytes]:
        yield chunk(content="Hel")
        raise ConnectionResetError("the power went off")

    with serving(complete) as url:
        yield Server(url, received)


@dataclass
class Played(httpx2.AsyncBaseTransport, httpx2.AsyncByteStream):
    """One response whose chunks come at known times on a stopwatch of its own."""

    steps: list[tuple[float, bytes]]
    now_s: float = 50.0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.origin_s = self.now_s
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=self)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for offset_s, step in self.steps:
            self.now_s = self.origin_s + offset_s
            yield step


@dataclass
class Asked:
    """What came of some requests: what was streamed and when, the failure, and all that was written."""

    context: CallContext
    heard: list[tuple[float, Delta]] = field(default_factory=list)
    failure: Exception | None = None

    @property
    def text(self) -> str:
        return "".join(delta.text for _, delta in self.heard)

    @property
    def calls(self) -> list[ToolCall]:
        return [delta.call for _, delta in self.heard if delta.call is not None]

    @property
    def spans(self) -> list[dict[str, Any]]:
        return [line for line in lines_of(self.context.tracer) if line["name"] == "llm"]

    @property
    def written(self) -> str:
        return (to_jsonl(lines_of(self.context.tracer)) + to_jsonl(lines_of(self.context.exchanges))).decode()


def ask(
    url: str | Played,
    model: str = "m",
    *,
    charge: str = "fixed:300/20",
    times: int = 1,
    stop_after: int | None = None,
    **target: Any,
) -> Asked:
    """Ask at call second 10."""

    async def main() -> Asked:
        await sleep(10.0)
        asked = Asked(new_context())
        played = url if isinstance(url, Played) else None
        options: dict[str, Any] = {} if played is None else {"inner": played, "stopwatch": lambda: played.now_s}
        base_url = url if isinstance(url, str) else "http://agent.test/v1"
        client = LlmClient(LlmTarget(model, base_url, KEY, **target), Charge.parse(charge), asked.context, **options)
        try:
            for _ in range(times):
                stream = client.stream(MESSAGES, TOOLS, "orders")
                async for delta in stream:
                    asked.heard.append((current_loop().time(), delta))
                    if len(asked.heard) == stop_after:
                        break
                await stream.aclose()
        except (ProviderError, ConfigError) as error:
            asked.failure = error
        await client.close()
        return asked

    return run_call(main())


def test_text_comes_piece_by_piece_at_the_times_of_the_charge(server: Server) -> None:
    asked = ask(server.url, "hello")
    assert asked.heard == [(10.3, Delta("Hel")), (10.32, Delta("lo."))]
    assert asked.failure is None


def test_parallel_calls_are_put_together_by_their_index_and_come_last(server: Server) -> None:
    asked = ask(server.url, "parallel")
    assert asked.heard[0][1] == Delta("Let me see.")
    assert asked.calls == [
        ToolCall("call00001", "get_order", '{"n": 1}'),
        ToolCall("call00002", "get_days", '{"n": 2}'),
    ]
    assert asked.spans[0]["attributes"]["gen_ai.response.finish_reasons"] == ["tool_calls"]


def test_calls_that_share_an_index_are_told_apart_by_their_ids(server: Server) -> None:
    calls = ask(server.url, "one-index").calls
    assert [(call.name, call.arguments) for call in calls] == [("get_order", '{"n": 1}'), ("get_days", '{"n": 2}')]


def test_the_request_is_what_a_provider_expects(server: Server) -> None:
    server.received.requests.clear()
    ask(server.url, "hello", params={"temperature": 0, "seed": 5}, metadata={"voicebench_call": "c1"})
    assert server.received.requests == [
        {
            "model": "hello",
            "messages": MESSAGES,
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": 0,
            "seed": 5,
            "tools": TOOLS,
            "metadata": {"voicebench_call": "c1"},
        }
    ]
    assert server.received.headers[-1]["authorization"] == f"Bearer {KEY}"


def test_a_foreign_endpoint_gets_no_metadata(server: Server) -> None:
    ask(server.url, "hello")
    assert "metadata" not in server.received.requests[-1]


def test_usage_goes_into_the_span_cached_tokens_too(server: Server) -> None:
    attributes = ask(server.url, "hello").spans[0]["attributes"]
    assert attributes["gen_ai.usage.input_tokens"] == 120
    assert attributes["gen_ai.usage.output_tokens"] == 9
    assert attributes["gen_ai.usage.cached_tokens"] == 64
    assert (attributes["gen_ai.request.model"], attributes["agent"]) == ("hello", "orders")


def test_without_usage_the_tokens_are_unknown(server: Server) -> None:
    attributes = ask(server.url, "no-usage").spans[0]["attributes"]
    names = ("input", "output", "cached")
    assert [attributes[f"gen_ai.usage.{name}_tokens"] for name in names] == [None, None, None]


def test_ttft_and_ttfat_are_exact() -> None:
    played = Played(
        [
            (0.125, chunk(role="assistant", content="")),
            (0.25, chunk(reasoning_content="The caller greets.")),
            (0.75, chunk(content="Hello.")),
            (1.5, END),
        ]
    )
    asked = ask(played, charge="wall")
    [span] = asked.spans
    assert (span["attributes"]["ttft_ms"], span["attributes"]["ttfat_ms"]) == (250.0, 750.0)
    assert (span["start_ns"], span["end_ns"]) == (10 * 10**9, 11_500_000_000)
    assert asked.heard == [(10.75, Delta("Hello."))]


def test_a_tool_call_is_an_answer_and_a_role_is_no_token() -> None:
    played = Played(
        [
            (0.125, chunk(role="assistant", content="")),
            (0.5, chunk(tool_calls=[piece(0, "{}", id="x", name="get_order")])),
            (0.625, END),
        ]
    )
    attributes = ask(played, charge="wall").spans[0]["attributes"]
    assert (attributes["ttft_ms"], attributes["ttfat_ms"]) == (500.0, 500.0)


def test_an_empty_answer_has_no_ttft_and_is_no_failure(server: Server) -> None:
    asked = ask(server.url, "empty")
    assert (asked.heard, asked.failure, asked.spans[0]["attributes"]["ttft_ms"]) == ([], None, None)


def test_a_stream_that_is_closed_early_says_what_was_delivered() -> None:
    played = Played([(0.5, chunk(content="One ")), (1.0, chunk(content="two ")), (1.5, END)])
    asked = ask(played, charge="wall", stop_after=1)
    [exchange] = lines_of(asked.context.exchanges)
    assert (exchange["delivered"], len(exchange["chunks"])) == (1, 5)
    assert asked.spans[0]["end_ns"] == 10_500_000_000


@pytest.mark.parametrize(
    ("status", "retryable"),
    [(400, False), (401, False), (403, False), (404, False), (408, True), (429, True), (500, True), (503, True)],
)
def test_a_status_becomes_a_provider_error(server: Server, status: int, retryable: bool) -> None:
    asked = ask(server.url, str(status))
    assert isinstance(asked.failure, ProviderError)
    assert (asked.failure.status, asked.failure.retryable) == (status, retryable)
    assert f"model '{status}' at {server.url} answered {status}: " in str(asked.failure)
    exchange = lines_of(asked.context.exchanges)[-1]
    assert exchange["status"] == status
    assert "No, Bearer [redacted]." in exchange["chunks"][0]["data"]


@pytest.mark.parametrize("model", ["not-json", "not-an-object", "odd-choices", "odd-arguments"])
def test_garbage_becomes_a_provider_error(server: Server, model: str) -> None:
    asked = ask(server.url, model)
    assert isinstance(asked.failure, ProviderError)
    assert (asked.failure.status, asked.failure.retryable) == (None, False)
    assert "no chat completion" in str(asked.failure)


@pytest.mark.parametrize("model", ["cut", "stops", "error-event", "page"])
def test_a_response_that_breaks_off_becomes_a_provider_error(server: Server, model: str) -> None:
    asked = ask(server.url, model)
    assert isinstance(asked.failure, ProviderError)
    assert (asked.failure.status, asked.failure.retryable) == (None, True)


def test_a_stream_whose_end_is_marked_is_whole_without_a_reason(server: Server) -> None:
    asked = ask(server.url, "no-finish")
    assert (asked.text, asked.failure) == ("Hello.", None)


def test_a_server_that_is_not_there_becomes_a_provider_error_that_says_where() -> None:
    with deaf_port() as port:
        url = f"http://127.0.0.1:{port}/v1"
        asked = ask(url)
    assert isinstance(asked.failure, ProviderError)
    assert asked.failure.retryable
    assert url in str(asked.failure)
    assert asked.spans[0]["attributes"]["error"] == "ConnectError: All connection attempts failed"


def test_a_parameter_that_the_client_does_not_know_is_a_wrong_configuration() -> None:
    asked = ask("http://127.0.0.1:9/v1", params={"temprature": 0})
    assert isinstance(asked.failure, ConfigError)
    assert "temprature" in str(asked.failure)


@pytest.mark.parametrize("model", ["hello", "parallel", "401", "429", "cut", "error-event", "not-json"])
def test_what_is_written_holds_no_secret_and_nothing_that_differs_between_equal_calls(
    server: Server, model: str
) -> None:
    first, second = ask(server.url, model, times=2), ask(server.url, model, times=2)
    assert first.written == second.written
    assert KEY not in first.written
    assert KEY not in str(first.failure)
    port = server.url.removesuffix("/v1").rpartition(":")[2]
    port_alone = rf"(?<!\d){port}(?!\d)"  # any port's digits may stand within a time in nanoseconds
    assert not re.search(rf'{port_alone}|127\.0\.0\.1|chatcmpl-9|"created|\\"created', first.written)


def test_half_an_emoji_can_be_written() -> None:
    asked = ask(Played([(0.5, chunk(content="Hi \ud83d")), (0.6, END)]), charge="wall")
    assert (asked.text, asked.failure) == ("Hi ?", None)
    assert "Hi ?" in asked.written
