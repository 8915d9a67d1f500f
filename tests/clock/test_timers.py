"""Call time: timers fire when they are due, in the order in which they were set."""

from __future__ import annotations

import asyncio

import pytest

from voicebench.clock import current_loop, run_call, sleep
from voicebench.errors import ClockError

pytestmark = pytest.mark.unit


def test_a_sleep_ends_exactly_when_it_is_due() -> None:
    async def main() -> list[float]:
        times = []
        for _ in range(3):
            await sleep(0.02)
            times.append(current_loop().time())
        return times

    assert run_call(main()) == [0.02, 0.04, 0.06]


def test_an_hour_of_call_time_passes_at_once() -> None:
    async def main() -> int:
        await sleep(3600)
        return current_loop().now_ns

    assert run_call(main()) == 3600 * 10**9


def test_timers_fire_by_time() -> None:
    async def main() -> list[str]:
        fired: list[str] = []
        loop = current_loop()
        for when in (0.3, 0.1, 0.2):
            loop.call_at(when, fired.append, str(when))
        await sleep(1)
        return fired

    assert run_call(main()) == ["0.1", "0.2", "0.3"]


def test_equal_timers_fire_in_the_order_in_which_they_were_set() -> None:
    async def main() -> list[int]:
        fired: list[int] = []
        for number in range(100):
            current_loop().call_at(1.0, fired.append, number)
        await sleep(2)
        return fired

    assert run_call(main()) == list(range(100))


def test_times_that_differ_by_rounding_only_are_equal() -> None:
    async def main() -> list[str]:
        fired: list[str] = []
        loop = current_loop()
        loop.call_at(0.1 + 0.2, fired.append, "first")  # 0.30000000000000004
        loop.call_at(0.3, fired.append, "second")
        await sleep(1)
        return fired

    assert run_call(main()) == ["first", "second"]


def test_many_cancelled_timers_leave_the_order_alone() -> None:
    async def main() -> list[int]:
        fired: list[int] = []
        loop = current_loop()
        timers = [loop.call_at(1.0, fired.append, number) for number in range(300)]
        for number, timer in enumerate(timers):
            if number % 3:
                timer.cancel()
        await sleep(2)
        return fired

    assert run_call(main()) == list(range(0, 300, 3))


def test_two_parallel_tasks_take_the_same_turns_in_every_run() -> None:
    async def main() -> list[tuple[float, str]]:
        turns: list[tuple[float, str]] = []

        async def walk(name: str, steps: list[float]) -> None:
            for step in steps:
                await sleep(step)
                turns.append((current_loop().time(), name))
                await asyncio.to_thread(len, name)
                turns.append((current_loop().time(), name.upper()))

        await asyncio.gather(walk("a", [0.1, 0.2, 0.3]), walk("b", [0.3, 0.3]), walk("c", [0.6]))
        return turns

    first, *others = [run_call(main()) for _ in range(5)]
    assert others == [first] * 4
    assert [name for time, name in first if time == 0.6] == ["c", "b", "a", "C", "B", "A"]


def test_a_timeout_is_call_time() -> None:
    async def main() -> float:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(current_loop().create_future(), 12.5)
        return current_loop().time()

    assert run_call(main()) == 12.5


def test_what_the_call_raises_comes_through() -> None:
    async def main() -> None:
        await sleep(1)
        raise LookupError("no such order")

    with pytest.raises(LookupError, match="no such order"):
        run_call(main())


def test_what_is_left_at_the_end_is_cancelled() -> None:
    ended: list[str] = []

    async def linger() -> None:
        try:
            await sleep(1000)
        finally:
            ended.append("cancelled")

    async def main() -> None:
        task = asyncio.create_task(linger())
        await sleep(1)
        assert not task.done()

    run_call(main())
    assert ended == ["cancelled"]


def test_without_a_call_there_is_no_call_time() -> None:
    with pytest.raises(ClockError, match="run_call"):
        current_loop()
