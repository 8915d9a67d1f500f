"""What the ``time`` module says inside a call, outside it, and in other threads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from datetime import UTC, datetime

import pytest

from voicebench.clock import EPOCH_S, current_loop, patch_time, run_call, sleep

pytestmark = pytest.mark.unit

NAMES = ("time", "time_ns", "monotonic", "monotonic_ns")


@pytest.fixture(autouse=True)
def patched() -> Generator[None]:
    before = {name: getattr(time, name) for name in NAMES}
    patch_time()
    yield
    for name, function in before.items():
        setattr(time, name, function)


def read() -> list[float]:
    names: list[Callable[[], float]] = [getattr(time, name) for name in NAMES]
    return [function() for function in names]


def is_now(seconds: float) -> bool:
    """Whether it is the real time, which nobody has replaced there."""
    return abs(datetime.now(UTC).timestamp() - seconds) < 3600


def test_inside_a_call_it_says_call_time() -> None:
    async def main() -> list[float]:
        await sleep(12.25)
        return read()

    assert run_call(main()) == [EPOCH_S + 12.25, EPOCH_S * 10**9 + 12_250_000_000, 12.25, 12_250_000_000]


def test_outside_and_in_other_loops_it_says_the_real_time() -> None:
    async def main() -> list[float]:
        return read()

    for seconds, nanoseconds, _, _ in (read(), asyncio.run(main())):
        assert is_now(seconds)
        assert nanoseconds == pytest.approx(seconds * 1e9, rel=1e-6)


def test_in_the_thread_of_a_job_it_says_the_real_time() -> None:
    async def main() -> list[float]:
        return await asyncio.to_thread(read)

    assert is_now(run_call(main())[0])


def test_in_real_mode_the_date_is_today_and_monotonic_is_call_time() -> None:
    async def main() -> tuple[list[float], float]:
        return read(), current_loop().time()

    (seconds, _, monotonic, _), now = run_call(main(), mode="real")
    assert is_now(seconds)
    assert 0 <= monotonic <= now


def test_patching_twice_is_patching_once() -> None:
    before = [getattr(time, name) for name in NAMES]
    patch_time()
    assert [getattr(time, name) for name in NAMES] == before
    assert all(value > 0 for value in read())
