"""What has no call time is refused, and what hangs is ended."""

from __future__ import annotations

import asyncio
import gc
import logging
import queue
import socket
import sys
import threading
import time
from collections.abc import AsyncGenerator, Generator
from logging.handlers import QueueHandler

import pytest
import websockets

from voicebench.clock import current_loop, run_call, run_job, sleep
from voicebench.clock.poller import survey
from voicebench.config.charges import FREE
from voicebench.errors import ClockError

pytestmark = pytest.mark.unit


@pytest.fixture
def elsewhere() -> Generator[int]:
    """A server that is not on the call's loop and never answers; its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def release() -> Generator[threading.Event]:
    """What hung threads wait for; set at the end."""
    event = threading.Event()
    yield event
    event.set()


def test_a_wait_for_a_server_elsewhere_is_refused(elsewhere: int) -> None:
    async def main() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", elsewhere)
        try:
            await asyncio.wait_for(reader.read(1), 30)
        finally:
            writer.close()

    with pytest.raises(ClockError, match=rf"to 127\.0\.0\.1 port {elsewhere}.*ChargedTransport"):
        run_call(main())


def test_without_strictness_the_clock_jumps_over_it(elsewhere: int) -> None:
    async def main() -> float:
        reader, writer = await asyncio.open_connection("127.0.0.1", elsewhere)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 30)
        writer.close()
        return current_loop().time()

    assert run_call(main(), strict=False) == 30.0


def test_a_socket_that_others_can_reach_comes_from_outside() -> None:
    with socket.socket() as everywhere, socket.socket() as here:
        for sock, address in ((everywhere, "0.0.0.0"), (here, "127.0.0.1")):
            sock.bind((address, 0))
            sock.listen()
        assert survey([here.fileno()], []).outside is None
        assert "0.0.0.0 port" in str(survey([here.fileno(), everywhere.fileno()], []).outside)


def test_a_websocket_with_both_ends_on_the_loop_works_unmodified() -> None:
    async def main() -> list[tuple[float, str]]:
        heard: list[tuple[float, str]] = []

        async def serve(connection: websockets.ServerConnection) -> None:
            async for message in connection:
                await sleep(0.25)
                await connection.send(f"echo {message!s}")

        async with websockets.serve(serve, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            async with websockets.connect(f"ws://127.0.0.1:{port}") as client:
                for word in ("one", "two"):
                    await client.send(word)
                    heard.append((current_loop().time(), str(await client.recv())))
                    heard.append((current_loop().time(), "answered"))
                    await sleep(1)
        return heard

    assert run_call(main()) == [(0.0, "echo one"), (0.25, "answered"), (1.25, "echo two"), (1.5, "answered")]


def test_a_thread_that_nobody_knows_may_not_call_back() -> None:
    async def main() -> None:
        loop = current_loop()
        future = loop.create_future()
        caller = threading.Thread(target=loop.call_soon_threadsafe, args=(future.set_result, 1), name="stranger")
        caller.start()
        caller.join()
        await future

    with pytest.raises(ClockError, match=r"'stranger'.*run_job"):
        run_call(main())


def test_a_call_in_which_nothing_is_due_ends_with_where_it_waits() -> None:
    async def main() -> None:
        await sleep(1.5)
        await current_loop().create_future()

    with pytest.raises(ClockError, match=r"nothing is due at call time 1\.500 s.*test_strict\.py:\d+"):
        run_call(main())


def test_a_subprocess_of_asyncio_is_refused() -> None:
    async def main() -> None:
        await asyncio.create_subprocess_exec(sys.executable, "-c", "pass")

    with pytest.raises(ClockError, match="subprocess"):
        run_call(main())


def test_a_hung_job_ends_the_call_and_its_tasks(release: threading.Event) -> None:
    cancelled: list[str] = []

    async def bystander() -> None:
        try:
            await sleep(100)
        except asyncio.CancelledError:
            cancelled.append("bystander")
            raise

    async def main() -> None:
        task = asyncio.create_task(bystander())
        await sleep(1)
        await run_job(release.wait, charge=FREE)
        await task

    with pytest.raises(ClockError, match=r"Event\.wait.*watchdog_s"):
        run_call(main(), watchdog_s=1.0)
    assert cancelled == ["bystander"]


@pytest.mark.parametrize("mode", ["charge", "virtual", "real"])
def test_a_hung_undeclared_job_ends_the_call_in_each_mode(release: threading.Event, mode: str) -> None:
    async def main() -> None:
        await asyncio.to_thread(release.wait)

    with pytest.raises(ClockError, match=r"undeclared job .Event\.wait"):
        run_call(main(), mode=mode, watchdog_s=1.0)  # type: ignore[arg-type]


def test_a_task_that_refuses_to_end_does_not_keep_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voicebench.clock.run._WIND_DOWN_S", 0.05)
    stop: list[bool] = []

    async def stubborn() -> None:
        while not stop:
            try:
                await sleep(0)
            except asyncio.CancelledError:
                continue

    async def main() -> asyncio.Task[None]:
        task = asyncio.create_task(stubborn())
        await sleep(0)
        return task

    task = run_call(main())
    assert not task.done()
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    stop.append(True)
    with pytest.raises(StopIteration):
        task.get_coro().send(None)


def test_a_callback_that_holds_the_loop_is_reported_with_its_place() -> None:
    logged: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    handler = QueueHandler(logged)

    async def main() -> None:
        while logged.empty():  # it is logged at half the time that is allowed, if its thread gets its turn
            time.sleep(0.02)  # noqa: ASYNC251  # the very mistake
        time.sleep(0.1)  # noqa: ASYNC251
        await sleep(1)

    log = logging.getLogger("voicebench.clock.monitor")
    log.addHandler(handler)
    try:
        with pytest.raises(ClockError, match=r"held the loop.*test_strict\.py:\d+ in main"):
            run_call(main(), watchdog_s=0.1)
    finally:
        log.removeHandler(handler)
    assert "in main" in logged.get().getMessage()


def test_garbage_that_another_thread_finds_waits_for_the_end_of_the_call() -> None:
    closed: list[float] = []

    async def counting() -> AsyncGenerator[int]:
        try:
            for number in range(10):
                yield number
        finally:
            closed.append(current_loop().time())

    async def main() -> None:
        numbers = counting()
        await anext(numbers)
        cycle: list[object] = [numbers]
        cycle.append(cycle)
        del numbers, cycle
        collector = threading.Thread(target=gc.collect, name="somebody else's")
        collector.start()
        collector.join()
        await sleep(1)
        assert closed == []
        await sleep(1)

    run_call(main())
    assert closed == [2.0]
