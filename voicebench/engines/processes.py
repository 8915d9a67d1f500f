"""Calls in several processes of this machine, one call a process at a time."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from voicebench.config import Pipeline
from voicebench.engines.base import CallRequest
from voicebench.engines.endpoints import StartEndpoint, caller_model, model_under_test
from voicebench.engines.pool import CallWorker, FromWorker, Lost, PooledEngine, Ready, WorkerConfig
from voicebench.serve import start_endpoint

__all__ = ["SETTINGS", "ProcessEngine", "work"]

_REPORT_EVERY_S = 1.0
_STDERR = 2
"""Where workers print: standard output may be one JSON object of the parent's."""

SETTINGS = {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "131072"}
"""One core each; and memory that a call has freed goes back to the system, whichever of its threads asked for it."""


class ProcessEngine(PooledEngine):
    """Makes calls in worker processes, which share one local endpoint. All of them end with this process.

    Args:
        pipeline: the configuration of all calls.
        seed: the run's seed.
        workers: how many processes.
        serve: starts the local endpoint.
    """

    def __init__(self, pipeline: Pipeline, seed: int, workers: int = 1, serve: StartEndpoint = start_endpoint) -> None:
        super().__init__(pipeline, workers, ProcessPool())
        self._seed = seed
        self._serve = serve
        self._config: WorkerConfig | None = None
        self._endpoints = contextlib.ExitStack()

    def close(self) -> None:
        """Kill the workers, and end the endpoint."""
        super().close()
        self._config = None
        self._endpoints.close()

    def worker_config(self) -> WorkerConfig:
        """Return where the endpoints are; they are started with the first worker."""
        if self._config is None:
            enter, pipeline = self._endpoints.enter_context, self._pipeline
            target, _ = enter(model_under_test(pipeline.agent, self._seed, self._serve))
            caller = enter(caller_model(pipeline.caller, self._seed, self._serve))
            self._config = WorkerConfig(pipeline, self._seed, target, caller, self._caller_voices)
        return self._config


@dataclass(eq=False)
class ProcessHandle:
    """One process and our end of the socket to it (see :class:`~voicebench.engines.pool.WorkerHandle`)."""

    number: int
    process: subprocess.Popen[bytes]
    connection: Connection
    since: float
    ready: bool = False
    request: CallRequest | None = None

    def take(self, request: CallRequest) -> None:
        """Give it a call to make; if it has just died, ``receive`` reports that as of any other."""
        self.request, self.since = request, time.perf_counter()
        with contextlib.suppress(OSError):
            # As bytes: the worker reads the request where an error of its pack can become the result of the call.
            self.connection.send_bytes(pickle.dumps(request))

    def end(self) -> str:
        """Kill the process if it still runs, and complete "the worker was"."""
        self.connection.close()
        self.process.kill()
        code = self.process.wait()
        return f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"


class ProcessPool:
    """The worker processes of an engine (see :class:`~voicebench.engines.pool.WorkerPool`)."""

    def __init__(self) -> None:
        self.workers: list[ProcessHandle] = []
        self._started = 0

    def start(self, config: WorkerConfig) -> None:
        """Start a process and send it the configuration; it sends ``Ready`` once its models are loaded.

        It inherits the environment, standard error and its end of a socket: no lock, no file of the run. It is in a
        process group of its own, so that a Ctrl-C in the terminal does not reach it.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            # -P: a file of the working folder must not be imported in the place of a module of ours.
            process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-c", f"from {__name__} import work; work({theirs.fileno()})"],
                stdin=subprocess.DEVNULL,
                stdout=_STDERR,
                env={**SETTINGS, **os.environ},
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        self._started += 1
        worker = ProcessHandle(self._started, process, Connection(ours.detach()), time.perf_counter())
        self.workers.append(worker)
        with contextlib.suppress(OSError):  # it has died already, which ``receive`` reports
            worker.connection.send(config)

    def receive(self, timeout_s: float) -> Iterator[tuple[ProcessHandle, FromWorker | Lost]]:
        """Give what workers have sent by now, or within the time; one that is gone has left the pool."""
        by_connection = {worker.connection: worker for worker in self.workers}
        for connection in wait(list(by_connection), timeout_s):
            assert isinstance(connection, Connection)
            worker = by_connection[connection]
            try:
                message: FromWorker = connection.recv()
            except (EOFError, OSError):
                self.workers.remove(worker)
                yield worker, Lost(worker.end())
                continue
            worker.ready = worker.ready or isinstance(message, Ready)
            yield worker, message

    def close(self) -> None:
        """End all of them, now."""
        # All are killed before the first is waited for: an end takes a moment, and more so with models in memory.
        workers, self.workers = self.workers, []
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.end()


# ---- the worker's process ---------------------------------------------------------------------------------------


class _Parent:
    """The socket to the parent: requests are queued as they come, and messages are sent whole.

    The process ends when the socket is closed, whatever it is doing: with its parent, however that went.
    """

    def __init__(self, descriptor: int) -> None:
        self._connection: Connection = Connection(descriptor)
        self._sending = threading.Lock()
        self.config: WorkerConfig = self._connection.recv()
        self.requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="voicebench-parent", daemon=True).start()

    def send(self, message: FromWorker) -> None:
        # Two threads send; a message that is cut by another one cannot be read.
        with self._sending:
            self._connection.send(message)

    def _read(self) -> None:
        while True:
            try:
                self.requests.put(self._connection.recv_bytes())
            except (EOFError, OSError):
                os._exit(0)  # the parent has gone, so that nothing is left to do, also in the middle of a call


def work(descriptor: int) -> None:
    """Make calls for the parent until it closes the socket.

    Args:
        descriptor: this process's end of the socket.
    """
    parent = _Parent(descriptor)
    worker = CallWorker(parent.config)
    started = worker.load()
    parent.send(started)
    if not isinstance(started, Ready):
        return

    def report_waits() -> None:
        pause = threading.Event()
        while not pause.wait(_REPORT_EVERY_S):
            waits = worker.waits(_REPORT_EVERY_S)
            if waits is not None:
                parent.send(waits)

    threading.Thread(target=report_waits, name="voicebench-waits", daemon=True).start()
    while True:
        parent.send(worker.make(parent.requests.get()))
