"""Writes are there wholly or not at all, whatever kills them."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from voicebench.errors import NotWritable, StoreError
from voicebench.store import RunFolder, commit_call, read_call, sweep, to_json, write_file
from voicebench.store.files import not_writable

pytestmark = pytest.mark.unit

FILES = {"call.json": b"{}\n", "recording.wav": b"\x00\x01" * 40_000}

KILLED_AT_FSYNC = """
import os, signal, sys
from pathlib import Path
from voicebench.store import commit_call

real, count = os.fsync, 0

def fsync(descriptor):
    global count
    count += 1
    if count == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    real(descriptor)

os.fsync = fsync
commit_call(Path(sys.argv[1]), {"call.json": b"{}\\n", "recording.wav": bytes(80_000)})
"""


@contextmanager
def files_no_longer_than(limit: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_committed_call_has_all_its_files(tmp_path: Path) -> None:
    target = tmp_path / "calls" / "p" / "T1-E1" / "1" / "attempt-1"
    commit_call(target, FILES)
    assert {path.name: path.read_bytes() for path in target.iterdir()} == FILES
    assert [path.name for path in target.parent.iterdir()] == ["attempt-1"]


def test_an_attempt_is_never_written_twice(tmp_path: Path) -> None:
    commit_call(tmp_path / "attempt-1", {"call.json": b"1"})
    with pytest.raises(StoreError, match="committed already"):
        commit_call(tmp_path / "attempt-1", {"call.json": b"2"})
    assert (tmp_path / "attempt-1" / "call.json").read_bytes() == b"1"


@pytest.mark.parametrize(("fsync", "committed"), [(1, False), (2, False), (3, False), (4, True)])
def test_a_kill_leaves_a_whole_call_or_none(tmp_path: Path, fsync: int, committed: bool) -> None:
    run = RunFolder(tmp_path)
    target = run.attempt_dir("p", "T1-E1", 1, 1)
    died = subprocess.run([sys.executable, "-c", KILLED_AT_FSYNC, str(target), str(fsync)])
    assert died.returncode == -signal.SIGKILL
    assert target.exists() is committed
    assert [path.name for path in run.call_dirs()] == (["attempt-1"] if committed else [])
    assert run.attempts("p", "T1-E1", 1) == ([target] if committed else [])
    if committed:
        assert sorted(path.name for path in target.iterdir()) == sorted(FILES)


def test_what_a_kill_left_is_swept_and_can_be_done_again(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    target = run.attempt_dir("p", "T1-E1", 1, 1)
    subprocess.run([sys.executable, "-c", KILLED_AT_FSYNC, str(target), "2"])
    assert len(list(target.parent.iterdir())) == 1
    assert sweep(tmp_path) == 1
    assert list(target.parent.iterdir()) == []
    commit_call(target, FILES)
    assert [path.name for path in run.call_dirs()] == ["attempt-1"]


def test_a_disk_that_fills_leaves_nothing_of_the_call(tmp_path: Path) -> None:
    with files_no_longer_than(10_000), pytest.raises(StoreError, match="attempt-1: cannot be written") as caught:
        commit_call(tmp_path / "attempt-1", FILES)
    assert "raise the limit on the size of files" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_leaves_the_old_file(tmp_path: Path) -> None:
    write_file(tmp_path / "run.json", b"old")
    with files_no_longer_than(10_000), pytest.raises(StoreError, match=r"run\.json: cannot be written"):
        write_file(tmp_path / "run.json", bytes(20_000))
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("run.json", b"old")]


def test_a_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(NotWritable, match=r"\(Not a directory\); move the file that is in the way of a folder"):
        write_file(tmp_path / "file" / "run" / "run.json", b"{}")


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "(No space left on device); free some space"),
        (errno.EROFS, "(Read-only file system); make it writable"),
        (errno.EACCES, "(Permission denied); make it writable"),
        (errno.EIO, "(Input/output error); look at its disk"),
    ],
)
def test_the_advice_is_against_what_is_in_the_way(number: int, advice: str) -> None:
    told = not_writable(Path("run"), OSError(number, os.strerror(number)))
    assert str(told) == f"run: cannot be written {advice}"


def test_lengths_are_those_of_the_files_without_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-canary-0123456789")
    trace = b'{"name":"sk-canary-0123456789"}\n'
    names = {"pack": "p", "task": "T1-E1", "trial": 1, "attempt": 1, "verdict": "error"}
    call = {**names, "files": {"trace.jsonl": len(trace), "recording.wav": 3}}
    commit_call(tmp_path / "attempt-1", {"call.json": to_json(call), "trace.jsonl": trace, "recording.wav": b"abc"})
    stored = read_call(tmp_path / "attempt-1")
    assert stored.lengths == {"trace.jsonl": len(b'{"name":"[redacted:SOME_API_KEY]"}\n'), "recording.wav": 3}
    stored.check_lengths()
