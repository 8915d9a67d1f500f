"""Executor jobs that nobody declared: free, counted, and in a fixed order."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import time

import pytest

from voicebench.clock import current_loop, run_call, sleep

pytestmark = pytest.mark.unit


def test_undeclared_jobs_cost_nothing_and_are_counted() -> None:
    async def main() -> tuple[float, int, list[int]]:
        loop = current_loop()
        with concurrent.futures.ThreadPoolExecutor(1) as executor:
            results = [
                await asyncio.to_thread(len, "to_thread"),
                await loop.run_in_executor(None, len, "default"),
                await loop.run_in_executor(executor, len, "own"),
            ]
        return loop.time(), loop.undeclared_jobs, results

    assert run_call(main()) == (0.0, 3, [9, 7, 3])


def test_a_ticking_clock_waits_for_an_undeclared_job() -> None:
    async def main() -> tuple[int, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await sleep(0.02)
                ticks += 1

        task = asyncio.create_task(tick())
        await sleep(0.11)
        before = ticks
        await asyncio.to_thread(time.sleep, 0.03)
        task.cancel()
        return before, ticks

    before, after = run_call(main())
    assert before == after


def test_results_come_in_the_order_of_submission_not_of_completion() -> None:
    async def main() -> list[str]:
        second_is_done = threading.Event()
        order: list[str] = []

        async def job(name: str, fn: object) -> None:
            await asyncio.to_thread(fn)  # type: ignore[arg-type]
            order.append(name)

        await asyncio.gather(job("first", lambda: second_is_done.wait(5)), job("second", second_is_done.set))
        return order

    assert run_call(main()) == ["first", "second"]


def test_wait_for_around_an_undeclared_job_sees_no_time_pass() -> None:
    async def main() -> float:
        await asyncio.wait_for(asyncio.to_thread(time.sleep, 0.02), timeout=0.001)
        return current_loop().time()

    assert run_call(main()) == 0.0


def test_what_an_undeclared_job_raises_comes_through() -> None:
    async def main() -> None:
        await asyncio.to_thread(int, "four")

    with pytest.raises(ValueError, match="four"):
        run_call(main())


def test_a_thread_of_a_job_may_call_back() -> None:
    async def main() -> str:
        loop = current_loop()
        heard: asyncio.Future[str] = loop.create_future()
        await asyncio.to_thread(lambda: loop.call_soon_threadsafe(heard.set_result, "hello"))
        return await heard

    assert run_call(main()) == "hello"
