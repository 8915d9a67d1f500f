"""Runs that several tests look at; each is made once, by the installed command in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

FAST_TASKS = ("T1-E1", "T2-H3", "T2-M1", "T3-H4")
SCRIPTS = Path(__file__).parent / "scripts"


@dataclass(frozen=True)
class Finished:
    """A command that has ended, and what its ``--json`` said."""

    code: int
    out: dict[str, Any]
    err: str

    def call(self, task: str) -> dict[str, Any]:
        """The row of one task."""
        return next(call for call in self.out["calls"] if call["task"] == task)

    def dir(self, task: str) -> Path:
        """The folder of one task's call."""
        return Path(self.call(task)["dir"])


def voicebench(*arguments: str | Path, limit_s: float = 1_200) -> Finished:
    """Run the command with ``--json``."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENAI_API_KEY": ""}
    done = subprocess.run(
        [sys.executable, "-m", "voicebench.cli", *map(str, arguments), "--json"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=limit_s,
    )
    return Finished(done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr)


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON lines file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="session")
def paper_run(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """Both paper cases over pstn, with the default pipeline."""
    out = tmp_path_factory.mktemp("paper") / "run"
    return voicebench("run", "local-cpu", "--task", "T2-H3", "--task", "T3-H4", "--line", "pstn", "--out", out)


@pytest.fixture(scope="session")
def fast_run(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """Four tasks with the deterministic pipeline."""
    out = tmp_path_factory.mktemp("fast") / "run"
    tasks = [part for task in FAST_TASKS for part in ("--task", task)]
    return voicebench("run", "fast", *tasks, "--seed", "7", "--out", out)
