"""The bench makes real calls and compares their length with the time they took."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e


def test_bench_call_says_where_the_time_went_and_keeps_no_run(tmp_path: Path) -> None:
    arguments = ["bench", "call", "T1-E1", "--pipeline", "local-cpu", "--set", "agent.asr.model=tiny.en", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "voicebench.cli", *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert (printed["tasks"], printed["pipeline"], len(printed["calls"])) == (["T1-E1"], "local-cpu", 1)
    call = printed["calls"][0]
    parts = ("agent.asr_s", "caller.asr_s", "agent.tts_s", "caller.tts_s", "llm_wait_s", "harness_s", "other_s")
    assert sum(call[part] for part in parts) == pytest.approx(call["wall_s"])
    assert all(call[part] > 0 for part in parts)
    assert call["share"] == call["wall_s"] / call["call_s"]
    assert printed["memory_mb"] > 100
    assert printed["ttft_difference_ms"] > -1.0
    assert list(tmp_path.iterdir()) == []
