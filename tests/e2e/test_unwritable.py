"""Folders that cannot be written: a file system that is mounted read-only, and one that is full."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripted import ScriptedEngine
from voicebench.config import load_pipeline
from voicebench.runner import RunRequest, run

pytestmark = pytest.mark.e2e

READ_ONLY = """
folder=$1; shift
mount -t tmpfs -o size=16m none "$folder/disk" || exit 99
cp -a "$folder/run" "$folder/disk/run"
mount -o remount,ro "$folder/disk"
"$@"
"""
FULL = """
folder=$1; shift
mount -t tmpfs -o size=64k none "$folder/disk" || exit 99
cat /dev/zero > "$folder/disk/zeros" 2> /dev/null
"$@"
"""
RUN = ("run", "fast", "--channel", "text", "--task", "T2-H3")


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """Where a file system is mounted; a copy of a run comes into the one that is read-only."""
    pipeline = load_pipeline("fast", ["channel=text"])
    run(RunRequest(pipeline, tasks=["T2-H3"], out=tmp_path / "run"), make_engine=ScriptedEngine())
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"


def voicebench(disk: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    namespace = ["unshare", "--mount", *(["--map-root-user"] if os.getuid() else [])]
    command = [sys.executable, "-m", "voicebench.cli", *arguments]
    return subprocess.run(
        [*namespace, "bash", "-c", script, "bash", str(disk.parent), *command], capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("arguments", "where", "advice"),
    [
        ((*RUN, "--out", "{}/new"), "new", "make it writable, or give another folder with --out"),
        ((*RUN, "--out", "{}/run"), "run/.lock", "make it writable, or give another folder with --out"),
        (("score", "{}/run"), "run/.lock", "make it writable"),
        (("view", "{}/run", "--static", "{}/pages"), "pages", "make it writable"),
        (("index", "{}/run", "--rebuild"), "run/index.db", "make it writable"),
        (("export", "{}/run", "--out", "{}/calls.csv"), "calls.csv", "make it writable"),
    ],
    ids=["run", "resume", "score", "view", "index", "export"],
)
def test_a_read_only_disk_is_exit_2_and_the_advice_fits(
    disk: Path, arguments: tuple[str, ...], where: str, advice: str
) -> None:
    done = voicebench(disk, READ_ONLY, *(part.format(disk) for part in arguments))
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1] == (
        f"error: {disk}/{where}: cannot be written (Read-only file system); {advice}"
    )


def test_a_full_disk_at_the_start_of_a_run_is_exit_2(disk: Path) -> None:
    done = voicebench(disk, FULL, *RUN, "--out", f"{disk}/new")
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1] == (
        f"error: {disk}/new/.lock: cannot be written (No space left on device); "
        "free some space, or give another folder with --out"
    )
