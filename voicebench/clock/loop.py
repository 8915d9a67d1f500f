"""The event loop whose time is the call's time.

asyncio has no way to give a loop another clock, so this one reaches below its public face, in three ways:

- It gives the selector. asyncio's ``_run_once`` computes how long it may sleep and calls ``selector.select(timeout)``;
  :meth:`CallLoop._wait` answers, and may move call time instead of sleeping. That ``select`` is called once in each
  turn of the loop, with 0 when a callback is ready and None when no timer is set, is all that time rests on.
- It gives the timers (``call_at``), and reads asyncio's heap of them to know when the next one is due.
- It overrides two hooks: ``_asyncgen_finalizer_hook`` and ``_make_subprocess_transport``.

Each private name is declared in the class below with what it is used for. ``tests/clock`` fails if a version of Python
changes one of them: then look at ``base_events.py`` for the new name.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import contextvars
import functools
import heapq
import itertools
import socket
import threading
import time
import weakref
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar, TypeVarTuple, Unpack

from voicebench.clock.monitor import Monitor, waiting_tasks
from voicebench.clock.poller import Events, Poller, Timer
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
from voicebench.errors import ClockError

__all__ = ["CallLoop", "Mode", "current_loop"]

Mode = Literal["charge", "virtual", "real"]
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_RESOLUTION_S = 0.5e-9
"""Half of the nanosecond in which call time is kept: a timer runs at its own nanosecond, and none runs before it."""
_LOCAL_DELIVERY_S = 0.001
"""Wall seconds that the kernel is given to bring data from one end of a loopback connection to the other."""
_LOCAL_SILENCE_S = 1.0
"""The same when nothing else is due, before the call is given up."""


class CallLoop(asyncio.SelectorEventLoop):
    """An event loop on call time: seconds from 0.0, kept in whole nanoseconds.

    Args:
        mode: ``charge`` (call time stands still during real work and jumps otherwise), ``virtual`` (it follows the
            wall during real work and jumps otherwise) or ``real`` (the wall).
        strict: in ``charge`` mode, refuse what the loop cannot account for: sockets and threads from outside.
        watchdog_s: wall seconds that a job, a request without a byte, or one callback may take.

    Attributes:
        undeclared_jobs: executor jobs so far that were not declared; they cost nothing in ``charge`` mode.
        job_totals: per device name, the declared jobs so far.
        fetch_wall_s: wall seconds that HTTP requests took so far.
    """

    if TYPE_CHECKING:  # what asyncio has and its stubs leave out
        _scheduled: list[Timer]  # the heap of timers; its first one says where call time jumps to
        _clock_resolution: float  # timers that are due within it run in this turn of the loop
        _default_executor: concurrent.futures.Executor | None  # what set_default_executor was given
        _ssock: socket.socket  # the end of the pipe that wakes the loop: registered, but brings nothing from outside
        _thread_id: int | None  # the thread that runs the loop; None while it does not run
        _asyncgens: weakref.WeakSet[AsyncGenerator[Any, Any]]  # the generators that are closed with the loop
        _transports: Mapping[int, asyncio.BaseTransport]  # by descriptor, those that do not read at the moment too

        def _check_closed(self) -> None: ...
        def _write_to_self(self) -> None: ...  # unlike call_soon_threadsafe it wakes the loop with nothing to run

    def __init__(self, *, mode: Mode = "charge", strict: bool = True, watchdog_s: float = 120.0) -> None:
        self.mode: Mode = mode
        self.strict = strict
        self.watchdog_s = watchdog_s
        self.undeclared_jobs = 0
        self.job_totals: dict[str, JobTotals] = {}
        self.fetch_wall_s = 0.0
        self._now_ns = 0
        self._born_ns = time.perf_counter_ns()
        self._sequence = itertools.count()
        self._work = WorkList()
        self._monitor = Monitor(watchdog_s)
        self._undeclared_pool = DaemonPool("voicebench-undeclared")
        self._job_pool = DaemonPool("voicebench-job")
        self._own_threads: set[int] = set()
        self._closers: list[Callable[[], object]] = []
        self._abandoned: list[AsyncGenerator[Any, Any]] = []
        self._failure: ClockError | None = None
        self._give_up_s: float | None = None
        self._idle_since_s: float | None = None
        self._poller = Poller()
        self._poller.decide = self._wait
        super().__init__(self._poller)
        # asyncio has set the resolution of the machine's clock, which on some systems is milliseconds
        self._clock_resolution = _RESOLUTION_S

    # ---------------------------------------------------------------------------------------------------- time

    @property
    def now_ns(self) -> int:
        """Call time in nanoseconds."""
        return time.perf_counter_ns() - self._born_ns if self.mode == "real" else self._now_ns

    def time(self) -> float:
        """Call time in seconds."""
        return self.now_ns / 1e9

    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run a callback at a call time; equal times run in the order in which they were set."""
        self._check_closed()
        timer = Timer(round(when * 1e9), next(self._sequence), callback, args, self, context)
        heapq.heappush(self._scheduled, timer)
        # asyncio counts a cancelled timer only if this is set, and clears the heap of them when they are many
        timer._scheduled = True  # type: ignore[attr-defined]
        return timer

    @property
    def harness_wall_s(self) -> float:
        """Wall seconds that Python ran on the loop so far; they cost no call time."""
        return self._monitor.busy_wall_s

    @property
    def longest_callback_s(self) -> float:
        """Wall seconds that the loop was held longest between two waits; in real time nothing else could happen."""
        return self._monitor.longest_wall_s

    # ------------------------------------------------------------------------------------------------ real work

    def track(self, work: Work) -> None:
        """Let call time wait for this work. Unless the mode is ``real`` it begins when nothing else is ready."""
        self._work.add(work)
        if self.mode == "real":  # elsewhere it waits for _wait: what is ready now may submit more work at this instant
            work.ensure_begun()

    def forget(self, work: Work) -> None:
        """Do not wait for this work any more."""
        self._work.discard(work)

    def longest_wait(self) -> tuple[str, float] | None:
        """Return what the loop has waited for longest, and its silence in wall seconds; any thread may ask."""
        work = self._work.slowest()
        return None if work is None else (work.name, work.silent_s())

    def wake(self) -> None:
        """Make the loop look at its work; any thread may call it."""
        self._write_to_self()

    def at_close(self, closer: Callable[[], object]) -> None:
        """Call ``closer`` when the loop is closed."""
        self._closers.append(closer)

    def declared(self, fn: Callable[[], object], name: str) -> asyncio.Future[JobOutcome]:
        """Run one declared job with the clock of this mode; its outcome comes at the call time at which it ended.

        The job runs to its end whatever happens to who waits for it: shield the future from cancellation.
        """
        future: asyncio.Future[JobOutcome] = self.create_future()
        running: list[concurrent.futures.Future[JobOutcome]] = []

        def begin() -> None:
            running.append(self._job_pool.submit(self._in_own_thread, functools.partial(measure, fn)))
            running[0].add_done_callback(lambda _: self.wake())

        def deliver() -> None:
            outcome = running[0].result()
            self.job_totals.setdefault(name, JobTotals()).add(outcome)
            future.set_result(outcome)

        self.track(Work(title_of(fn, name), begin, lambda: running[0].done(), deliver, exclusive=True))
        return future

    def run_in_executor(
        self,
        executor: concurrent.futures.Executor | None,
        func: Callable[[Unpack[Ts]], T],
        *args: *Ts,
    ) -> asyncio.Future[T]:
        """Run an undeclared job: in ``charge`` mode call time stands still for it, and it costs nothing."""
        self._check_closed()
        self.undeclared_jobs += 1
        pool = executor or self._default_executor or self._undeclared_pool
        job = functools.partial(func, *args)
        if not isinstance(pool, concurrent.futures.ProcessPoolExecutor):
            job = functools.partial(self._in_own_thread, job)
        running = pool.submit(job)
        running.add_done_callback(lambda _: self.wake())
        future: asyncio.Future[T] = self.create_future()
        work = Work(f"undeclared job {name_of(func)}", lambda: None, running.done, lambda: copy_result(running, future))

        def ended(_: object) -> None:
            running.cancel()
            self.forget(work)

        future.add_done_callback(ended)
        self.track(work)
        work.ensure_begun()
        return future

    def _in_own_thread(self, job: Callable[[], T]) -> T:
        thread_id = threading.get_ident()
        self._own_threads.add(thread_id)
        try:
            return job()
        finally:
            self._own_threads.discard(thread_id)

    def call_soon_threadsafe(
        self,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        """Run a callback from another thread; in strict ``charge`` mode only from threads that the loop knows."""
        thread = threading.current_thread()
        strict = self.mode == "charge" and self.strict and self._give_up_s is None
        known = thread.ident == self._thread_id or thread.ident in self._own_threads
        if strict and self.is_running() and not known:
            self.fail(
                f"thread {thread.name!r} calls back into the call at a moment that has no call time "
                f"({callback!r}); run its work through run_job, asyncio.to_thread or run_in_executor"
            )
        return super().call_soon_threadsafe(callback, *args, context=context)

    def fail(self, message: str) -> None:
        """End the call with a ClockError out of ``run_call``; any thread may call it."""
        if self._failure is None:
            self._failure = ClockError(message)
        self.wake()

    # ------------------------------------------------------------------------------------------------- waiting

    def _wait(self, timeout: float | None) -> Events:
        """Answer asyncio's ``select``: ``timeout`` is 0 when something is ready and None when no timer is set."""
        held = self._monitor.asleep()
        try:
            if held is not None and self._failure is None:
                self._failure = ClockError(f"{held}; callbacks must not block: run the work through run_job")
            if self._failure is not None:
                failure, self._failure = self._failure, None
                raise failure
            if self._give_up_s is not None and time.perf_counter() > self._give_up_s:
                raise ClockError("the call's tasks did not end when they were cancelled")
            return self._wait_for_wall(timeout) if self.mode == "real" else self._wait_for_call(timeout)
        finally:
            self._monitor.awake()

    def _wait_for_call(self, timeout: float | None) -> Events:
        events = self._poller.poll(0)
        if events or timeout == 0:
            self._idle_since_s = None
            return events
        sockets = self._poller.survey(
            self._ssock.fileno(), lambda: [each.get_extra_info("sockname") for each in self._transports.values()]
        )
        if self.mode == "virtual" and (self._work or sockets.outside is not None):
            before_ns = time.perf_counter_ns()
            self._work.begin_all()
            events = self._wait_for_wall(timeout)
            self._now_ns += time.perf_counter_ns() - before_ns
            return events
        if self._work:
            work = self._work.head()
            if not work.finished():
                return self._poller.poll(self._patience_s(work))  # call time stands still meanwhile
            self._work.take(work)
            return []
        if sockets.local:
            # What one task has sent another over a loopback connection is in the kernel: it must come before time moves
            events = self._poller.poll(_LOCAL_DELIVERY_S if timeout is not None else _LOCAL_SILENCE_S)
            if events:
                return events
        if self.strict and sockets.outside is not None and self._give_up_s is None:
            raise ClockError(
                f"the call waits for {sockets.outside}, whose other end is not on the call's loop, so that what it "
                "brings has no call time. Send HTTP through ChargedTransport, run clients in run_job, or use clock "
                "mode real"
            )
        if timeout is None:
            return self._wait_for_nothing()
        # Not by the timeout, which is a float and which asyncio cuts at one day. No cancelled timer is ever the first:
        # asyncio takes those away before it asks
        self._now_ns = max(self._now_ns, self._scheduled[0].ns)
        return []

    def _wait_for_wall(self, timeout: float | None) -> Events:
        if self._work.take_finished():
            return self._poller.poll(0)
        slowest = self._work.slowest()
        if slowest is not None:
            patience_s = self._patience_s(slowest)
            timeout = patience_s if timeout is None else min(timeout, patience_s)
        return self._poller.poll(timeout)

    def _patience_s(self, work: Work) -> float:
        """Return the wall seconds that the watchdog still grants this work.

        Raises:
            ClockError: none.
        """
        left_s = self.watchdog_s - work.silent_s()
        if left_s <= 0:
            raise ClockError(
                f"{work.name} has not ended after {self.watchdog_s:g} s of wall time; it is given up and the call with "
                "it. If it is only slow, raise watchdog_s"
            )
        return left_s if self._give_up_s is None else min(left_s, 1.0)  # so that the limit of wind_down is looked at

    def _wait_for_nothing(self) -> Events:
        """Nothing is ready, no timer is set, no work is in flight: only something untracked could go on."""
        now_s = time.perf_counter()
        if self._idle_since_s is None:
            self._idle_since_s = now_s
        ending = self.strict or self._give_up_s is not None
        left_s = 0.0 if ending else self.watchdog_s - (now_s - self._idle_since_s)
        if left_s <= 0:
            raise ClockError(
                f"nothing is due at call time {self.time():.3f} s, and nothing that the loop knows of will go on: "
                f"{waiting_tasks(self)}. Something waits for a thread, a process or an event that never comes; run "
                "real work through run_job, and HTTP through ChargedTransport"
            )
        return self._poller.poll(left_s)

    # ------------------------------------------------------------------------------------------------ life cycle

    def run_forever(self) -> None:
        """Run until stopped, watched for callbacks that hold the loop."""
        self._monitor.start()
        try:
            super().run_forever()
        finally:
            self._monitor.stop()

    def wind_down(self, limit_s: float) -> None:
        """Forget the work in flight and cancel all tasks; give up on those that go on for ``limit_s`` wall seconds."""
        self._work.clear()
        self._failure = None
        self._give_up_s = time.perf_counter() + limit_s
        tasks = asyncio.all_tasks(self)
        for task in tasks:
            task.cancel()
        with contextlib.suppress(ClockError):
            if tasks:
                self.run_until_complete(asyncio.wait(tasks, timeout=limit_s))
            self.run_until_complete(self.shutdown_asyncgens())

    def _asyncgen_finalizer_hook(self, agen: AsyncGenerator[Any, Any]) -> None:
        """Keep an abandoned generator until the call ends.

        asyncio's own hook starts a task that closes it as soon as the garbage collector finds it. When that is, and in
        which thread, is chance, so that the task would run at different call times in equal calls. If asyncio renames
        the hook, that comes back.
        """
        self._abandoned.append(agen)

    async def shutdown_asyncgens(self) -> None:
        """Close the generators that are still open, abandoned ones too."""
        self._asyncgens.update(self._abandoned)  # a weak set: the list has kept them alive until here
        await super().shutdown_asyncgens()
        self._abandoned.clear()

    def close(self) -> None:
        """Close the loop and let its threads go; running jobs are not waited for."""
        if self.is_closed():
            return
        for closer in self._closers:
            closer()
        self._undeclared_pool.shutdown()
        self._job_pool.shutdown()
        super().close()

    async def _make_subprocess_transport(self, *args: Any, **kwargs: Any) -> NoReturn:
        # asyncio's one way to a subprocess, with a shell or without. Pipes of a child are refused as descriptors from
        # outside, but a child without pipes would go unseen, and so do all if asyncio renames this hook.
        raise ClockError(
            "an asyncio subprocess has no place in call time; start it before the call, or run it in run_job"
        )


def current_loop() -> CallLoop:
    """Return the running call loop.

    Raises:
        ClockError: no call loop is running in this thread.
    """
    loop = asyncio._get_running_loop()
    if not isinstance(loop, CallLoop):
        raise ClockError("this needs a running CallLoop; start the call with voicebench.clock.run_call")
    return loop
