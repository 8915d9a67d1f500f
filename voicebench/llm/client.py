"""A language model, reached through the ``openai`` client over the call's clock."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from voicebench.clock import ChargedTransport, Fetching, HttpExchange, run_job, sleep
from voicebench.config.addresses import REDACTED, secrets_in, shown_address
from voicebench.config.charges import FREE, Charge
from voicebench.errors import ConfigError, ProviderError
from voicebench.llm.retries import asked_wait_s, wait_before_retry
from voicebench.record.base import Party, token_count
from voicebench.record.exchanges import LlmExchange, StreamChunk
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.spans import LlmSpan
from voicebench.store import Exchanges, Tracer

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall

__all__ = ["Delta", "LlmClient", "LlmTarget", "ToolCall", "answer_ending", "counted_tokens"]

_GARBAGE = (ValueError, TypeError, AttributeError, KeyError)
"""What reading a chunk raises when it is no chat completion."""
_DONE = "[DONE]"
_END: Any = object()
_TRY = "x-stainless-retry-count"
"""The client's own header for the number of earlier tries; it would count only its own."""
_SHORTEST_KEY = 8
"""Shorter keys are placeholders; removing them would tear up ordinary text."""


if TYPE_CHECKING:
    _Request = partial[Awaitable[AsyncStream[ChatCompletionChunk]]]


@dataclass(frozen=True)
class LlmTarget:
    """Which model is called where.

    Attributes:
        model: name that the endpoint knows.
        base_url: of the endpoint; None is the client's default.
        api_key: secret, never stored.
        params: sampling parameters, passed on as they are.
        timeout_s: wall seconds without a first byte.
        own: whether the harness started that endpoint itself, so that it may be sent what a party has to know.
        metadata: sent with each request, and only to an endpoint of our own.
    """

    model: str
    base_url: str | None
    api_key: str = field(repr=False)
    params: JsonObject = field(default_factory=dict)
    timeout_s: float = 30.0
    own: bool = False
    metadata: dict[str, str] | None = None

    @property
    def where(self) -> str:
        """The address in words, without the secrets in it."""
        return shown_address(self.base_url) if self.base_url else "the default base URL"

    def without_key(self, text: str) -> str:
        """Return the text with the key and the secrets of the address taken out; servers like to repeat them."""
        for secret in (self.api_key, *secrets_in(self.base_url)):
            if len(secret) >= _SHORTEST_KEY:
                text = text.replace(secret, REDACTED)
        return text


@dataclass(frozen=True)
class ToolCall:
    """A tool call as the model wrote it; ``arguments`` is the text that should be JSON."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Delta:
    """One piece of a streamed answer: text, or a finished tool call."""

    text: str = ""
    call: ToolCall | None = None


class Journal(Protocol):
    """Where a client writes to; the context of a call is one."""

    @property
    def tracer(self) -> Tracer:
        """Gets a span ``llm`` for each try of a request."""
        ...

    @property
    def exchanges(self) -> Exchanges:
        """Gets each try of a request with its answer."""
        ...

    @property
    def now_ns(self) -> Callable[[], int]:
        """The call's clock."""
        ...


