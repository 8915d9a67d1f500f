"""Declared jobs: what they are charged, and when their results are delivered."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator

import pytest

from voicebench.clock import Device, FinishedJob, current_loop, run_call, run_job, sleep
from voicebench.clock.work import Work, WorkList
from voicebench.config.charges import FREE, Charge
from voicebench.errors import ConfigError

pytestmark = pytest.mark.unit


def fixed(ms: float) -> Charge:
    return Charge("fixed", ms)


def busy() -> int:
    return sum(range(200_000))


def test_a_job_ends_at_its_start_plus_its_charge() -> None:
    async def main() -> FinishedJob[int]:
        await sleep(2)
        return await run_job(busy, charge=fixed(400))

    job = run_call(main())
    assert (job.value, job.start_s, job.end_s, job.charge_s) == (sum(range(200_000)), 2.0, 2.4, 0.4)
    assert job.wall_s > 0


def test_a_free_job_ends_when_it_starts() -> None:
    async def main() -> FinishedJob[int]:
        await sleep(2)
        return await run_job(busy, charge=FREE)

    assert run_call(main()).end_s == 2.0


@pytest.mark.parametrize(("anchor_s", "end_s"), [(1.5, 2.0), (1.8, 2.2), (2.0, 2.4)])
def test_an_anchored_job_is_delivered_at_its_anchor_plus_its_charge_but_not_before_now(
    anchor_s: float, end_s: float
) -> None:
    async def main() -> FinishedJob[int]:
        await sleep(2)
        return await run_job(busy, charge=fixed(400), anchor_s=anchor_s, device=Device("asr"))

    job = run_call(main())
    assert (job.start_s, job.end_s) == (anchor_s, end_s)


def test_cpu_and_wall_charges_are_what_was_measured() -> None:
    async def main() -> list[FinishedJob[int]]:
        return [await run_job(busy, charge=Charge("cpu")), await run_job(busy, charge=Charge("wall"))]

    cpu, wall = run_call(main())
    assert cpu.charge_s == cpu.cpu_s > 0
    assert wall.charge_s == wall.wall_s > 0
    assert wall.end_s == pytest.approx(cpu.charge_s + wall.charge_s, abs=2e-9)


def test_a_recorded_charge_is_what_was_recorded() -> None:
    async def main() -> float:
        return (await run_job(busy, charge=Charge("recorded"), recorded_ms=lambda: 123.5)).end_s

    assert run_call(main()) == 0.1235


def test_a_recorded_charge_without_a_record_is_refused() -> None:
    async def main() -> None:
        await run_job(busy, charge=Charge("recorded"))

    with pytest.raises(ConfigError, match="replay"):
        run_call(main())


def test_jobs_on_one_device_queue_and_devices_overlap() -> None:
    async def main() -> dict[str, tuple[float, float]]:
        tts, asr = Device("tts"), Device("asr")
        jobs = await asyncio.gather(
            run_job(lambda: "tts 1", charge=fixed(100), device=tts),
            run_job(lambda: "tts 2", charge=fixed(200), device=tts),
            run_job(lambda: "asr", charge=fixed(150), device=asr),
            run_job(lambda: "tts 3", charge=fixed(50), device=tts),
        )
        return {job.value: (job.start_s, job.end_s) for job in jobs}

    assert run_call(main()) == {
        "tts 1": (0.0, 0.1),
        "tts 2": (0.1, 0.3),
        "tts 3": (0.3, 0.35),
        "asr": (0.0, 0.15),
    }


def test_a_job_that_is_cancelled_in_the_queue_never_runs() -> None:
    ran: list[str] = []

    async def main() -> float:
        device = Device("tts")
        first = asyncio.create_task(run_job(lambda: ran.append("first"), charge=fixed(1000), device=device))
        second = asyncio.create_task(run_job(lambda: ran.append("second"), charge=fixed(1000), device=device))
        await sleep(0.5)
        second.cancel()
        third = await run_job(lambda: ran.append("third"), charge=fixed(100), device=device)
        await first
        return third.start_s

    assert run_call(main()) == 1.0
    assert ran == ["first", "third"]


def test_a_job_that_is_cancelled_while_it_runs_occupies_its_device_to_the_end() -> None:
    async def main() -> float:
        device = Device("tts")
        first = asyncio.create_task(run_job(busy, charge=fixed(1000), device=device))
        await sleep(0.5)
        first.cancel()
        return (await run_job(busy, charge=fixed(100), device=device)).start_s

    assert run_call(main()) == 1.0


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Let the interpreter switch threads after every few instructions, so that jobs that may overlap do."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_threads")
def test_declared_jobs_run_one_at_a_time() -> None:
    running: list[int] = []
    most: list[int] = []
    lock = threading.Lock()

    def job() -> None:
        with lock:
            running.append(1)
            most.append(len(running))
        for _ in range(20_000):  # a loop of Python: a single call of C would let no other thread run
            pass
        with lock:
            running.pop()

    async def main() -> None:
        await asyncio.gather(*(run_job(job, charge=Charge("cpu"), device=Device(str(n))) for n in range(8)))

    run_call(main())
    assert most == [1] * 8


def test_exclusive_work_begins_when_all_that_shares_the_machine_has_ended_and_then_one_by_one() -> None:
    begun: list[str] = []

    def work(name: str, *, exclusive: bool) -> Work:
        return Work(name, lambda: begun.append(name), lambda: True, lambda: None, exclusive)

    works = WorkList()
    for name, exclusive in (("asr", True), ("request 1", False), ("tts", True), ("request 2", False)):
        works.add(work(name, exclusive=exclusive))
    steps = []
    while works:
        head = works.head()
        steps.append((head.name, list(begun)))
        works.take(head)
    assert steps == [
        ("request 1", ["request 1", "request 2"]),
        ("request 2", ["request 1", "request 2"]),
        ("asr", ["request 1", "request 2", "asr"]),
        ("tts", ["request 1", "request 2", "asr", "tts"]),
    ]


def test_what_a_job_raises_arrives_after_its_charge() -> None:
    def broken() -> None:
        raise OSError("model file is damaged")

    async def main() -> float:
        with pytest.raises(OSError, match="damaged"):
            await run_job(broken, charge=fixed(300), device=Device("asr"))
        return current_loop().time()

    assert run_call(main()) == 0.3


@pytest.mark.parametrize(("timeout_s", "end_s"), [(0.5, 0.4), (0.3, 0.3)])
def test_wait_for_ends_a_job_that_is_charged_more_than_the_timeout(timeout_s: float, end_s: float) -> None:
    async def main() -> float:
        try:
            await asyncio.wait_for(run_job(busy, charge=fixed(400), device=Device("asr")), timeout_s)
        except TimeoutError:
            assert timeout_s < 0.4
        return current_loop().time()

    assert run_call(main()) == end_s


def test_totals_say_what_each_device_did() -> None:
    async def main() -> dict[str, int]:
        tts = Device("tts")
        for device in (tts, Device("asr"), tts):
            await run_job(busy, charge=FREE, device=device)
        totals = current_loop().job_totals
        assert all(total.wall_s > 0 and total.cpu_s > 0 for total in totals.values())
        return {name: total.n for name, total in totals.items()}

    assert run_call(main()) == {"tts": 2, "asr": 1}
