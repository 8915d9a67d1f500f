"""The limiter: how many calls a provider bears, and how long it rests."""

from __future__ import annotations

from typing import Any

import pytest

from voicebench.config import load_pipeline
from voicebench.runner.limiter import Limiter, Trouble, limiters_of

pytestmark = pytest.mark.unit


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


def line(status: int = 200, error: str | None = None, retry_after_ms: float = 0.0) -> dict[str, Any]:
    return {"kind": "llm", "status": status, "error": error, "retry_after_ms": retry_after_ms}


def session(direction: str, **event: Any) -> dict[str, Any]:
    return {"kind": "realtime", "direction": direction, "event": event}


@pytest.mark.parametrize(
    ("lines", "trouble"),
    [
        ([line(), {"kind": "asr"}], None),
        ([line(400), line(422)], None),
        ([line(429, retry_after_ms=2_000), line()], Trouble("429", 2.0)),
        ([line(503), line(500)], Trouble("500", 0.0)),
        ([line(0, "ReadTimeout: no byte came for 30 s")], Trouble("ReadTimeout: no byte came for 30 s", 0.0)),
        ([line(200, "RemoteProtocolError: cut")], Trouble("RemoteProtocolError: cut", 0.0)),
        ([session("received", status=None)], None),
        ([session("failed", status=429, message="slow down")], Trouble("429", 0.0)),
        ([session("failed", status=None, message="the session is lost")], Trouble("the session is lost", 0.0)),
    ],
)
def test_trouble_is_what_the_exchanges_say(lines: list[dict[str, Any]], trouble: Trouble | None) -> None:
    assert Trouble.of(lines) == trouble


def test_without_trouble_there_is_no_limit(limiter: Limiter) -> None:
    limiter.heard(None, 40, limiter.era)
    assert limiter.has_room(1_000)
    assert limiter.rest_s() == 0


def test_trouble_halves_the_calls_in_flight_once_for_all_that_were_started_before(limiter: Limiter) -> None:
    era = limiter.era
    for in_flight in (8, 7, 6):
        limiter.heard(Trouble("429", 0.0), in_flight, era)
    assert limiter.most == 4
    assert limiter.has_room(3)
    assert not limiter.has_room(4)
    limiter.heard(Trouble("429", 0.0), 4, limiter.era)
    assert limiter.most == 2


def test_one_call_is_always_allowed(limiter: Limiter) -> None:
    for _ in range(5):
        limiter.heard(Trouble("429", 0.0), 1, limiter.era)
    assert limiter.has_room(0)
    assert not limiter.has_room(1)


def test_calls_that_go_well_raise_the_limit_by_one_a_round(limiter: Limiter) -> None:
    limiter.heard(Trouble("503", 0.0), 4, limiter.era)
    for _ in range(2):
        limiter.heard(None, 2, limiter.era)
    assert limiter.most == pytest.approx(2.9)
    limiter.heard(None, 2, limiter.era)
    assert limiter.has_room(2)


def test_the_rest_that_a_provider_asks_for_is_kept(limiter: Limiter, clock: Clock) -> None:
    limiter.heard(Trouble("429", 20.0), 2, limiter.era)
    clock.now_s += 5
    limiter.heard(Trouble("429", 3.0), 2, 0)
    assert (limiter.rest_s(), limiter.rested_s(), limiter.reason) == (15.0, 5.0, "429")
    clock.now_s += 15
    assert limiter.rest_s() == 0


def test_without_such_a_wish_the_rests_double_up_to_a_minute_until_a_call_goes_well(
    limiter: Limiter, clock: Clock
) -> None:
    rests_s = []
    for _ in range(9):
        limiter.heard(Trouble("500", 0.0), 1, limiter.era)
        rests_s.append(limiter.rest_s())
        clock.now_s += limiter.rest_s()
    assert rests_s == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
    limiter.heard(None, 1, limiter.era)
    limiter.heard(Trouble("500", 0.0), 1, limiter.era)
    assert limiter.rest_s() == 0.5


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
    assert len(limiters_of(load_pipeline("fast", overrides)).eras) == limiters


def test_each_provider_rests_for_its_own_trouble_and_a_call_needs_both() -> None:
    limiters = limiters_of(load_pipeline("fast", ("caller.kind=llm", "caller.llm.base_url=http://b.test/v1")))
    eras = limiters.eras
    limiters.heard([line() | {"party": "agent"}, line(429, retry_after_ms=20_000) | {"party": "caller"}], 4, eras)
    resting = limiters.resting()
    assert resting is not None
    assert (resting.provider, resting.reason) == ("http://b.test/v1", "429")
    assert [now - before for now, before in zip(limiters.eras, eras, strict=True)] == [0, 1]
    assert limiters.has_room(1)
    assert not limiters.has_room(2)


def test_of_two_that_rest_the_longer_one_is_waited_for() -> None:
    limiters = limiters_of(load_pipeline("fast", ("caller.kind=llm",)))
    assert limiters.resting() is None
    long = line(503, retry_after_ms=9_000) | {"party": "agent"}
    limiters.heard([line(429, retry_after_ms=3_000) | {"party": "caller"}, long], 1, limiters.eras)
    resting = limiters.resting()
    assert resting is not None
    assert (resting.provider, resting.reason) == ("reference", "503")
