"""Ctrl-C while the machine is measured, which a run in real time with several workers begins with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.survival import wait_for
from tests.processes import all_gone, descendants, listens

pytestmark = pytest.mark.audio


def test_ctrl_c_while_measuring_ends_the_command_and_makes_no_call(tmp_path: Path) -> None:
    out, remembered = tmp_path / "run", tmp_path / "cache"
    asked = ["run", "realtime-local", "--task", "T1-E1", "--task", "T2-H3", "--workers", "2", "--out", str(out)]
    run = subprocess.Popen(
        [sys.executable, "-m", "voicebench.cli", *asked],
        env={**os.environ, "VOICEBENCH_CACHE": str(remembered), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr is not None
    first = run.stderr.readline()
    assert first.startswith("measuring what a call costs this machine")
    wait_for(lambda: any(map(listens, descendants(run.pid))))  # the local endpoint is up: the call is being made
    started = descendants(run.pid)
    run.send_signal(signal.SIGINT)
    printed, more = run.communicate(timeout=300)
    assert (run.returncode, printed) == (130, "")
    assert "calling" not in more
    assert all_gone(started)
    assert not out.exists()
    assert not (remembered / "real-time.json").exists()
