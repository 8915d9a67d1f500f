"""How many calls a provider bears at a time, and when it wants to be left alone."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from voicebench.config import Pipeline, read_key
from voicebench.config.models import Served
from voicebench.config.profiles import is_local, is_local_caller
from voicebench.llm import Party

__all__ = ["Limiter", "Limiters", "Trouble", "limiters_of"]

Eras = tuple[int, ...]

_FIRST_REST_S = 0.5
_LONGEST_REST_S = 60.0
_TOO_MANY = 429
_SERVER_ERROR = 500


@dataclass(frozen=True)
class Trouble:
    """That a provider failed a call's requests.

    Attributes:
        reason: the last failure, as ``429``.
        asked_s: the longest rest that it asked for (``Retry-After``), seconds; 0 if it asked for none.
    """

    reason: str
    asked_s: float

    @classmethod
    def of(cls, exchanges: Iterable[dict[str, Any]]) -> Self | None:
        """Return what the requests of a call met: too many of them, a server's error, or no whole answer.

        Args:
            exchanges: lines of ``exchanges.jsonl``.
        """
        lines = list(exchanges)
        failed = [line for line in lines if line["kind"] == "llm" and _failed(line)]
        if not failed:
            return cls._of_session(lines)
        last = failed[-1]
        reason = str(last["status"]) if last["status"] >= _TOO_MANY else str(last["error"])
        return cls(reason, max(line.get("retry_after_ms") or 0.0 for line in failed) / 1000)

    @classmethod
    def _of_session(cls, lines: Iterable[dict[str, Any]]) -> Self | None:
        """Return what a realtime session failed of; such a service asks for no rest."""
        events = [line["event"] for line in lines if line["kind"] == "realtime" and line["direction"] == "failed"]
        return cls(str(events[-1]["status"] or events[-1]["message"]), 0.0) if events else None


def _failed(line: dict[str, Any]) -> bool:
    status = line["status"]
    return status == _TOO_MANY or status >= _SERVER_ERROR or line["error"] is not None


class Limiter:
    """Decides when the next call of one provider key may start.

    Calls in flight are limited as TCP limits packets: trouble halves their number, each call without it adds a part of
    one. After trouble nothing starts for as long as the provider asked, or else for half a second, doubled each time
    until a call goes well, a minute at most.

    Args:
        provider: whom it is about.
        now_s: seconds from any origin.

    Attributes:
        reason: why it rests.
    """

    def __init__(self, provider: str, now_s: Callable[[], float] = time.perf_counter) -> None:
        self.provider = provider
        self.reason = ""
        self._now_s = now_s
        self._most = math.inf
        self._rest_since_s = 0.0
        self._rest_until_s = 0.0
        self._in_a_row = 0
        self._halved = 0

    @property
    def most(self) -> float:
        """How many calls may be in flight; a part of one counts once it is whole, and one is always allowed."""
        return self._most

    @property
    def era(self) -> int:
        """How often the number was halved; a call is started in one era and heard of in the same or a later one."""
        return self._halved

    def rest_s(self) -> float:
        """Return for how many seconds no call may start."""
        return max(0.0, self._rest_until_s - self._now_s())

    def rested_s(self) -> float:
        """Return for how many seconds it has rested."""
        return self._now_s() - self._rest_since_s

    def has_room(self, in_flight: int) -> bool:
        """Return whether one more call may be in flight."""
        return in_flight <= self._most - 1 or in_flight == 0

    def heard(self, trouble: Trouble | None, in_flight: int, era: int) -> None:
        """Learn from a call that has ended.

        Args:
            trouble: what its requests met.
            in_flight: how many calls there were, itself included.
            era: in which it was started; those from before the last halving do not halve again.
        """
        if trouble is None:
            self._in_a_row = 0
            self._most += 1 / self._most
            return
        if era == self._halved:
            self._most = max(1.0, min(self._most, in_flight) / 2)
            self._halved += 1
            self._in_a_row += 1
        rest_s = trouble.asked_s or min(_LONGEST_REST_S, _FIRST_REST_S * 2 ** max(0, self._in_a_row - 1))
        if self.rest_s() == 0:
            self._rest_since_s = self._now_s()
        self._rest_until_s = max(self._rest_until_s, self._now_s() + rest_s)
        self.reason = trouble.reason


class Limiters:
    """The limiters of all providers that a call needs at once: it starts when each of them bears it.

    Args:
        limiters: one for each provider key.
        serves: whose requests go to which of them, as its place among them.
    """

    def __init__(self, limiters: Sequence[Limiter], serves: Mapping[Party, int]) -> None:
        self._limiters = list(limiters)
        self._serves = dict(serves)

    @property
    def eras(self) -> Eras:
        """The era of each limiter; a call keeps those in which it is started."""
        return tuple(limiter.era for limiter in self._limiters)

    def has_room(self, in_flight: int) -> bool:
        """Return whether one more call may be in flight."""
        return all(limiter.has_room(in_flight) for limiter in self._limiters)

    def resting(self) -> Limiter | None:
        """Return the one that rests for longest from now on; None if none rests."""
        longest = max(self._limiters, key=Limiter.rest_s)
        return longest if longest.rest_s() > 0 else None

    def heard(self, exchanges: Iterable[dict[str, Any]], in_flight: int, eras: Eras) -> None:
        """Learn from a call that has ended.

        Args:
            exchanges: lines of its ``exchanges.jsonl``.
            in_flight: how many calls there were, itself included.
            eras: in which it was started.
        """
        lines: list[list[dict[str, Any]]] = [[] for _ in self._limiters]
        for line in exchanges:
            lines[self._serves.get(line.get("party", "agent"), 0)].append(line)
        for limiter, own, era in zip(self._limiters, lines, eras, strict=True):
            limiter.heard(Trouble.of(own), in_flight, era)


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
        names.setdefault(keys[party], model.base_url or model.model)
    places = list(names)
    return Limiters([Limiter(name) for name in names.values()], {party: places.index(keys[party]) for party in keys})