class LlmClient:
    """Streams chat completions, and writes each request, and each try of one, to the trace and to the exchanges.

    Args:
        target: which model is called where.
        charge: what a request costs on the call's clock.
        context: where requests are written to.
        party: whose model it is. What the caller's model takes is no part of the call, so that its waits before a retry
            pass in wall time, while the call's clock stands still.
        inner: what really sends; httpx2's own transport by default.
        stopwatch: wall seconds from any origin; tests give their own.
        fetcher: what brings recorded responses instead of the network, in a replay.
    """

    def __init__(
        self,
        target: LlmTarget,
        charge: Charge,
        context: Journal,
        *,
        party: Party = "agent",
        inner: httpx2.AsyncBaseTransport | None = None,
        stopwatch: Callable[[], float] = time.perf_counter,
        fetcher: Fetching | None = None,
    ) -> None:
        self._target = target
        self._context = context
        self._party = party
        self._agent = ""
        self._whole = False
        self._asked_ns = 0
        self._retries = 0
        self._transport = ChargedTransport(
            charge=charge,
            inner=inner,
            on_exchange=self._on_exchange,
            timeout_s=target.timeout_s,
            stopwatch=stopwatch,
            fetcher=fetcher,
        )
        self._client: AsyncOpenAI | None = None

    async def stream(
        self, messages: list[JsonObject], tools: list[JsonObject], agent: str
    ) -> AsyncGenerator[Delta, None]:
        """Stream the answer to ``messages``: text as it comes, then the calls.

        A request that fails before its first byte is sent again while that costs under 500 ms in all.

        Raises:
            ProviderError: no answer, one that broke off, or one that is not of the protocol.
            ConfigError: a sampling parameter that the client does not know.
        """
        import openai

        self._agent = agent
        self._whole = False
        calls = _Calls()
        try:
            stream, chunk = await self._ask(messages, tools)
            async with stream:
                while chunk is not _END:
                    delta = chunk.choices[0].delta if chunk.choices else None
                    if delta is not None and delta.content:
                        yield Delta(text=_writable(delta.content))
                    for piece in (delta and delta.tool_calls) or []:
                        calls.add(piece)
                    chunk = await anext(stream, _END)
        except openai.OpenAIError as error:
            raise self._failure(error) from error
        except _GARBAGE as error:
            raise self._error(f"sent what is no chat completion: {type(error).__name__}: {error}") from error
        if not self._whole:
            raise self._error("broke off in the middle of its answer", retryable=True)
        for call in calls.finished():
            yield Delta(call=call)

    async def _ask(
        self, messages: list[JsonObject], tools: list[JsonObject]
    ) -> tuple[AsyncStream[ChatCompletionChunk], ChatCompletionChunk]:
        """Send the request, and again if there is time for it; return the stream and its first chunk."""
        import openai

        request = self._request(messages, tools)
        start_ns = self._asked_ns = self._context.now_ns()
        self._retries = 0
        while True:
            try:
                return await self._try(request)
            except (openai.APIStatusError, openai.APIConnectionError) as error:
                spent_s = (self._context.now_ns() - start_ns) / 1e9
                headers = error.response.headers if isinstance(error, openai.APIStatusError) else {}
                wait_s = wait_before_retry(self._retries, spent_s, headers)
                failure = self._failure(error)
                if wait_s is None or not failure.retryable:
                    raise failure from error
            # A wait for the agent's model is part of the call; one for the caller's passes while the call's clock
            # stands still, as the request itself does.
            if self._party == "agent":
                await sleep(wait_s)
            else:
                await run_job(partial(time.sleep, wait_s), charge=FREE, name="caller.llm")
            self._retries += 1

    def _request(self, messages: list[JsonObject], tools: list[JsonObject]) -> _Request:
        request: JsonObject = {
            "model": self._target.model,
            "messages": [*messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._target.params,
        }
        if tools:
            request["tools"] = [*tools]
        if self._target.metadata is not None:
            request["metadata"] = {**self._target.metadata}
        if self._client is None:
            import httpx2
            from openai import AsyncOpenAI

            # No retries of the client's own: it would wait on the machine's clock, which is not the call's.
            self._client = AsyncOpenAI(
                base_url=self._target.base_url,
                api_key=self._target.api_key,
                max_retries=0,
                http_client=httpx2.AsyncClient(transport=self._transport),
            )
        return partial(self._client.chat.completions.create, **request)

    async def _try(self, request: _Request) -> tuple[AsyncStream[ChatCompletionChunk], ChatCompletionChunk]:
        headers = {**(request.keywords.get("extra_headers") or {}), _TRY: str(self._retries)}
        try:
            stream = await request(extra_headers=headers)
        except TypeError as error:
            raise ConfigError(f"{self._party}.llm.params: the client does not take them: {error}") from error
        return stream, await anext(stream, _END)  # a TypeError here is the server's: it sent no chat completion

    def _failure(self, error: Exception) -> ProviderError:
        """Say which model failed where, and how."""
        import openai

        if isinstance(error, openai.APIStatusError):
            status = error.status_code
            retryable = status in (408, 409, 429) or status >= 500
            return self._error(f"answered {status}: {error.message[:300]}", retryable=retryable, status=status)
        cause = f" ({error.__cause__})" if error.__cause__ is not None else ""
        return self._error(f"failed: {error}{cause}", retryable=True)

    def _error(self, text: str, *, retryable: bool = False, status: int | None = None) -> ProviderError:
        whose = "the caller's " if self._party == "caller" else ""
        where = f"{whose}model {self._target.model!r} at {self._target.where}"
        tries = f" (tried {self._retries + 1} times)" if self._retries else ""
        message = self._target.without_key(f"{where} {text}{tries}")
        return ProviderError(message, retryable=retryable, status=status, party=self._party)

    def _on_exchange(self, exchange: HttpExchange) -> None:
        usage, finish = answer_ending(event.data for event in exchange.events)
        # A connection that is closed early looks like the end of an answer; only a finish reason or [DONE] says that
        # all of it came. What the transport has cut by itself (an endless answer) is not the server's failure.
        self._whole = bool(finish) or exchange.truncated or any(event.data == _DONE for event in exchange.events)
        # The span ends with what was delivered: what came after an interruption was never read.
        error = None if exchange.error is None else _writable(self._target.without_key(exchange.error))
        # A caller waits from the first try on, so that is where the time to the first token begins.
        waited_ns = exchange.start_ns - self._asked_ns if self._retries else 0
        span = LlmSpan(
            start_ns=exchange.start_ns,
            end_ns=exchange.start_ns + max((e.offset_ns for e in exchange.events[: exchange.delivered]), default=0),
            operation="chat",
            model=self._target.model,
            finish_reasons=tuple(finish),
            input_tokens=counted_tokens(usage.get("prompt_tokens"), exchange.first_token_ns),
            output_tokens=counted_tokens(usage.get("completion_tokens"), exchange.first_token_ns),
            cached_tokens=token_count(_mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
            ttft_ms=_ms(exchange.first_token_ns, waited_ns),
            ttfat_ms=_ms(exchange.first_answer_ns, waited_ns),
            party=self._party,
            agent=self._agent,
            retries=self._retries,
            error=error,
        )
        if self._retries:
            span = span.model_copy(update={"waited_ms": round(waited_ns / 1e6, 3)})
        span_id = self._context.tracer.add(span)
        self._context.exchanges.add(
            LlmExchange(
                party=self._party,
                span_id=span_id,
                start_ns=exchange.start_ns,
                request=exchange.request,
                status=exchange.status,
                streamed=exchange.streamed,
                head_ns=exchange.head_ns,
                retry_after_ms=round(asked_wait_s(exchange.headers) * 1e3, 6),
                error=error,
                error_ns=exchange.error_ns,
                delivered=exchange.delivered,
                truncated=exchange.truncated,
                chunks=tuple(
                    StreamChunk(offset_ns=event.offset_ns, data=_writable(self._target.without_key(event.data)))
                    for event in exchange.events
                ),
            )
        )

    async def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            await self._client.close()


class _Calls:
    """Tool calls, put together from the pieces in which they are streamed."""

    def __init__(self) -> None:
        self._calls: list[list[str]] = []
        self._open: dict[int, list[str]] = {}

    def add(self, piece: ChoiceDeltaToolCall) -> None:
        """Add a piece to the call with its index; another id under the same index is another call."""
        # Some servers number every call 0 and only give each an id of its own.
        call = self._open.get(piece.index)
        if call is None or (piece.id and piece.id != call[0]):
            call = self._open[piece.index] = [piece.id or "", "", ""]
            self._calls.append(call)
        if piece.function is not None:
            call[1] += piece.function.name or ""
            call[2] += piece.function.arguments or ""

    def finished(self) -> list[ToolCall]:
        """Return the calls in the order in which they began."""
        return [ToolCall(call_id, name, _writable(arguments)) for call_id, name, arguments in self._calls]


def answer_ending(chunks: Iterable[str]) -> tuple[JsonObject, list[str]]:
    """Return what the chunks of an answer say of its tokens, and why it ended; both empty if they say nothing."""
    usage: JsonObject = {}
    finish: list[str] = []
    for chunk in chunks:
        try:
            data = _mapping(json.loads(chunk))
        except ValueError:
            continue
        # Some servers send a running usage with each chunk: the last one counts.
        usage = _mapping(data.get("usage")) or usage
        choices = data.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            reason = _mapping(choice).get("finish_reason")
            finish += [reason] if isinstance(reason, str) else []
    return usage, finish


def counted_tokens(count: JsonValue, first_token_ns: int | None) -> int | None:
    """Return a count of tokens; zero is unknown where tokens came, since some servers write it instead of nothing."""
    return None if first_token_ns is not None and count == 0 else token_count(count)


def _mapping(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _writable(text: str) -> str:
    """Replace lone surrogates, which JSON may bring and UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


def _ms(offset_ns: int | None, waited_ns: int) -> float | None:
    return None if offset_ns is None else round((waited_ns + offset_ns) / 1e6, 3)
