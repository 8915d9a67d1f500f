"""A run's folder: reading, listing, corruption, the lock, and the index."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from voicebench.errors import StoreError
from voicebench.record.json_types import JsonObject
from voicebench.record.run import RunRecord
from voicebench.store import RunFolder, StoredCall, commit_call, find_runs, read_call, run_lock, to_json, write_file
from voicebench.store.index import rebuild_index

pytestmark = pytest.mark.unit


def rows_of(index: Path, query: str) -> list[dict[str, Any]]:
    with contextlib.closing(sqlite3.connect(index)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(query)]


def dump_of(index: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(index)) as connection:
        return list(connection.iterdump())


HOLD_THE_LOCK = """
import os, signal, sys
from pathlib import Path
from voicebench.store import run_lock

with run_lock(Path(sys.argv[1])):
    if os.fork() == 0:
        signal.pause()
    print(os.getpid(), flush=True)
    signal.pause()
"""


def stored(root: Path, task: str = "T1-E1", trial: int = 1, attempt: int = 1, verdict: str = "passed") -> Path:
    gate = {"passed": True, "reward": 1.0, "reasons": []}
    call = {
        "pack": "p",
        "task": task,
        "trial": trial,
        "attempt": attempt,
        "verdict": verdict,
        "gates": {"tools": gate, "handoffs": gate, "database": {**gate, "passed": False, "reward": 0.5}},
        "ttft_ms": {"p50": 310.0, "p95": 400.0},
        "v2v_ms": {"p50": 1500.0, "p95": 2100.0},
        "call_s": 61.2,
    }
    path = RunFolder(root).attempt_dir("p", task, trial, attempt)
    commit_call(path, {"call.json": to_json(call), "trace.jsonl": b"", "state.json": b"{}"})
    return path


def run_at(root: Path) -> RunFolder:
    configuration: JsonObject = {"agent": {"llm": {"model": "reference"}}}
    record = RunRecord(
        schema_version=1,
        run_id=root.name,
        started_at="2026-08-01T12:00:00+00:00",
        pipeline="fast",
        configuration=configuration,
        config_hash="0",
        seed=3,
        packs={"p": "0"},
    )
    write_file(root / "run.json", to_json(record.to_json()))
    return RunFolder(root)


def test_calls_are_listed_by_task_trial_and_attempt_as_numbers(tmp_path: Path) -> None:
    for trial, attempt in [(10, 1), (2, 10), (2, 9)]:
        stored(tmp_path, trial=trial, attempt=attempt)
    found = [
        (call.call.trial, call.call.attempt) for call in RunFolder(tmp_path).calls() if isinstance(call, StoredCall)
    ]
    assert found == [(2, 9), (2, 10), (10, 1)]


def test_a_corrupt_call_is_listed_as_its_error_and_moved_away(tmp_path: Path) -> None:
    stored(tmp_path, "T1-E1")
    broken = stored(tmp_path, "T1-E2")
    (broken / "call.json").write_bytes(b'{"pack": "p", "ta')
    good, bad = RunFolder(tmp_path).calls()
    assert isinstance(good, StoredCall)
    assert isinstance(bad, StoreError)
    assert "T1-E2/1/attempt-1/call.json: cannot be read" in str(bad)
    moved = RunFolder(tmp_path).quarantine(broken)
    assert moved.relative_to(tmp_path) == Path("corrupt/p-T1-E2-1-attempt-1.0")
    assert not broken.exists()
    assert len(list(RunFolder(tmp_path).calls())) == 1


def test_a_copy_of_a_run_is_listed_once(tmp_path: Path) -> None:
    stored(run_at(tmp_path / "one").root)
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    assert rebuild_index(tmp_path / "index.db", find_runs(tmp_path)) == 1
    [problem] = rows_of(tmp_path / "index.db", "select * from problems")
    assert problem == {"run_id": "one", "problem": f"{tmp_path / 'two'}: a copy of another run here"}


def test_a_call_without_its_names_is_corrupt(tmp_path: Path) -> None:
    (tmp_path / "call.json").write_text('{"pack": "p", "task": "T1-E1", "trial": "1"}')
    with pytest.raises(
        StoreError, match=r"call\.json: trial: Input should be a valid integer, not '1'; the file is corrupt"
    ):
        read_call(tmp_path)


def test_a_folder_that_is_no_call_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"call\.json: not there"):
        read_call(tmp_path)


def test_the_lock_refuses_a_second_process_and_dies_with_its_owner(tmp_path: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLD_THE_LOCK, str(tmp_path)], stdout=subprocess.PIPE, text=True, process_group=0
    )
    assert owner.stdout is not None
    pid = owner.stdout.readline().strip()
    with pytest.raises(StoreError, match=f"process {pid}"), run_lock(tmp_path):
        pass
    owner.kill()
    owner.wait()
    with run_lock(tmp_path):
        pass
    os.killpg(owner.pid, signal.SIGKILL)
    owner.stdout.close()


def test_the_lock_refuses_a_second_thread_and_stays_with_the_first(tmp_path: Path) -> None:
    refused: list[StoreError] = []

    def second() -> None:
        try:
            with run_lock(tmp_path / "link"):
                pass
        except StoreError as error:
            refused.append(error)

    (tmp_path / "link").symlink_to(tmp_path)
    with run_lock(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        assert "another thread of this process" in str(refused[0])
        command = [sys.executable, "-c", HOLD_THE_LOCK, str(tmp_path)]
        other = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert f"process {os.getpid()}" in other.stderr
    with run_lock(tmp_path):
        pass


def test_the_index_is_built_from_the_folders_alone(tmp_path: Path) -> None:
    first = run_at(tmp_path / "one")
    stored(first.root)
    stored(first.root, trial=2, verdict="failed")
    stored(run_at(tmp_path / "two").root, "T2-H3")
    index = tmp_path / "index.db"
    assert rebuild_index(index, find_runs(tmp_path)) == 3
    rows = rows_of(index, "select * from calls order by run_id, task, trial")
    assert [(row["run_id"], row["task"], row["verdict"]) for row in rows] == [
        ("one", "T1-E1", "passed"),
        ("one", "T1-E1", "failed"),
        ("two", "T2-H3", "passed"),
    ]
    assert (rows[0]["database"], rows[0]["ttft_p50_ms"], rows[0]["v2v_p95_ms"]) == (0.5, 310.0, 2100.0)
    assert rows[2]["dir"] == "two/calls/p/T2-H3/1/attempt-1"
    [run, _] = rows_of(index, "select * from runs order by run_id")
    assert (run["model"], run["seed"], run["dir"]) == ("reference", 3, "one")


def test_a_deleted_or_broken_index_is_built_again_equal(tmp_path: Path) -> None:
    stored(run_at(tmp_path / "one").root)
    index = tmp_path / "index.db"
    rebuild_index(index, find_runs(tmp_path))
    before = dump_of(index)
    index.write_bytes(b"no database")
    rebuild_index(index, find_runs(tmp_path))
    assert dump_of(index) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.db", "one"]


def test_a_corrupt_run_or_call_is_a_row_of_problems(tmp_path: Path) -> None:
    broken = stored(run_at(tmp_path / "one").root)
    (broken / "call.json").write_bytes(b"")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "run.json").write_bytes(b"[]")
    assert rebuild_index(tmp_path / "index.db", find_runs(tmp_path)) == 0
    problems = rows_of(tmp_path / "index.db", "select * from problems")
    assert [row["run_id"] for row in problems] == ["one", "two"]
    assert "holds no JSON object" in problems[1]["problem"]
