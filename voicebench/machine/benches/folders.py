"""Folders with thousands of calls, and calls of many minutes, made of real ones: listing, resuming, and their pages."""

from __future__ import annotations

import io
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import soundfile

from voicebench.config import Pipeline
from voicebench.record.events import AgentUnspokenEvent, BargeInEvent, HangupEvent
from voicebench.record.spans import AgentSpeechSpan, CallerSpeechSpan, CallSpan
from voicebench.record.trace import TraceRecord
from voicebench.record.trace_line import TraceSpan
from voicebench.runner import RunRequest, run
from voicebench.store import RunFolder, StoredCall, commit_call, find_runs, read_call, to_json, to_jsonl
from voicebench.store.index import rebuild_index
from voicebench.viewer.render import page_path

__all__ = ["LoadBench", "PageTime", "PagesBench", "bench_load", "bench_pages", "lengthen", "multiply"]


@dataclass(frozen=True)
class LoadBench:
    """Wall seconds over one folder.

    Attributes:
        calls: that it holds.
        list_s: reading the list of calls.
        index_s: building the index from nothing.
        first_s: taking the run over when its index knows none of the calls.
        resume_s: taking it over again, with nothing left to make.
    """

    calls: int
    list_s: float
    index_s: float
    first_s: float
    resume_s: float


def bench_load(request: RunRequest, calls: int) -> LoadBench:
    """Make one call a task, multiply them until there are so many, and time listing and resuming.

    Args:
        request: the run; its trials are as many as it takes.
        calls: how many calls the folder shall hold, rounded up to whole trials.
    """
    made = run(replace(request, trials=1))
    folder = RunFolder(made.run_dir)
    trials = -(-calls // len(made.calls))
    multiply(folder, trials)
    whole = replace(request, trials=trials)
    index = folder.root / "index.db"
    return LoadBench(
        calls=sum(1 for _ in folder.call_dirs()),
        list_s=_seconds(lambda: [call for call in folder.calls() if isinstance(call, StoredCall)]),
        index_s=_seconds(lambda: rebuild_index(index, find_runs(folder.root))),
        first_s=_seconds(lambda: run(whole)),
        resume_s=_seconds(lambda: run(whole)),
    )


_WITH_TURN = AgentSpeechSpan | CallerSpeechSpan | AgentUnspokenEvent | BargeInEvent


def multiply(folder: RunFolder, trials: int) -> None:
    """Bring every task of a run to the wanted number of trials: copies of its first, whose large files are links."""
    for call_dir in list(folder.call_dirs()):
        stored = read_call(call_dir)
        if stored.call.trial != 1:
            continue
        for number in range(2, trials + 1):
            target = folder.attempt_dir(stored.call.pack, stored.call.task, number, stored.call.attempt)
            commit_call(target, {"call.json": to_json(stored.call.model_copy(update={"trial": number}))})
            # Links, since thousands of recordings would fill the disk and writing them is not what is measured.
            for path in call_dir.iterdir():
                if path.name != "call.json":
                    os.link(path, target / path.name)


def lengthen(stored: StoredCall, target: Path, length_s: float) -> None:
    """Store a call of the wanted length, made by repeating a call that has a recording.

    Args:
        stored: the call that is repeated.
        target: the folder of the attempt that it becomes.
        length_s: how long it shall be, rounded up to whole repetitions.
    """
    samples, rate = soundfile.read(stored.recording, dtype="int16")
    step_ns = round(len(samples) * 1e9 / rate)
    times = math.ceil(length_s * rate / len(samples))
    said = [record for record in stored.trace if not isinstance(record, CallSpan | HangupEvent)]
    turns = 1 + max((record.turn for record in said if isinstance(record, _WITH_TURN)), default=0)
    trace = [_shifted(record, number, step_ns, turns) for number in range(times) for record in said]
    recording = io.BytesIO()
    soundfile.write(recording, np.tile(samples, (times, 1)), rate, format="WAV", subtype="PCM_16")
    pack, task, trial = target.parts[-4:-1]
    names = {"pack": pack, "task": task, "trial": int(trial)}
    call = stored.call.model_copy(update={**names, "call_s": times * step_ns / 1e9, "files": {}})
    files = {path.name: path.read_bytes() for path in stored.dir.iterdir()}
    commit_call(
        target,
        {**files, "call.json": to_json(call), "trace.jsonl": to_jsonl(trace), "recording.wav": recording.getvalue()},
    )


def _shifted(record: TraceRecord, number: int, step_ns: int, turns: int) -> TraceRecord:
    """Return a record of the repetition with a number: later, with an id and a turn of its own."""
    moved: dict[str, int | str] = {
        name: getattr(record, name) + number * step_ns
        for name in ("start_ns", "end_ns", "time_ns")
        if name in type(record).model_fields
    }
    if isinstance(record, TraceSpan) and record.parent_span_id is not None:
        moved["parent_span_id"] = f"{int(record.parent_span_id, 16) ^ number:016x}"
    if record.span_id is not None:
        moved["span_id"] = f"{int(record.span_id, 16) ^ number:016x}"
    if isinstance(record, _WITH_TURN):
        moved["turn"] = record.turn + number * turns
    return record.model_copy(update=moved)


def _seconds(what: Callable[[], object]) -> float:
    start_s = time.perf_counter()
    what()
    return time.perf_counter() - start_s


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
    stored = read_call(Path(one.calls[0].dir))
    long = RunFolder(one.run_dir).attempt_dir(stored.call.pack, stored.call.task, 2, 1)
    lengthen(stored, long, 60 * minutes)
    pack, task = many.calls[0].pack, many.calls[0].task
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
    return PagesBench(trials * len(many.calls), read_call(long).call.call_s or 0.0, start_s, pages)


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
