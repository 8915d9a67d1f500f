"""Runs over text by the installed command, for tests that kill, stop and starve them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

TASKS = ("T1-E1", "T2-H3", "T2-M1", "T3-H4")
TRIALS = 2
CALLS = len(TASKS) * TRIALS
REPEATABLE = ("trace.jsonl", "exchanges.jsonl", "state.json", "recording.wav")
SLOWLY = ("--set", "agent.llm.ttft_ms=50")
"""The model lets each request wait: on any machine a call takes over half a second, and it stays the same."""

_PATIENCE_S = 300.0


def command(out: Path, *more: str, channel: str = "text") -> list[str]:
    """A run of four tasks, two trials each, by two workers."""
    tasks = [part for task in TASKS for part in ("--task", task)]
    asked = ["run", "fast", "--channel", channel, *tasks, "--trials", str(TRIALS), "--workers", "2", "--seed", "5"]
    return [sys.executable, "-m", "voicebench.cli", *asked, "--out", str(out), *more]


def start(out: Path, *more: str, channel: str = "text") -> subprocess.Popen[str]:
    """Start it; standard error can be read as it comes."""
    return subprocess.Popen(
        command(out, *more, channel=channel), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def complete(out: Path, *more: str, channel: str = "text") -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    return subprocess.run(command(out, *more, channel=channel), capture_output=True, text=True, timeout=4 * _PATIENCE_S)


def committed(out: Path) -> list[str]:
    """The attempts that are there."""
    return sorted(str(path.relative_to(out)) for path in out.glob("calls/*/*/*/attempt-*"))


def files(out: Path) -> dict[str, bytes]:
    """What equal runs have in common: all files but ``call.json``."""
    return {
        f"{path}/{name}": (out / path / name).read_bytes()
        for path in committed(out)
        for name in REPEATABLE
        if (out / path / name).exists()
    }


def wait_for(happened: Callable[[], bool]) -> None:
    """Wait until something has happened in another process."""
    end_s = time.perf_counter() + _PATIENCE_S
    while not happened():
        assert time.perf_counter() < end_s, "it did not happen"
        time.sleep(0.01)
