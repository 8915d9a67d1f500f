"""What a run survives, done for real: kill -9, Ctrl-C, a second process, a full disk, and what is left after each."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import all_gone, descendants, held, kill, workers
from voicebench.config import derive_seed

from .survival import CALLS, SLOWLY, command, committed, complete, files, start, wait_for

pytestmark = pytest.mark.e2e

MOMENTS_MS = 500  # a kill comes at most so long after the calls it waits for, which is within the next ones
TWO_CALLS = ("--limit", "2", "--trials", "1")
KILLED = [("text", 5, ()), ("audio", 2, TWO_CALLS), pytest.param("audio", 5, (), marks=pytest.mark.long)]
"""Channel, how often it is killed, and flags."""

VOICEBENCH = [sys.executable, "-m", "voicebench.cli"]

FULL_DISK = """
folder=$1; shift
mount -t tmpfs -o size=2m none "$folder/disk" || exit 99
"$@" --json > "$folder/first.json"; echo $? >> "$folder/codes"
cp -a "$folder/disk/run" "$folder/full"
mount -o remount,size=64m "$folder/disk"
"$@" --json > "$folder/second.json"; echo $? >> "$folder/codes"
cp -a "$folder/disk/run" "$folder/run"
"""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    done = complete(out)
    assert done.returncode == 0, done.stderr
    return out


def verdicts(out: Path) -> dict[str, str]:
    return {path: json.loads((out / path / "call.json").read_bytes())["verdict"] for path in committed(out)}


def same(out: Path, other: Path) -> None:
    """Nothing twice, nothing lost, nothing half, nothing different."""
    assert verdicts(out) == verdicts(other)
    assert files(out) == files(other)
    assert not list(out.rglob(".tmp-*"))
    assert not (out / "corrupt").exists()


@pytest.mark.parametrize(("channel", "kills", "flags"), KILLED, ids=["text", "audio", "all of it over audio"])
def test_killed_again_and_again_and_resumed_it_is_the_undisturbed_run(
    channel: str, kills: int, flags: tuple[str, ...], undisturbed: Path, tmp_path: Path
) -> None:
    out, expected = tmp_path / "run", undisturbed
    if channel == "audio":
        expected = tmp_path / "undisturbed"
        assert complete(expected, *flags, channel=channel).returncode == 0
    for number in range(kills):
        run = start(out, *SLOWLY, *flags, channel=channel)
        enough = min(len(committed(out)) + derive_seed("calls before the kill", number) % 2, CALLS)
        wait_for(
            lambda enough=enough, run=run: (  # type: ignore[misc]
                run.poll() is not None or ((out / ".lock").exists() and len(committed(out)) >= enough)
            )
        )
        time.sleep(derive_seed("moment of the kill", number) % MOMENTS_MS / 1000)
        started = descendants(run.pid)
        for worker in workers(run.pid)[: number % 2]:
            kill(worker, signal.SIGKILL)
        run.kill()
        run.communicate()
        wait_for(lambda started=started: all_gone(started))  # type: ignore[misc]
    done = complete(out, *SLOWLY, *flags, channel=channel)
    assert done.returncode == 0, done.stderr
    same(out, expected)


def test_a_killed_worker_s_call_is_made_again_as_the_same_attempt(undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run = start(out, *SLOWLY)
    wait_for(lambda: bool(committed(out)))
    kill(workers(run.pid)[0], signal.SIGKILL)
    _, told = run.communicate()
    assert run.returncode == 0, told
    assert "killed by signal 9; the call is made again" in told
    same(out, undisturbed)


def test_ctrl_c_once_finishes_the_calls_in_flight_and_tells_how_to_go_on(undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run = start(out, *SLOWLY)
    wait_for(lambda: bool(committed(out)))
    with held(run.pid):  # nothing is committed between the count and the interrupt
        before = len(committed(out))
        started = descendants(run.pid)
        kill(run.pid, signal.SIGINT)
    _, told = run.communicate()
    assert run.returncode == 130, told
    assert before <= len(committed(out)) <= before + 2
    assert all_gone(started)
    go_on = told.splitlines()[-1]
    assert go_on.startswith("interrupted; go on with: voicebench run fast --channel text ")
    assert complete(out, *SLOWLY).returncode == 0
    same(out, undisturbed)


def test_a_second_process_is_refused_and_ctrl_c_twice_ends_it_now(tmp_path: Path) -> None:
    out = tmp_path / "run"
    run = start(out, *SLOWLY)
    wait_for(lambda: (out / "run.json").exists())
    with held(run.pid):  # it is not done before the second one has begun
        second = complete(out, *SLOWLY)
    assert second.returncode == 2
    assert f"another voicebench (process {run.pid}) is running in this folder" in second.stderr
    wait_for(lambda: bool(committed(out)))
    started = descendants(run.pid)
    for worker in workers(run.pid):
        kill(worker, signal.SIGSTOP)  # the calls in flight have no end of their own
    kill(run.pid, signal.SIGINT)
    assert run.stderr is not None
    assert any("Ctrl-C again gives them up" in line for line in run.stderr)
    kill(run.pid, signal.SIGINT)
    told = run.stderr.read()
    run.communicate()
    assert run.returncode == 130, told
    assert "interrupted; go on with: voicebench run fast" in told
    assert all_gone(started)
    assert not list(out.rglob(".tmp-*"))


def test_files_that_were_lost_are_made_again_and_no_figure_is_touched_before(undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    shutil.copytree(undisturbed, out)
    cut, lost, *_ = committed(out)
    trace = out / cut / "trace.jsonl"
    trace.write_bytes(b"".join(trace.read_bytes().splitlines(keepends=True)[:-2]))
    (out / lost / "state.json").unlink()
    calls = {path: (out / path / "call.json").read_bytes() for path in committed(out)}
    score = subprocess.run([*VOICEBENCH, "score", str(out)], capture_output=True, text=True)
    assert score.returncode == 3, score.stderr
    assert f"error: not scored: {trace}: has {trace.stat().st_size} bytes" in score.stderr
    assert f"error: not scored: {out / lost}/state.json: not there" in score.stderr
    assert score.stdout.splitlines()[-1] == f"{len(calls) - 2} calls scored again, 0 changed"
    assert {path: (out / path / "call.json").read_bytes() for path in committed(out)} == calls
    (out / "run.json").write_bytes((out / "run.json").read_bytes()[:500])
    other = complete(out, "--set", "tools.latency_ms=60")
    assert other.returncode == 2
    assert "run.json: missing or corrupt, and what the folder holds is not of this command (config_hash" in other.stderr
    done = complete(out)
    assert done.returncode == 0, done.stderr
    assert (verdicts(out), files(out)) == (verdicts(undisturbed), files(undisturbed))
    assert len(list((out / "corrupt").iterdir())) == 3
    assert done.stderr.count("; moved to ") == 3


def test_a_disk_that_fills_is_exit_3_and_more_room_lets_it_go_on(undisturbed: Path, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    namespace = ["unshare", "--mount", *(["--map-root-user"] if os.getuid() else [])]
    script = [*namespace, "bash", "-c", FULL_DISK, "bash", str(tmp_path)]
    done = subprocess.run([*script, *command(tmp_path / "disk" / "run")], capture_output=True, text=True)
    assert (tmp_path / "codes").read_text().split() == ["3", "0"], done.stderr
    first, second = (json.loads((tmp_path / f"{name}.json").read_bytes()) for name in ("first", "second"))
    assert (first["summary"]["status"], second["summary"]["status"]) == ("incomplete", "complete")
    assert "No space left on device" in first["summary"]["problem"]
    assert 0 < len(first["calls"]) < len(second["calls"]) == len(committed(undisturbed))
    assert verdicts(tmp_path / "full") == {path: verdicts(undisturbed)[path] for path in committed(tmp_path / "full")}
    same(tmp_path / "run", undisturbed)
