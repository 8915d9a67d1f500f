"""How fast the pages come from the server: a run of many calls, and one long call, both made of real ones."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from voicebench.config import Pipeline
from voicebench.machine.bench_load import lengthen, multiply
from voicebench.runner import RunRequest, run
from voicebench.store import RunFolder, read_call
from voicebench.viewer.render import page_path

__all__ = ["PageTime", "PagesBench", "bench_pages"]

_REPEATS = 9
_CHUNK = 1 << 20


@dataclass(frozen=True)
class PageTime:
    """What one page took, asked for on loopback.

    Attributes:
        name: what it is.
        first_ms: the first answer, wall milliseconds.
        median_ms: the median of those after it.
        worst_ms: the slowest of those.
        first_cpu_ms, cpu_ms: CPU time of the server for the first, and for one of those after it, which other work on
            the machine lengthens little.
        size: bytes of the answer.
    """

    name: str
    first_ms: float
    median_ms: float
    worst_ms: float
    first_cpu_ms: float
    cpu_ms: float
    size: int


@dataclass(frozen=True)
class PagesBench:
    """The pages of one folder of runs.

    Attributes:
        calls: in the run of many calls.
        length_s: of the long call.
        start_s: wall seconds from starting the server until it said where it is.
        pages: what each page took.
    """

    calls: int
    length_s: float
    start_s: float
    pages: list[PageTime]


def bench_pages(text: Pipeline, audio: Pipeline, folder: Path, calls: int, minutes: float) -> PagesBench:
    """Make a run of many calls and one long call, serve them, and time each kind of page.

    Args:
        text: pipeline of the many calls, held in text.
        audio: pipeline of the long call.
        folder: an empty folder of runs.
        calls: how many calls the one run shall have, rounded up to whole trials.
        minutes: how long the long call shall be, rounded up to whole repetitions of a real one.
    """
    many = run(RunRequest(text, limit=calls, out=folder / "many"))
    trials = -(-calls // len(many.calls))
    multiply(RunFolder(many.run_dir), trials)
    one = run(RunRequest(audio, tasks=("T1-E1",), out=folder / "long"))
    stored = read_call(Path(one.calls[0]["dir"]))
    long = RunFolder(one.run_dir).attempt_dir(stored.call["pack"], stored.call["task"], 2, 1)
    lengthen(stored, long, 60 * minutes)
    pack, task = many.calls[0]["pack"], many.calls[0]["task"]
    addresses = {
        "start": page_path("start"),
        f"run of {trials * len(many.calls)} calls": page_path("run", "many"),
        "pack": page_path("pack", pack),
        f"task with {trials} trials": page_path("task", pack, task),
        "call in text": page_path("call", "many", pack, task, 1, 1),
        "call with sound": page_path("call", "long", pack, "T1-E1", 1, 1),
        f"call of {minutes:g} minutes": page_path("call", "long", pack, "T1-E1", 2, 1),
    }
    wav = addresses[f"call of {minutes:g} minutes"] + "recording.wav"
    started = time.perf_counter()
    with _served(folder) as server:
        start_s = time.perf_counter() - started
        pages = [_timed(server, name, address) for name, address in addresses.items()]
        pages.append(_timed(server, "1 MB of its recording", wav, {"Range": f"bytes={_CHUNK}-{2 * _CHUNK - 1}"}))
    return PagesBench(trials * len(many.calls), read_call(long).call["call_s"], start_s, pages)


@dataclass(frozen=True)
class _Server:
    """A server in a process of its own, by host and port and by process."""

    place: str
    pid: int

    def cpu_s(self) -> float:
        """Return the CPU time that it has used; the clock of another process has its number from the kernel's ABI."""
        return time.clock_gettime((~self.pid << 3) | 2)


@contextmanager
def _served(folder: Path) -> Iterator[_Server]:
    """Serve the pages."""
    command = [sys.executable, "-P", "-m", "voicebench.cli", "view", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        assert server.stdout is not None
        address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
        try:
            yield _Server(urlsplit(address).netloc, server.pid)
        finally:
            server.terminate()


def _timed(server: _Server, name: str, address: str, headers: dict[str, str] | None = None) -> PageTime:
    def ask() -> int:
        connection = HTTPConnection(server.place, timeout=60)
        connection.request("GET", f"/{address}", headers=headers or {})
        answer = connection.getresponse()
        assert answer.status == (206 if headers else 200), f"{address}: {answer.status}"
        size = len(answer.read())
        connection.close()
        return size

    start_s = server.cpu_s()
    first_ms, size = _milliseconds(ask)
    first_s = server.cpu_s()
    others = [_milliseconds(ask)[0] for _ in range(_REPEATS)]
    cpu_ms = (server.cpu_s() - first_s) * 1e3 / _REPEATS
    return PageTime(name, first_ms, statistics.median(others), max(others), (first_s - start_s) * 1e3, cpu_ms, size)


def _milliseconds(what: Callable[[], int]) -> tuple[float, int]:
    start_s = time.perf_counter()
    result = what()
    return (time.perf_counter() - start_s) * 1e3, result
