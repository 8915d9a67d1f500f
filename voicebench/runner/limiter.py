"""How many calls may ask a provider at a time, and how long it is left alone after a failure."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from voicebench.config import Pipeline, read_key
from voicebench.config.addresses import shown_address
from voicebench.config.models import Served
from voicebench.config.profiles import is_local, is_local_caller
from voicebench.llm import Party
from voicebench.record.exchanges import Exchange, LlmExchange, RealtimeExchange

__all__ = ["Generations", "Limiter", "Limiters", "ProviderFailure", "limiters_of"]

Generations = tuple[int, ...]
"""The generation of each limiter at one instant."""

_FIRST_COOLDOWN_S = 0.5
_LONGEST_COOLDOWN_S = 60.0
_TOO_MANY = 429
_SERVER_ERROR = 500


@dataclass(frozen=True)
class ProviderFailure:
    """A provider failed requests of a call.

    Attributes:
        reason: the last failure, as ``429``.
        asked_s: the longest wait that it asked for (``Retry-After``), seconds; 0 if it asked for none.
    """

    reason: str
    asked_s: float

    @classmethod
    def of(cls, exchanges: Iterable[Exchange]) -> Self | None:
        """Return what failed in a call: too many requests, a server's error, or an answer that broke off."""
        failed, lost = list[LlmExchange](), list[RealtimeExchange]()
        for exchange in exchanges:
            if isinstance(exchange, LlmExchange) and (_is_overload(exchange) or exchange.error is not None):
                failed.append(exchange)
            elif isinstance(exchange, RealtimeExchange) and exchange.direction == "failed":
                lost.append(exchange)
        if failed:
            last = failed[-1]
            reason = str(last.status if _is_overload(last) else last.error)
            return cls(reason, max(exchange.retry_after_ms for exchange in failed) / 1000)
        if lost:  # a realtime service has no Retry-After: its failures are events of the session
            event = lost[-1].event
            return cls(str(event["status"] or event["message"]), 0.0)
        return None


def _is_overload(exchange: LlmExchange) -> bool:
    """Whether the status blames the server; another error of the request itself would come again after any wait."""
    return exchange.status is not None and (exchange.status == _TOO_MANY or exchange.status >= _SERVER_ERROR)


class Limiter:
    """Decides when the next call of one provider key may start.

    Calls in flight are limited as TCP limits packets (additive increase, multiplicative decrease): a failure halves
    their number, a call without one adds a part of one. After a failure nothing starts for as long as the provider
    asked, or else for half a second, doubled each time until a call goes well, a minute at most.

    Args:
        provider: its address or model, for messages.
        now_s: seconds from any origin.

    Attributes:
        max_concurrency: how many calls may be in flight; a part of one counts once it is whole.
        generation: how often ``max_concurrency`` was halved.
        reason: why nothing may start, if nothing may.
    """

    def __init__(self, provider: str, now_s: Callable[[], float] = time.perf_counter) -> None:
        self.provider = provider
        self.max_concurrency = math.inf
        self.generation = 0
        self.reason = ""
        self._now_s = now_s
        self._cooldown_from_s = 0.0
        self._cooldown_until_s = 0.0
        self._in_a_row = 0

    def cooldown_s(self) -> float:
        """Return for how many seconds no call may start."""
        return max(0.0, self._cooldown_until_s - self._now_s())

    def cooled_s(self) -> float:
        """Return for how many seconds none could start."""
        return self._now_s() - self._cooldown_from_s

    def has_room(self, in_flight: int) -> bool:
        """Return whether one more call may be in flight; the first always may."""
        return in_flight <= self.max_concurrency - 1 or in_flight == 0

    def call_ended(self, failure: ProviderFailure | None, in_flight: int, generation: int) -> None:
        """Adjust the limit after a call.

        Args:
            failure: what failed in it.
            in_flight: how many calls there were, itself included.
            generation: the limiter's when the call started.
        """
        if failure is None:
            self._in_a_row = 0
            # A whole call more once as many calls have gone well as may be in flight: TCP's congestion avoidance.
            self.max_concurrency += 1 / self.max_concurrency
            return
        # All calls in flight meet the same overload. Only the first of them halves: the others were started before.
        if generation == self.generation:
            self.max_concurrency = max(1.0, min(self.max_concurrency, in_flight) / 2)
            self.generation += 1
            self._in_a_row += 1
        doubled_s = _FIRST_COOLDOWN_S * 2 ** max(0, self._in_a_row - 1)
        cooldown_s = failure.asked_s or min(_LONGEST_COOLDOWN_S, doubled_s)
        # Several failures in one cooldown lengthen it, and it is reported as one wait.
        if self.cooldown_s() == 0:
            self._cooldown_from_s = self._now_s()
        self._cooldown_until_s = max(self._cooldown_until_s, self._now_s() + cooldown_s)
        self.reason = failure.reason


class Limiters:
    """The limiters of all providers that a call needs: it starts when each of them has room.

    Args:
        limiters: one for each provider key.
        serves: the place among them of the limiter of each party's requests.
    """

    def __init__(self, limiters: Sequence[Limiter], serves: Mapping[Party, int]) -> None:
        self._limiters = list(limiters)
        self._serves = dict(serves)

    @property
    def generations(self) -> Generations:
        """The generation of each limiter; a call keeps those in which it is started."""
        return tuple(limiter.generation for limiter in self._limiters)

    def has_room(self, in_flight: int) -> bool:
        """Return whether one more call may be in flight."""
        return all(limiter.has_room(in_flight) for limiter in self._limiters)

    def cooling(self) -> Limiter | None:
        """Return the limiter whose cooldown ends last; None if no provider is cooling down."""
        longest = max(self._limiters, key=Limiter.cooldown_s)
        return longest if longest.cooldown_s() > 0 else None

    def call_ended(self, exchanges: Iterable[Exchange], in_flight: int, generations: Generations) -> None:
        """Adjust the limits after a call.

        Args:
            exchanges: its exchanges.
            in_flight: how many calls there were, itself included.
            generations: the limiters' when the call started.
        """
        by_limiter: list[list[Exchange]] = [[] for _ in self._limiters]
        for exchange in exchanges:
            party = exchange.party if isinstance(exchange, LlmExchange) else "agent"
            by_limiter[self._serves.get(party, 0)].append(exchange)
        for limiter, own, generation in zip(self._limiters, by_limiter, generations, strict=True):
            limiter.call_ended(ProviderFailure.of(own), in_flight, generation)


def limiters_of(pipeline: Pipeline) -> Limiters:
    """Return the limiters of a pipeline's models: one a provider key, so that agent and caller may share theirs."""
    agent, caller = pipeline.agent.served, pipeline.caller.llm
    served: list[tuple[Party, Served, bool]] = [("agent", agent, is_local(agent.model, agent.base_url))]
    if pipeline.caller.kind == "llm":
        served.append(("caller", caller, is_local_caller(caller.model, caller.base_url)))
    names: dict[tuple[str, str | None], str] = {}
    keys: dict[Party, tuple[str, str | None]] = {}
    for party, model, local in served:
        keys[party] = (model.model, None) if local else (model.base_url or "", read_key(model.api_key_env))
        names.setdefault(keys[party], shown_address(model.base_url) if model.base_url else model.model)
    places = list(names)
    return Limiters([Limiter(name) for name in names.values()], {party: places.index(keys[party]) for party in keys})
