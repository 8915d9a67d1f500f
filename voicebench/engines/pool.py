"""The processes of :class:`~voicebench.engines.workers.WorkerEngine`: starting, briefing, hearing and ending them."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from voicebench.engines.base import Job
from voicebench.engines.messages import Briefing, FromWorker, Ready, Ticket
from voicebench.engines.staffed import Lost

__all__ = ["SETTINGS", "Pool", "Worker"]

_STDERR = 2
"""Where workers print: standard output may be one JSON object of the parent's."""


SETTINGS = {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "131072"}
"""One core each; and memory that a call has freed goes back to the system, whichever of its threads asked for it."""


@dataclass(eq=False)
class Worker:
    """One process and our end of the socket to it.

    Attributes:
        number: from 1.
        process: it.
        connection: our end.
        since: ``perf_counter`` of its start, or of the start of its job.
        ready: whether its models are loaded.
        job: what it is working on.
    """

    number: int
    process: subprocess.Popen[bytes]
    connection: Connection
    since: float
    ready: bool = False
    job: Job | None = None

    @property
    def free(self) -> bool:
        """Whether it could take a job."""
        return self.ready and self.job is None

    def take(self, job: Job) -> None:
        """Give it a job; if it has just died, its end is heard of like any other."""
        self.job, self.since = job, time.perf_counter()
        with contextlib.suppress(OSError):
            self.connection.send(Ticket.of(job))

    def end(self) -> int:
        """Kill the process if it still runs, and return its exit code."""
        self.connection.close()
        self.process.kill()
        return self.process.wait()


class Pool:
    """Some workers."""

    def __init__(self) -> None:
        self.workers: list[Worker] = []
        self._started = 0

    def start(self, briefing: Briefing) -> Worker:
        """Start a worker and brief it; it says when it is ready.

        It inherits the environment, standard error and its end of a socket: no lock, no file of the run. Ctrl-C is not
        for it.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-m", "voicebench.engines.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=_STDERR,
                env={**SETTINGS, **os.environ},
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        self._started += 1
        worker = Worker(self._started, process, Connection(ours.detach()), time.perf_counter())
        self.workers.append(worker)
        with contextlib.suppress(OSError):  # heard of later, as a worker that is lost
            worker.connection.send(briefing)
        return worker

    def hear(self, timeout_s: float) -> Iterator[tuple[Worker, FromWorker | Lost]]:
        """Give what workers have said by now, or within the time; one that is gone has left the pool."""
        by_connection = {worker.connection: worker for worker in self.workers}
        for connection in wait(list(by_connection), timeout_s):
            assert isinstance(connection, Connection)
            worker = by_connection[connection]
            try:
                message: FromWorker = connection.recv()
            except (EOFError, OSError):
                self.workers.remove(worker)
                yield worker, Lost(_how(worker.end()))
                continue
            worker.ready = worker.ready or isinstance(message, Ready)
            yield worker, message

    def close(self) -> None:
        """End all of them, now."""
        workers, self.workers = self.workers, []
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.end()


def _how(code: int) -> str:
    """Say how a process ended; its exit code is negative for a signal."""
    return f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
