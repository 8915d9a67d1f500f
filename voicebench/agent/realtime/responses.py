"""One answer of a service, and what of it goes to the trace."""

from __future__ import annotations

from dataclasses import dataclass, field

from voicebench.agent.base import CallContext
from voicebench.agent.realtime.session import ServicePayload, token_usage
from voicebench.errors import ProviderError
from voicebench.packs.models import AgentSpec
from voicebench.record.spans import LlmSpan

__all__ = ["ServiceResponse", "failure_of_response"]


@dataclass
class ServiceResponse:
    """One response.

    Attributes:
        name: the service's.
        agent: who was active in the session when it began.
        start_ns: call time at which it was asked for: our request, or the end of the caller's turn.
        greeting: whether it speaks the pack's greeting, which is in no latency.
        farewell: whether a transfer to a person came before it, so that it is the last.
        cut: whether the caller spoke over it, or the call was over: nothing more of it is played.
        first_ns: call time of its first content; None before.
        first_audio_ns: of its first audio.
        items: names of its messages.
        done: whether it has ended.
    """

    name: str
    agent: AgentSpec
    start_ns: int
    greeting: bool = False
    farewell: bool = False
    cut: bool = False
    first_ns: int | None = None
    first_audio_ns: int | None = None
    items: list[str] = field(default_factory=list)
    done: bool = False

    def touch(self, now_ns: int, *, audio: bool = False) -> None:
        """Note that content has come."""
        self.first_ns = now_ns if self.first_ns is None else self.first_ns
        if audio and self.first_audio_ns is None:
            self.first_audio_ns = now_ns

    def trace(self, context: CallContext, model: str, payload: ServicePayload) -> None:
        """Write the span ``llm``, once the response has ended.

        Args:
            context: of the call.
            model: name of the model.
            payload: the response as its last event has it.
        """
        details = payload.get("status_details") or {}

        def since_ms(at_ns: int | None) -> float | None:
            return None if at_ns is None or self.greeting else round(max(0, at_ns - self.start_ns) / 1e6, 3)

        context.tracer.add(
            LlmSpan(
                start_ns=self.start_ns,
                end_ns=max(context.now_ns(), self.start_ns),
                operation="realtime",
                model=model,
                finish_reasons=(str(details.get("reason") or payload.get("status") or "unknown"),),
                **token_usage(payload.get("usage")),
                ttft_ms=since_ms(self.first_ns),
                ttfat_ms=since_ms(self.first_ns),
                first_audio_ms=since_ms(self.first_audio_ns),
                agent=self.agent.name,
                greeting=self.greeting,
                error=(details.get("error") or {}).get("message"),
            )
        )


def failure_of_response(payload: ServicePayload) -> ProviderError:
    """Return what a response with the status ``failed`` says."""
    error = (payload.get("status_details") or {}).get("error") or {}
    code = error.get("code") or error.get("type") or "no reason given"
    text = f"a response failed: {error.get('message') or 'the service says no more'} ({code})"
    status = 429 if code == "rate_limit_exceeded" else None
    return ProviderError(text, retryable=True, status=status)
