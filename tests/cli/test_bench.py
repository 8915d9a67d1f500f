"""The bench makes real calls and compares their length with the time they took."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e


def test_bench_call_times_each_call_and_keeps_no_run(tmp_path: Path) -> None:
    arguments = ["bench", "call", "T1-E1", "fast", "--repeat", "2", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "voicebench.cli", *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert (printed["task"], printed["pipeline"], len(printed["calls"])) == ("T1-E1", "fast", 2)
    assert set(printed["median"]) == {"call_s", "wall_s", "cpu_s", "speed"}
    assert all(20 < call["call_s"] < 600 for call in printed["calls"])
    assert all(call["speed"] == call["call_s"] / call["wall_s"] for call in printed["calls"])
    assert list(tmp_path.iterdir()) == []
