"""Whether the agent's service had begun to answer a call, and whether its failure broke the call off."""

from __future__ import annotations

import json
from collections.abc import Iterable

from voicebench.errors import REFUSALS
from voicebench.record.exchanges import Exchange, LlmExchange, RealtimeExchange

__all__ = ["refused_status", "service_began_s", "service_failed"]

_FIRST_ERROR_STATUS = 400


def service_began_s(exchanges: Iterable[Exchange]) -> float | None:
    """Return when the agent's service began to answer, seconds of call time; None if it never did.

    A language model begins with the first chunk of an answer to any request: a refusal is none. A realtime service
    begins with the first event after ``session.updated``.
    """
    began_ns: list[int] = []
    is_set_up = False
    for one in exchanges:
        if isinstance(one, LlmExchange) and one.party == "agent" and not _is_refused(one):
            answered = (one.start_ns + chunk.offset_ns for chunk in one.chunks if _is_answer(chunk.data))
            began_ns.append(next(answered, -1))
        elif isinstance(one, RealtimeExchange) and one.direction == "received":
            began_ns += [one.at_ns] if is_set_up else []
            is_set_up = is_set_up or one.event.get("type") == "session.updated"
    return min((at_ns / 1e9 for at_ns in began_ns if at_ns >= 0), default=None)


def refused_status(exchanges: Iterable[Exchange]) -> int | None:
    """Return the HTTP status with which the agent's service refused the last request for good; None if it did not."""
    last = [one for one in exchanges if isinstance(one, LlmExchange) and one.party == "agent"][-1:]
    return next((one.status for one in last if one.status in REFUSALS), None)


def service_failed(exchanges: Iterable[Exchange]) -> bool:
    """Whether the last request to the agent's service was refused or broke off, or its session was lost."""
    last: LlmExchange | None = None
    for one in exchanges:
        if isinstance(one, RealtimeExchange) and one.direction == "failed":
            return True
        if isinstance(one, LlmExchange) and one.party == "agent":
            last = one
    return last is not None and (last.error is not None or _is_refused(last))


def _is_refused(exchange: LlmExchange) -> bool:
    return not exchange.status or exchange.status >= _FIRST_ERROR_STATUS


def _is_answer(data: str) -> bool:
    """Whether a chunk is part of an answer: it has a choice, which errors inside a stream have not."""
    try:
        chunk = json.loads(data)
    except ValueError:
        return False
    return isinstance(chunk, dict) and bool(chunk.get("choices"))
