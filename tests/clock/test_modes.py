"""The modes that follow the wall. Wall times are compared with call times only."""

from __future__ import annotations

import asyncio
import itertools
import socket
import threading
import time

import pytest

from voicebench.clock import Device, FinishedJob, Mode, current_loop, run_call, run_job, sleep
from voicebench.config.charges import Charge
from voicebench.errors import ConfigError

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("mode", ["virtual", "real"])
def test_a_job_ends_when_it_ends_whatever_its_charge(mode: Mode) -> None:
    async def main() -> FinishedJob[None]:
        return await run_job(lambda: time.sleep(0.03), charge=Charge("fixed", 60_000), device=Device("asr"))

    job = run_call(main(), mode=mode)
    assert 0.02 <= job.end_s - job.start_s < 60
    assert job.charge_s == job.wall_s


@pytest.mark.parametrize("mode", ["virtual", "real"])
def test_jobs_on_one_device_queue(mode: Mode) -> None:
    def job() -> tuple[float, float]:
        start_s = time.perf_counter()
        time.sleep(0.01)
        return start_s, time.perf_counter()

    async def main() -> list[tuple[float, float]]:
        device = Device("tts")
        jobs = await asyncio.gather(*(run_job(job, charge=Charge("wall"), device=device) for _ in range(3)))
        return [job.value for job in jobs]

    spans = run_call(main(), mode=mode)
    assert all(start_s >= end_s for (_, end_s), (start_s, _) in itertools.pairwise(spans))


@pytest.mark.parametrize("mode", ["virtual", "real"])
def test_the_clock_ticks_while_a_job_runs(mode: Mode) -> None:
    async def main() -> int:
        ticks = 0
        enough = threading.Event()

        async def tick() -> None:
            nonlocal ticks
            while ticks < 3:
                await sleep(0.005)
                ticks += 1
            enough.set()

        task = asyncio.create_task(tick())
        await run_job(lambda: enough.wait(10), charge=Charge("wall"))
        task.cancel()
        return ticks

    assert run_call(main(), mode=mode) == 3


def test_virtual_time_jumps_when_nothing_real_is_waited_for() -> None:
    async def main() -> float:
        await sleep(3600)
        return current_loop().time()

    assert run_call(main(), mode="virtual") == 3600.0


def test_virtual_time_follows_the_wall_while_a_socket_from_elsewhere_is_waited_for() -> None:
    async def main(port: int) -> tuple[float, float]:
        loop = current_loop()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        call_s, wall_s = loop.time(), time.perf_counter()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 0.02)
        passed = loop.time() - call_s, time.perf_counter() - wall_s
        writer.close()
        return passed

    with socket.create_server(("127.0.0.1", 0)) as server:
        call_s, wall_s = run_call(main(server.getsockname()[1]), mode="virtual")
    assert 0.02 <= call_s <= wall_s


def test_real_time_is_the_wall() -> None:
    async def main() -> tuple[float, float]:
        call_s, wall_s = current_loop().time(), time.perf_counter()
        await sleep(0.01)
        wall_s = time.perf_counter() - wall_s
        return current_loop().time() - call_s, wall_s

    call_s, wall_s = run_call(main(), mode="real")
    assert call_s >= wall_s >= 0.009


def test_an_unknown_mode_is_named() -> None:
    async def main() -> None:
        pass

    with pytest.raises(ConfigError, match="'fast' is not one of charge, virtual, real"):
        run_call(main(), mode="fast")  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["charge", "virtual", "real"])
def test_a_cancelled_job_keeps_its_device_until_its_thread_has_ended(mode: Mode) -> None:
    running: list[str] = []

    def job(name: str) -> list[str]:
        running.append(name)
        time.sleep(0.02)
        seen = list(running)
        running.remove(name)
        return seen

    async def main() -> list[str]:
        device = Device("tts")
        first = asyncio.create_task(run_job(lambda: job("first"), charge=Charge("wall"), device=device))
        await sleep(0.005)
        first.cancel()
        return (await run_job(lambda: job("second"), charge=Charge("wall"), device=device)).value

    assert run_call(main(), mode=mode) == ["second"]
