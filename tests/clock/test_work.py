"""The work that call time waits for: in what order it begins and is handed over, and the threads it runs in."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import threading
from types import SimpleNamespace

import pytest

from voicebench.clock.work import (
    DaemonPool,
    JobOutcome,
    JobTotals,
    Work,
    WorkList,
    copy_result,
    measure,
    name_of,
    title_of,
)

pytestmark = pytest.mark.unit


class Desk:
    """Makes work and notes what becomes of it."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.delivered: list[str] = []
        self.done: set[str] = set()
        self.list = WorkList()

    def add(self, name: str, *, exclusive: bool = False) -> Work:
        work = Work(
            name,
            lambda: self.begun.append(name),
            lambda: name in self.done,
            lambda: self.delivered.append(name),
            **({"exclusive": True} if exclusive else {}),
        )
        self.list.add(work)
        return work


def test_work_shares_the_machine_unless_it_says_otherwise() -> None:
    desk = Desk()
    desk.add("measured", exclusive=True)
    desk.add("request")
    assert desk.list.head().name == "request"
    assert desk.begun == ["request"]


def test_work_begins_once() -> None:
    desk = Desk()
    work = desk.add("request")
    for _ in range(3):
        work.ensure_begun()
    assert desk.begun == ["request"]


def test_silence_counts_from_the_start_and_from_each_sign_of_life() -> None:
    work = Desk().add("request")
    assert work.silent_s() == 0.0
    work.ensure_begun()
    assert work.touched_s is not None
    work.touched_s -= 50.0
    assert 50.0 <= work.silent_s() < 100.0
    work.touch()
    assert 0.0 <= work.silent_s() < 50.0


def test_the_slowest_work_is_the_one_without_a_sign_of_life_for_longest() -> None:
    desk = Desk()
    assert desk.list.slowest() is None
    for silent_s, name in enumerate(("one", "two", "three", "not begun")):
        work = desk.add(name)
        work.touch()
        assert work.touched_s is not None
        work.touched_s = None if name == "not begun" else work.touched_s - 100.0 * (silent_s % 2)
    slowest = desk.list.slowest()
    assert slowest is not None
    assert slowest.name == "two"


def test_where_nothing_is_measured_all_work_begins_and_what_has_finished_is_handed_over_in_order() -> None:
    desk = Desk()
    for name, exclusive in (("one", True), ("two", False), ("three", True)):
        desk.add(name, exclusive=exclusive)
    desk.list.begin_all()
    assert desk.begun == ["one", "two", "three"]
    assert not desk.list.take_finished()
    desk.done = {"three", "one"}
    assert desk.list.take_finished()
    assert desk.delivered == ["one", "three"]
    assert [bool(desk.list), desk.list.head().name] == [True, "two"]


def test_what_is_no_longer_wanted_is_never_handed_over() -> None:
    desk = Desk()
    one, two, _ = (desk.add(name) for name in ("one", "two", "three"))
    desk.list.discard(one)
    desk.list.discard(one)
    assert desk.list.head() is two
    desk.list.clear()
    assert not desk.list
    desk.done = {"one", "two", "three"}
    assert not desk.list.take_finished()
    assert desk.delivered == []


def test_totals_are_sums() -> None:
    totals = JobTotals()
    assert (totals.n, totals.wall_s, totals.cpu_s) == (0, 0.0, 0.0)
    for _ in range(3):
        totals.add(JobOutcome("x", None, wall_s=0.5, cpu_s=0.25))
    assert (totals.n, totals.wall_s, totals.cpu_s) == (3, 1.5, 0.75)


def test_what_was_measured_is_in_whole_nanoseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    walls, cpus = iter([10.0, 10.1234567886]), iter([5.0, 5.0000000124])
    clock = SimpleNamespace(perf_counter=lambda: next(walls), process_time=lambda: next(cpus))
    monkeypatch.setattr("voicebench.clock.work.time", clock)
    assert measure(lambda: "done") == JobOutcome("done", None, wall_s=0.123456789, cpu_s=0.000000012)


def test_what_a_job_raises_is_kept_and_measured_too() -> None:
    def broken() -> None:
        raise SystemExit("stop")

    outcome = measure(broken)
    assert outcome.value is None
    assert isinstance(outcome.error, SystemExit)
    assert 0.0 < outcome.wall_s < 60.0


def handed_over(error: BaseException | None = None, *, cancelled: bool = False) -> asyncio.Future[str]:
    """Hand the end of a thread over to a future, whose state stays as it is afterwards."""
    running: concurrent.futures.Future[str] = concurrent.futures.Future()
    if cancelled:
        running.cancel()
    elif error is not None:
        running.set_exception(error)
    else:
        running.set_result("done")
    loop = asyncio.new_event_loop()
    future: asyncio.Future[str] = loop.create_future()
    copy_result(running, future)
    copy_result(running, future)
    loop.close()
    return future


def test_a_future_gets_what_the_thread_came_to_once() -> None:
    assert handed_over().result() == "done"
    assert handed_over(cancelled=True).cancelled()
    assert isinstance(handed_over(OSError("damaged")).exception(), OSError)


def test_an_end_of_iteration_arrives_as_another_error() -> None:
    assert str(handed_over(StopIteration()).exception()) == "an executor job raised StopIteration"


def test_a_pool_takes_a_thread_that_is_idle_before_it_starts_another() -> None:
    pool = DaemonPool("desk")
    gate = threading.Event()

    def name_and_wait() -> str:
        gate.wait(30)
        return threading.current_thread().name

    both = [pool.submit(name_and_wait) for _ in range(2)]
    gate.set()
    assert {one.result(30) for one in both} == {"desk-1", "desk-2"}
    for _ in range(50):
        threading.Event().wait(0.001)  # until the thread of the job before is idle
        pool.submit(len, "four").result(30)
    assert sum(thread.name.startswith("desk-") for thread in threading.enumerate()) < 25
    assert pool.submit(lambda: threading.current_thread().daemon).result(30)


def test_a_pool_hands_over_errors_and_goes_on_and_its_threads_end_with_it() -> None:
    pool = DaemonPool("counter")

    def broken(what: str, *, code: int) -> None:
        raise OSError(code, what)

    with pytest.raises(OSError, match="damaged"):
        pool.submit(broken, "damaged", code=5).result(30)
    assert pool.submit(len, "four").result(30) == 4
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("counter-")]
    assert threads
    pool.shutdown()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)


def test_names_in_messages_are_those_of_the_functions_inside() -> None:
    assert name_of(len) == "'len'"
    assert name_of(functools.partial(len, "x")) == "'len'"
    assert name_of(functools.partial(functools.partial(map, len), "x")) == "'len'"
    assert name_of(functools.partial(len)) == "'len'"


def test_a_declared_job_is_named_by_whose_it_is() -> None:
    assert title_of(len, "agent.tts") == "the agent's TTS"
    assert title_of(len, "warm up") == "job 'len' (warm up)"
