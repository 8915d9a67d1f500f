"""A Ray cluster on this machine, for tests: it is nobody's child, and is found and ended by its folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.ports import free_port
from tests.processes import command_line, descendants, kill

ROOT = Path(__file__).parents[1]
TOKEN = "0123456789abcdef" * 4
SETTINGS = {
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": TOKEN,
    "RAY_SCHEDULER_EVENTS": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "PYTHONPATH": str(ROOT),
}
RAY = Path(sys.executable).with_name("ray")
START = ("--object-store-memory", "100000000", "--disable-usage-stats", "--dashboard-agent-listen-port", "0")
_PATIENCE_S = 300.0


@dataclass(frozen=True)
class Cluster:
    """One node with two CPUs, and a GPU that Ray is told of."""

    address: str
    folder: Path

    def workers(self) -> list[int]:
        """The processes of voicebench's actors."""
        nodes = [pid for pid in of_folder(self.folder) if "/raylet/raylet " in command_line(pid)]
        under = [pid for node in nodes for pid in descendants(node)]
        return [pid for pid in sorted(under) if command_line(pid).startswith("ray::CallWorker")]

    def end(self) -> None:
        for pid in of_folder(self.folder):
            kill(pid, signal.SIGKILL)
        wait_until(lambda: not of_folder(self.folder))
        shutil.rmtree(self.folder, ignore_errors=True)


def start_cluster() -> Cluster:
    folder = Path(tempfile.mkdtemp(prefix="vb-ray-", dir="/tmp"))  # sockets have short paths
    port = free_port()
    here = ["--head", "--port", str(port), "--include-dashboard", "false"]
    size = ["--num-cpus", "2", "--num-gpus", "1", "--temp-dir", str(folder)]
    done = subprocess.run(
        [RAY, "start", *here, *size, *START], env={**os.environ, **SETTINGS}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return Cluster(f"127.0.0.1:{port}", folder)


def of_folder(folder: Path) -> list[int]:
    """The processes whose command names a folder."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if pid != os.getpid() and f"{folder}/" in command_line(pid)]


def wait_until(happened: Callable[[], bool]) -> None:
    """Wait until something has happened in another process."""
    end_s = time.perf_counter() + _PATIENCE_S
    while not happened():
        assert time.perf_counter() < end_s, "it did not happen"
        time.sleep(0.05)
