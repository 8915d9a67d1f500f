"""How a run's folder with thousands of calls behaves: a real one, multiplied."""

from __future__ import annotations

import io
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from voicebench.runner.plan import RunRequest
from voicebench.runner.run import run
from voicebench.store import RunFolder, StoredCall, commit_call, find_runs, read_call, to_json, to_jsonl
from voicebench.store.index import rebuild_index

__all__ = ["LoadBench", "bench_load", "lengthen", "multiply"]


@dataclass(frozen=True)
class LoadBench:
    """Wall seconds over one folder.

    Attributes:
        calls: that it holds.
        list_s: reading the list of calls.
        index_s: building the index anew.
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


def multiply(folder: RunFolder, trials: int) -> None:
    """Give every task of a run so many trials: copies of its first, whose large files are links."""
    for call_dir in list(folder.call_dirs()):
        stored = read_call(call_dir)
        if stored.call["trial"] != 1:
            continue
        for number in range(2, trials + 1):
            target = folder.attempt_dir(stored.call["pack"], stored.call["task"], number, stored.call["attempt"])
            commit_call(target, {"call.json": to_json({**stored.call, "trial": number})})
            for path in call_dir.iterdir():
                if path.name != "call.json":
                    os.link(path, target / path.name)


def lengthen(stored: StoredCall, target: Path, length_s: float) -> None:
    """Commit a call that is as long as this: one with sound, repeated.

    Args:
        stored: the call that is repeated.
        target: the folder of the attempt that it becomes.
        length_s: how long it shall be, rounded up to whole repetitions.
    """
    samples, rate = soundfile.read(stored.recording, dtype="int16")
    step_ns = round(len(samples) * 1e9 / rate)
    times = math.ceil(length_s * rate / len(samples))
    turns = 1 + max((line["attributes"].get("turn", 0) for line in stored.trace), default=0)
    trace = [_shifted(line, number, step_ns, turns) for number in range(times) for line in stored.trace]
    trace = [line for line in trace if line["name"] not in ("call", "hangup")]
    recording = io.BytesIO()
    soundfile.write(recording, np.tile(samples, (times, 1)), rate, format="WAV", subtype="PCM_16")
    names = dict(zip(("pack", "task", "trial"), target.parts[-4:-1], strict=True))
    call = {**stored.call, **names, "trial": int(names["trial"]), "call_s": times * step_ns / 1e9, "files": {}}
    files = {path.name: path.read_bytes() for path in stored.dir.iterdir()}
    commit_call(
        target,
        {**files, "call.json": to_json(call), "trace.jsonl": to_jsonl(trace), "recording.wav": recording.getvalue()},
    )


def _shifted(line: dict[str, Any], number: int, step_ns: int, turns: int) -> dict[str, Any]:
    moved: dict[str, Any] = {
        key: line[key] + number * step_ns for key in ("start_ns", "end_ns", "time_ns") if key in line
    }
    ids = {
        key: f"{int(line[key], 16) ^ number:016x}" for key in ("span_id", "parent_span_id") if line.get(key) is not None
    }
    attributes = dict(line["attributes"])
    if "turn" in attributes:
        attributes["turn"] += number * turns
    return {**line, **moved, **ids, "attributes": attributes}


def _seconds(what: Callable[[], object]) -> float:
    start_s = time.perf_counter()
    what()
    return time.perf_counter() - start_s
