"""The language model under test, reached through the ``openai`` client over the call's clock."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from voicebench.agent.base import CallContext
from voicebench.agent.conversation import Delta
from voicebench.agent.desk import ToolCall
from voicebench.clock import ChargedTransport, HttpExchange
from voicebench.config.charges import Charge
from voicebench.errors import ProviderError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["LlmClient", "LlmTarget"]


@dataclass(frozen=True)
class LlmTarget:
    """Which model is called where.

    Attributes:
        model: name that the endpoint knows.
        base_url: of the endpoint; None is the client's default.
        api_key: secret, never stored.
        params: sampling parameters, passed on as they are.
        timeout_s: wall seconds without a first byte.
        metadata: sent with each request, and only to an endpoint that the harness started itself.
    """

    model: str
    base_url: str | None
    api_key: str = field(repr=False)
    params: dict[str, Any] = field(default_factory=dict)
    timeout_s: float = 30.0
    metadata: dict[str, str] | None = None


class LlmClient:
    """Streams chat completions, and writes each request to the trace and to the exchanges."""

    def __init__(self, target: LlmTarget, charge: Charge, context: CallContext) -> None:
        self._target = target
        self._context = context
        self._agent = ""
        self._transport = ChargedTransport(charge=charge, timeout_s=target.timeout_s, on_exchange=self._on_exchange)
        self._client: AsyncOpenAI | None = None

    def _connect(self) -> AsyncOpenAI:
        if self._client is None:
            import httpx2
            from openai import AsyncOpenAI

            self._client = AsyncOpenAI(
                base_url=self._target.base_url,
                api_key=self._target.api_key,
                max_retries=0,
                http_client=httpx2.AsyncClient(transport=self._transport),
            )
        return self._client

    async def stream(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], agent: str
    ) -> AsyncIterator[Delta]:
        """Stream the answer to ``messages``: text as it comes, then the calls.

        Raises:
            ProviderError: no answer, or one that is not of the protocol.
        """
        import openai

        self._agent = agent
        request: dict[str, Any] = {
            "model": self._target.model,
            "messages": messages,
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._target.params,
        }
        if tools:
            request["tools"] = tools
        if self._target.metadata is not None:
            request["metadata"] = self._target.metadata
        calls: dict[int, list[str]] = {}
        try:
            async with await self._connect().chat.completions.create(**request) as stream:
                async for chunk in stream:
                    delta = chunk.choices[0].delta if chunk.choices else None
                    if delta is not None and delta.content:
                        yield Delta(text=delta.content)
                    for piece in (delta and delta.tool_calls) or []:
                        _gather(calls, piece)
        except (openai.OpenAIError, json.JSONDecodeError) as error:
            raise self._failure(error) from error
        for call_id, name, arguments in calls.values():
            yield Delta(call=ToolCall(call_id, name, arguments))

    def _failure(self, error: Exception) -> ProviderError:
        import openai

        where = f"model {self._target.model!r} at {self._target.base_url or 'the default base URL'}"
        if isinstance(error, openai.APIStatusError):
            status = error.status_code
            text = f"{where} answered {status}: {str(error.message)[:300]}"
            return ProviderError(text, retryable=status in (408, 409, 429) or status >= 500, status=status)
        if isinstance(error, json.JSONDecodeError):
            return ProviderError(f"{where} sent a chunk that is not JSON: {error}")
        return ProviderError(f"{where} failed: {error}", retryable=True)

    def _on_exchange(self, exchange: HttpExchange) -> None:
        end_ns = exchange.start_ns + max((e.offset_ns for e in exchange.events[: exchange.delivered]), default=0)
        attributes = _attributes(exchange, self._target.model, self._agent)
        span_id = self._context.tracer.span("llm", exchange.start_ns, end_ns, **attributes)
        self._context.exchanges.add(
            "llm",
            span_id=span_id,
            start_ns=exchange.start_ns,
            request=exchange.request,
            status=exchange.status,
            error=exchange.error,
            delivered=exchange.delivered,
            truncated=exchange.truncated,
            chunks=[{"offset_ns": event.offset_ns, "data": event.data} for event in exchange.events],
        )

    async def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            await self._client.close()


def _gather(calls: dict[int, list[str]], piece: Any) -> None:
    call = calls.setdefault(piece.index, ["", "", ""])
    call[0] = piece.id or call[0]
    if piece.function is not None:
        call[1] += piece.function.name or ""
        call[2] += piece.function.arguments or ""


def _attributes(exchange: HttpExchange, model: str, agent: str) -> dict[str, Any]:
    usage: dict[str, Any] = {}
    finish: list[str] = []
    for event in exchange.events:
        try:
            data = json.loads(event.data)
        except json.JSONDecodeError:
            continue
        if not isinstance(data, dict):
            continue
        usage = data.get("usage") or usage
        finish += [choice["finish_reason"] for choice in data.get("choices") or [] if choice.get("finish_reason")]
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "gen_ai.response.finish_reasons": finish,
        "gen_ai.usage.input_tokens": usage.get("prompt_tokens"),
        "gen_ai.usage.output_tokens": usage.get("completion_tokens"),
        "gen_ai.usage.cached_tokens": cached,
        "ttft_ms": _ms(exchange.first_token_ns),
        "ttfat_ms": _ms(exchange.first_answer_ns),
        "agent": agent,
        "error": exchange.error,
    }


def _ms(offset_ns: int | None) -> float | None:
    return None if offset_ns is None else round(offset_ns / 1e6, 3)
