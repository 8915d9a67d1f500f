"""Real work that call time waits for, and the daemon threads it runs in."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

__all__ = ["DaemonPool", "JobOutcome", "JobTotals", "Work", "WorkList", "copy_result", "measure", "name_of", "title_of"]

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(eq=False)
class Work:
    """One thing that happens outside the loop's thread while call time stands still.

    Attributes:
        name: what an error message calls it.
        begin: starts it; called once.
        finished: whether its result is there; called often.
        deliver: hands the result to the loop; called once, on the loop's thread.
        exclusive: must not share the machine with other work, because its cost is measured.
        touched_s: ``perf_counter`` of its start or its last sign of life; None before it began.
    """

    name: str
    begin: Callable[[], object]
    finished: Callable[[], bool]
    deliver: Callable[[], None]
    exclusive: bool = False
    touched_s: float | None = None

    def ensure_begun(self) -> None:
        """Begin it unless it has begun."""
        if self.touched_s is None:
            self.touch()
            self.begin()

    def touch(self) -> None:
        """Note a sign of life, which the watchdog counts from."""
        self.touched_s = time.perf_counter()

    def silent_s(self) -> float:
        """Return the wall seconds since its last sign of life."""
        return 0.0 if self.touched_s is None else time.perf_counter() - self.touched_s


@dataclass(frozen=True)
class JobOutcome:
    """What a declared job returned or raised, and what it took.

    Attributes:
        value: what the function returned; None if it raised.
        error: what it raised.
        wall_s: wall seconds, in whole nanoseconds.
        cpu_s: CPU seconds of the whole process meanwhile, likewise.
    """

    value: object
    error: BaseException | None
    wall_s: float
    cpu_s: float


@dataclass
class JobTotals:
    """Sums over the declared jobs of one device in one call: number, wall and CPU seconds."""

    n: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0

    def add(self, outcome: JobOutcome) -> None:
        """Count one more job."""
        self.n += 1
        self.wall_s += outcome.wall_s
        self.cpu_s += outcome.cpu_s


def measure(fn: Callable[[], object]) -> JobOutcome:
    """Run ``fn`` in the calling thread and say what it took; what it raises is kept, not raised."""
    value: object = None
    error: BaseException | None = None
    # The CPU time of the process and not of the thread: recognizers and voices compute in threads of their own
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    try:
        value = fn()
    except BaseException as raised:
        error = raised
    wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    return JobOutcome(value, error, round(wall_s, 9), round(cpu_s, 9))


def copy_result(running: concurrent.futures.Future[T], future: asyncio.Future[T]) -> None:
    """Hand what a thread came to over to a future of the loop, unless that was cancelled."""
    if future.done():
        return
    if running.cancelled():
        future.cancel()
        return
    error = running.exception()
    if isinstance(error, StopIteration):  # a future refuses it
        error = RuntimeError("an executor job raised StopIteration")
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(running.result())


@dataclass
class _Item:
    future: concurrent.futures.Future[Any]
    run: Callable[[], object] = field(repr=False)


class DaemonPool(concurrent.futures.Executor):
    """Threads that are started when none is idle, and that never keep the process from ending.

    The executors of the standard library are joined at exit, so that one hung job would hang the process.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._items: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> concurrent.futures.Future[T]:
        """Run ``fn(*args, **kwargs)`` in a thread."""
        future: concurrent.futures.Future[T] = concurrent.futures.Future()
        item = _Item(future, lambda: fn(*args, **kwargs))
        self._items.put(item)
        if not self._idle.acquire(blocking=False):
            self._threads += 1
            threading.Thread(target=self._serve, name=f"{self._name}-{self._threads}", daemon=True).start()
        return future

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = False) -> None:
        """Let idle threads end; running ones end after their job. Nothing is waited for."""
        for _ in range(self._threads):
            self._items.put(None)

    def _serve(self) -> None:
        while (item := self._items.get()) is not None:
            if item.future.set_running_or_notify_cancel():
                try:
                    result = item.run()
                except BaseException as error:
                    item.future.set_exception(error)
                else:
                    item.future.set_result(result)
            del item  # or the thread would keep the job's result alive until its next job
            self._idle.release()


class WorkList:
    """The work in flight, in the order in which it was submitted: results are handed over in that order.

    Handing them over as they happen to end would let two equal calls differ.
    """

    def __init__(self) -> None:
        self._items: list[Work] = []

    def __bool__(self) -> bool:
        return bool(self._items)

    def add(self, work: Work) -> None:
        """Add one; it begins when the loop asks for it."""
        self._items.append(work)

    def discard(self, work: Work) -> None:
        """Forget one that is no longer wanted."""
        if work in self._items:
            self._items.remove(work)

    def clear(self) -> None:
        """Forget all, hung or not."""
        self._items.clear()

    def head(self) -> Work:
        """Return the one to wait for: the oldest that shares the machine, then the oldest exclusive one."""
        # Requests run elsewhere, and all at once. Measured jobs run one by one when those are done: a job's CPU seconds
        # are those of the whole process, so that whatever ran meanwhile would be charged to it
        sharing = [work for work in self._items if not work.exclusive]
        for work in sharing or self._items[:1]:
            work.ensure_begun()
        return (sharing or self._items)[0]

    def take(self, work: Work) -> None:
        """Remove one that has finished and hand its result over."""
        self._items.remove(work)
        work.deliver()

    def begin_all(self) -> None:
        """Begin all of them, exclusive ones too: nothing is measured in a mode that follows the wall."""
        for work in self._items:
            work.ensure_begun()

    def take_finished(self) -> bool:
        """Hand over all that have finished; return whether there was one."""
        finished = [work for work in self._items if work.finished()]
        for work in finished:
            self.take(work)
        return bool(finished)

    def slowest(self) -> Work | None:
        """Return the one that has been silent for longest, or None without work."""
        return max(list(self._items), key=Work.silent_s, default=None)


def name_of(fn: Callable[..., object]) -> str:
    """Name a function in a message; to_thread wraps it in a partial."""
    while isinstance(fn, functools.partial):
        fn = fn.args[0] if fn.args and callable(fn.args[0]) else fn.func
    return repr(getattr(fn, "__qualname__", fn))


def title_of(fn: Callable[..., object], name: str) -> str:
    """Say in a message what a declared job is: whose and which, as ``agent.asr`` has it, else its function."""
    whose, _, which = name.partition(".")
    return f"the {whose}'s {which.upper()}" if which else f"job {name_of(fn)} ({name})"
