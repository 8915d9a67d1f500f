"""The limiter: how many calls a provider may have, and how long it is left alone."""

from __future__ import annotations

from typing import Literal

import pytest

from voicebench.config import load_pipeline
from voicebench.record.base import Party
from voicebench.record.exchanges import CallerTtsExchange, Exchange, LlmExchange, RealtimeExchange
from voicebench.record.json_types import JsonValue
from voicebench.runner.limiter import Limiter, ProviderFailure, limiters_of

pytestmark = pytest.mark.unit


SPOKEN = CallerTtsExchange(start_ns=0, text="Yes.", voice="heart", seed=1, samples=2, sha256="0")


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limiter(clock: Clock) -> Limiter:
    return Limiter("api.test", clock)


def line(
    status: int = 200, error: str | None = None, retry_after_ms: float = 0.0, party: Party = "agent"
) -> LlmExchange:
    return LlmExchange(
        party=party,
        span_id="s1",
        start_ns=0,
        request={},
        status=status,
        streamed=True,
        head_ns=0,
        retry_after_ms=retry_after_ms,
        error=error,
        error_ns=None,
        delivered=0,
        truncated=False,
        chunks=(),
    )


def session(direction: Literal["received", "failed"], **event: JsonValue) -> RealtimeExchange:
    return RealtimeExchange(direction=direction, at_ns=0, slot=0, event=event)


@pytest.mark.parametrize(
    ("lines", "failure"),
    [
        ([line(), SPOKEN], None),
        ([line(400), line(422)], None),
        ([line(429, retry_after_ms=2_000), line()], ProviderFailure("429", 2.0)),
        ([line(503), line(500)], ProviderFailure("500", 0.0)),
        ([line(0, "ReadTimeout: no byte came for 30 s")], ProviderFailure("ReadTimeout: no byte came for 30 s", 0.0)),
        ([line(200, "RemoteProtocolError: cut")], ProviderFailure("RemoteProtocolError: cut", 0.0)),
        ([session("received", status=None)], None),
        ([session("failed", status=429, message="slow down")], ProviderFailure("429", 0.0)),
        ([session("failed", status=None, message="the session is lost")], ProviderFailure("the session is lost", 0.0)),
    ],
)
def test_a_failure_is_what_the_exchanges_say(lines: list[Exchange], failure: ProviderFailure | None) -> None:
    assert ProviderFailure.of(lines) == failure


def test_without_failures_there_is_no_limit(limiter: Limiter) -> None:
    limiter.call_ended(None, 40, limiter.generation)
    assert limiter.has_room(1_000)
    assert limiter.cooldown_s() == 0


def test_a_failure_halves_the_calls_in_flight_once_for_all_that_were_started_before(limiter: Limiter) -> None:
    generation = limiter.generation
    for in_flight in (8, 7, 6):
        limiter.call_ended(ProviderFailure("429", 0.0), in_flight, generation)
    assert limiter.max_concurrency == 4
    assert limiter.has_room(3)
    assert not limiter.has_room(4)
    limiter.call_ended(ProviderFailure("429", 0.0), 4, limiter.generation)
    assert limiter.max_concurrency == 2


def test_one_call_is_always_allowed(limiter: Limiter) -> None:
    for _ in range(5):
        limiter.call_ended(ProviderFailure("429", 0.0), 1, limiter.generation)
    assert limiter.has_room(0)
    assert not limiter.has_room(1)


def test_calls_that_go_well_raise_the_limit_by_one_a_round(limiter: Limiter) -> None:
    limiter.call_ended(ProviderFailure("503", 0.0), 4, limiter.generation)
    for _ in range(2):
        limiter.call_ended(None, 2, limiter.generation)
    assert limiter.max_concurrency == pytest.approx(2.9)
    limiter.call_ended(None, 2, limiter.generation)
    assert limiter.has_room(2)


def test_the_cooldown_that_a_provider_asks_for_is_kept(limiter: Limiter, clock: Clock) -> None:
    limiter.call_ended(ProviderFailure("429", 20.0), 2, limiter.generation)
    clock.now_s += 5
    limiter.call_ended(ProviderFailure("429", 3.0), 2, 0)
    assert (limiter.cooldown_s(), limiter.cooled_s(), limiter.reason) == (15.0, 5.0, "429")
    clock.now_s += 15
    assert limiter.cooldown_s() == 0


def test_without_such_a_wish_the_cooldowns_double_up_to_a_minute_until_a_call_goes_well(
    limiter: Limiter, clock: Clock
) -> None:
    cooldowns_s = []
    for _ in range(9):
        limiter.call_ended(ProviderFailure("500", 0.0), 1, limiter.generation)
        cooldowns_s.append(limiter.cooldown_s())
        clock.now_s += limiter.cooldown_s()
    assert cooldowns_s == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
    limiter.call_ended(None, 1, limiter.generation)
    limiter.call_ended(ProviderFailure("500", 0.0), 1, limiter.generation)
    assert limiter.cooldown_s() == 0.5


AT_ONE_ADDRESS = ("agent.llm.base_url=http://a.test/v1", "caller.llm.base_url=http://a.test/v1")


@pytest.mark.parametrize(
    ("overrides", "keys", "limiters"),
    [
        ((), {}, 1),
        (("caller.kind=llm",), {}, 2),
        (("caller.kind=llm", "caller.llm.base_url=http://b.test/v1"), {}, 2),
        (("caller.kind=llm", *AT_ONE_ADDRESS), {}, 1),
        (("caller.kind=llm", *AT_ONE_ADDRESS, "caller.llm.api_key_env=B"), {"OPENAI_API_KEY": "one", "B": "two"}, 2),
        (("caller.kind=llm", *AT_ONE_ADDRESS, "caller.llm.api_key_env=B"), {"OPENAI_API_KEY": "one", "B": "one"}, 1),
    ],
)
def test_there_is_one_limiter_a_provider_key(
    overrides: tuple[str, ...], keys: dict[str, str], limiters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name, key in keys.items():
        monkeypatch.setenv(name, key)
    assert len(limiters_of(load_pipeline("fast", overrides)).generations) == limiters


def test_each_provider_cools_down_for_its_own_failures_and_a_call_needs_both() -> None:
    limiters = limiters_of(load_pipeline("fast", ("caller.kind=llm", "caller.llm.base_url=http://b.test/v1")))
    generations = limiters.generations
    limiters.call_ended([line(), line(429, retry_after_ms=20_000, party="caller")], 4, generations)
    cooling = limiters.cooling()
    assert cooling is not None
    assert (cooling.provider, cooling.reason) == ("http://b.test/v1", "429")
    assert [now - before for now, before in zip(limiters.generations, generations, strict=True)] == [0, 1]
    assert limiters.has_room(1)
    assert not limiters.has_room(2)


def test_of_two_cooldowns_the_longer_one_is_waited_for() -> None:
    limiters = limiters_of(load_pipeline("fast", ("caller.kind=llm",)))
    assert limiters.cooling() is None
    long = line(503, retry_after_ms=9_000)
    limiters.call_ended([line(429, retry_after_ms=3_000, party="caller"), long], 1, limiters.generations)
    cooling = limiters.cooling()
    assert cooling is not None
    assert (cooling.provider, cooling.reason) == ("reference", "503")
