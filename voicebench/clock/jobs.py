"""Declared jobs: real work whose cost is charged to the call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, cast

from voicebench.clock.loop import current_loop
from voicebench.clock.work import JobOutcome
from voicebench.config.charges import Charge
from voicebench.errors import ConfigError

__all__ = ["Device", "FinishedJob", "run_job", "sleep", "sleep_until"]

T = TypeVar("T")


class Device:
    """Something that does one job at a time in call time, in the order in which they were submitted.

    A job that is cancelled while it waits for the device never runs; one that is cancelled later still occupies the
    device until its end, as a real one would.

    Attributes:
        name: what totals and errors call it.
        free_at_s: call time at which it has done all the jobs that it began.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.free_at_s = 0.0
        self._lock = asyncio.Lock()

    async def turn(self, earliest_s: float) -> float:
        """Wait until the jobs before have ended, and return when this one starts: at ``earliest_s`` or later."""
        await self._lock.acquire()
        try:
            await sleep_until(self.free_at_s)
        except BaseException:
            self._lock.release()
            raise
        return max(earliest_s, self.free_at_s)

    def leave(self, free_at_s: float) -> None:
        """Say until when this job occupies the device, and let the next one come."""
        self.free_at_s = round(free_at_s, 9)  # the loop's grid
        self._lock.release()


@dataclass(frozen=True)
class FinishedJob(Generic[T]):
    """A finished job.

    Attributes:
        value: what its function returned.
        start_s: call time at which it began; it may lie before its submission if it was anchored there.
        end_s: call time at which its result was delivered.
        wall_s: wall seconds that its function took.
        cpu_s: CPU seconds of the process meanwhile.
        charge_s: call seconds that it was charged, whole nanoseconds; in the modes that follow the wall ``wall_s``.
    """

    value: T
    start_s: float
    end_s: float
    wall_s: float
    cpu_s: float
    charge_s: float

    @property
    def charge_ms(self) -> float:
        """The charge in milliseconds, as exchanges hold it and ``recorded_ms`` gives it back."""
        return round(self.charge_s * 1e3, 6)


async def run_job(
    fn: Callable[[], T],
    *,
    charge: Charge,
    device: Device | None = None,
    anchor_s: float | None = None,
    recorded_ms: Callable[[], float] | None = None,
    on_done: Callable[[FinishedJob[T]], object] | None = None,
    name: str = "without a device",
) -> FinishedJob[T]:
    """Run ``fn`` in a thread and charge it to the call.

    In ``charge`` mode call time stands still while it runs, declared jobs run one at a time, and the result (or what
    ``fn`` raised) is delivered at max(now, start + charge). In the other modes it ends when it ends, whatever the
    charge.

    Args:
        fn: the work; it must not call back into the loop.
        charge: what it costs.
        device: what does it; its jobs queue. Without one the job starts at once.
        anchor_s: call time at which it starts instead of now; for recognition the end of speech, which is past.
        recorded_ms: says what it cost in the recorded call, for the charge ``recorded``; asked when ``fn`` has ended.
        on_done: called once ``fn`` has returned and its cost is known, which is before the job is delivered, and even
            if its caller is cancelled meanwhile.
        name: what the loop's totals call a job without a device.

    Raises:
        ConfigError: the charge is ``recorded`` and nothing was recorded.
        ClockError: no call loop runs.
    """
    loop = current_loop()
    if charge.kind == "recorded" and recorded_ms is None:
        raise ConfigError("charge recorded needs the milliseconds of the recorded job; it works in a replay only")
    start_s = loop.time() if anchor_s is None else anchor_s
    if device is not None:
        start_s = await device.turn(start_s)
    settled: list[FinishedJob[T]] = []

    def settle(ended: asyncio.Future[JobOutcome]) -> None:
        outcome = ended.result()
        if loop.mode != "charge" or charge.kind == "wall":
            cost_s = outcome.wall_s
        elif charge.kind == "cpu":
            cost_s = outcome.cpu_s
        else:
            cost_s = (charge.ms if recorded_ms is None or charge.kind == "fixed" else recorded_ms()) / 1000
        charge_s = round(cost_s, 9)  # whole nanoseconds can be written down and charged again exactly
        end_s = start_s + charge_s
        settled.append(FinishedJob(cast(T, outcome.value), start_s, end_s, outcome.wall_s, outcome.cpu_s, charge_s))
        if device is not None:
            device.leave(end_s)
        if on_done is not None and outcome.error is None:
            on_done(settled[0])

    running = loop.declared(fn, name if device is None else device.name)
    # In a callback, and not after the await: a job whose caller is cancelled has to leave its device all the same
    running.add_done_callback(settle)
    outcome = await asyncio.shield(running)
    await sleep_until(settled[0].end_s)
    if outcome.error is not None:
        raise outcome.error
    return replace(settled[0], end_s=loop.time())


async def sleep(seconds: float) -> None:
    """Wait in call time; 0 lets others run."""
    await asyncio.sleep(seconds)


async def sleep_until(when_s: float) -> None:
    """Wait until a call time; return at once if it has come."""
    loop = current_loop()
    if when_s <= loop.time():
        return
    future: asyncio.Future[None] = loop.create_future()

    def fire() -> None:
        if not future.done():  # who waited may have been cancelled at this instant
            future.set_result(None)

    timer = loop.call_at(when_s, fire)
    try:
        await future
    finally:
        timer.cancel()
