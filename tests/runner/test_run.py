"""Runs: what is made, what is tried again, what is kept, and what stops them."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.scripted import ScriptedEngine
from voicebench.config import load_pipeline, unit_seed
from voicebench.errors import AgentError, ConfigError, ModelMissing, ProviderError, StoreError
from voicebench.runner import Interrupted, Progress, RunRequest, dry_run, run
from voicebench.runner.record import new_folder

pytestmark = pytest.mark.unit

Asked = Callable[..., RunRequest]


class Notes:
    """A reporter that remembers."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.standings: list[str] = []
        self.waiting: list[str] = []

    def planned(self, progress: Progress) -> None:
        self.lines.append(f"{progress.trials} planned, {progress.done} done")

    def started(self, name: str) -> None:
        """Not needed here."""

    def finished(self, name: str, line: str, progress: Progress) -> None:
        self.lines.append(line)
        self.standings.append(str(progress))

    def waits(self, who: str, what: str, seconds: float) -> None:
        self.waiting.append(who)

    def note(self, text: str) -> None:
        self.lines.append(text)


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def test_every_task_is_called_once_before_any_is_called_again(asked: Asked) -> None:
    engine = ScriptedEngine("passed", "failed")
    result = run(asked(trials=2), make_engine=engine)
    assert engine.made == [("T1-E1", 1, 1), ("T2-H3", 1, 1), ("T1-E1", 2, 1), ("T2-H3", 2, 1)]
    assert [call.verdict for call in result.calls] == ["passed", "failed", "passed", "passed"]
    assert (result.status, result.summary.pass_rate) == ("complete", 0.75)
    assert result.summary.ttft_ms.to_json() == {"p50": 150.0, "p95": 200.0, "n": 4}


def test_a_unit_s_seed_follows_from_the_run_s(asked: Asked) -> None:
    engine = ScriptedEngine()
    run(asked(seed=9, tasks=["T2-H3"]), make_engine=engine)
    assert engine.requests[0].unit.seed == unit_seed(9, "customer_support", "T2-H3", 1, 1)


def test_a_call_s_row_and_folder(asked: Asked, tmp_path: Path) -> None:
    result = run(asked(tasks=["T2-H3"]), make_engine=ScriptedEngine())
    [call] = result.calls
    assert call.dir == str(tmp_path / "run/calls/customer_support/T2-H3/1/attempt-1")
    assert {
        "pack",
        "task",
        "trial",
        "attempt",
        "verdict",
        "gates",
        "call_s",
        "wall_s",
        "cpu_s",
        "ttft_ms",
        "v2v_ms",
    } < set(call.to_json())
    printed = result.to_json()
    assert (printed["run_id"], printed["run_dir"]) == ("run", str(tmp_path / "run"))
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        ".lock",
        "calls",
        "index.db",
        "packs",
        "run.json",
    ]


def test_run_json_says_what_was_run_with_what(asked: Asked, tmp_path: Path) -> None:
    run(asked(seed=4), make_engine=ScriptedEngine())
    record = read(tmp_path / "run" / "run.json")
    assert record["configuration"] == load_pipeline("fast").model_dump(mode="json")
    assert record["config_hash"] == load_pipeline("fast").config_hash
    assert (record["schema_version"], record["seed"], record["pipeline"]) == (6, 4, "fast")
    assert record["unranked"] == ["charges"]
    assert {"numpy", "openai", "pipecat-ai", "python", "voicebench"} <= set(record["versions"])
    assert len(record["host"]["load"]) == 3
    snapshot = read(tmp_path / "run" / "packs" / "customer_support.json")
    assert snapshot["hash"] == record["packs"]["customer_support"]
    assert snapshot["cases"]["T2-H3"]["id"] == "T2-H3"


def test_void_and_error_are_tried_again_twice_and_all_attempts_are_kept(asked: Asked) -> None:
    engine = ScriptedEngine("void", AgentError("the harness broke"), "failed", "void", "void", "void")
    result = run(asked(), make_engine=engine)
    assert engine.made == [(task, 1, attempt) for task in ("T1-E1", "T2-H3") for attempt in (1, 2, 3)]
    assert [call.attempts for call in result.calls] == [("void", "error", "failed"), ("void", "void", "void")]
    assert [call.attempt for call in result.calls] == [3, 3]
    assert (result.status, result.summary.void, result.summary.pass_rate) == ("incomplete", 1, 0.0)
    assert len({request.unit.seed for request in engine.requests}) == 6


def test_an_exception_of_a_call_is_an_error_with_its_reason(asked: Asked, tmp_path: Path) -> None:
    result = run(asked(tasks=["T1-E1"]), make_engine=ScriptedEngine(ZeroDivisionError("in a tool")))
    assert result.calls[0].attempts == ("error", "passed")
    call = read(tmp_path / "run/calls/customer_support/T1-E1/1/attempt-1/call.json")
    assert (call["verdict"], call["reason"]) == ("error", "ZeroDivisionError: in a tool")
    assert "ZeroDivisionError" in call["traceback"][-1]


@pytest.mark.parametrize(
    "error",
    [ConfigError("no"), ModelMissing("no"), ProviderError("no key", status=401), ProviderError("?", status=404)],
)
def test_what_every_call_would_meet_stops_the_run(asked: Asked, error: Exception) -> None:
    engine = ScriptedEngine("passed", error)
    with pytest.raises(type(error)):
        run(asked(), make_engine=engine)
    engine = ScriptedEngine()
    result = run(asked(), make_engine=engine)
    assert engine.made == [("T2-H3", 1, 1)]
    assert result.status == "complete"


def test_a_rate_limit_does_not_stop_the_run(asked: Asked) -> None:
    result = run(asked(), make_engine=ScriptedEngine(ProviderError("slow down", status=429, retryable=True)))
    assert [call.attempts for call in result.calls] == [("error", "passed"), ("passed",)]


def test_the_same_run_again_makes_nothing_anew(asked: Asked) -> None:
    first = run(asked(), make_engine=ScriptedEngine("passed", "failed"))
    engine = ScriptedEngine()
    second = run(asked(), make_engine=engine)
    assert engine.made == []
    assert engine.prepared == 0
    assert second.to_json() == first.to_json()


def test_the_engine_is_told_the_voices_of_all_callers_that_are_due(asked: Asked) -> None:
    by_task = load_pipeline("fast", ["caller.voice=task"])
    tasks = ["customer_support/T2-H3", "legal/L1-E1", "healthcare/H1-H2"]
    engine = ScriptedEngine("passed", "passed", ConfigError("stop here"))
    with pytest.raises(ConfigError, match="stop here"):
        run(asked(pipeline=by_task, packs=(), tasks=tasks), make_engine=engine)
    assert engine.caller_voices == ["heart", "heart-low", "joe-slow"]
    engine = ScriptedEngine()
    run(asked(pipeline=by_task, packs=(), tasks=tasks), make_engine=engine)
    assert (engine.prepared, engine.caller_voices) == (1, ["heart-low"])


def test_a_pipeline_s_one_voice_speaks_all_callers(asked: Asked) -> None:
    engine = ScriptedEngine()
    run(asked(packs=(), tasks=["legal/L1-E1", "healthcare/H1-H2"]), make_engine=engine)
    assert engine.caller_voices == ["heart"]


def test_more_trials_and_tasks_join_a_run(asked: Asked, tmp_path: Path) -> None:
    run(asked(tasks=["T1-E1"]), make_engine=ScriptedEngine())
    started_at = read(tmp_path / "run/run.json")["started_at"]
    engine = ScriptedEngine()
    run(asked(trials=2), make_engine=engine)
    assert engine.made == [("T2-H3", 1, 1), ("T1-E1", 2, 1), ("T2-H3", 2, 1)]
    assert read(tmp_path / "run/run.json")["started_at"] == started_at


def test_a_committed_void_counts_and_what_a_kill_left_does_not(asked: Asked, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        run(asked(tasks=["T1-E1"]), make_engine=ScriptedEngine("void", ConfigError("stop here")))
    trial = tmp_path / "run/calls/customer_support/T1-E1/1"
    (trial / ".tmp-leftover").mkdir()
    (trial / ".tmp-leftover" / "call.json").write_text("{}")
    engine = ScriptedEngine()
    run(asked(tasks=["T1-E1"]), make_engine=engine)
    assert engine.made == [("T1-E1", 1, 2)]
    assert sorted(path.name for path in trial.iterdir()) == ["attempt-1", "attempt-2"]


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"seed": 1}, "seed: 0 there, 1 now"),
        ({"pipeline": load_pipeline("fast", ["tools.latency_ms=60"])}, "tools.latency_ms: 50.0 there, 60.0 now"),
        (
            {"pipeline": load_pipeline("fast", ["agent.llm.params.top_p=1"])},
            "agent.llm.params.top_p: not set there, 1 now",
        ),
    ],
)
def test_another_configuration_is_refused_with_the_difference(
    asked: Asked, changes: dict[str, Any], difference: str
) -> None:
    run(asked(), make_engine=ScriptedEngine())
    with pytest.raises(ConfigError, match=difference):
        run(asked(**changes), make_engine=ScriptedEngine())


def test_a_changed_pack_is_refused(asked: Asked, tmp_path: Path) -> None:
    run(asked(), make_engine=ScriptedEngine())
    record = read(tmp_path / "run/run.json")
    record["packs"]["customer_support"] = "0" * 64
    (tmp_path / "run/run.json").write_text(json.dumps(record))
    with pytest.raises(ConfigError, match="pack customer_support: 000"):
        run(asked(), make_engine=ScriptedEngine())


def test_a_disk_that_fills_stops_the_run_and_keeps_what_is_there(asked: Asked) -> None:
    def fill_the_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    engine = ScriptedEngine("passed", fill_the_disk)
    try:
        result = run(asked(trials=2), make_engine=engine)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert engine.made == [("T1-E1", 1, 1), ("T2-H3", 1, 1)]
    assert result.status == "incomplete"
    assert "File too large" in str(result.problem)
    assert [call.verdict for call in result.calls] == ["passed"]
    again = run(asked(trials=2), make_engine=ScriptedEngine())
    assert (again.status, len(again.calls)) == ("complete", 4)


def test_a_folder_that_cannot_be_written_is_told(asked: Asked, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="file/run: cannot be written"):
        run(asked(out=tmp_path / "file" / "run"), make_engine=ScriptedEngine())


def test_a_second_process_is_refused(asked: Asked, tmp_path: Path) -> None:
    command = (
        "from pathlib import Path; import signal, sys\n"
        "from voicebench.store import run_lock\n"
        "with run_lock(Path(sys.argv[1])):\n    print('held', flush=True)\n    signal.pause()"
    )
    owner = subprocess.Popen([sys.executable, "-c", command, str(tmp_path / "run")], stdout=subprocess.PIPE)
    assert owner.stdout is not None
    owner.stdout.readline()
    with pytest.raises(StoreError, match=f"process {owner.pid}"):
        run(asked(), make_engine=ScriptedEngine())
    owner.kill()
    owner.communicate()
    assert run(asked(), make_engine=ScriptedEngine()).status == "complete"


def test_runs_that_start_at_once_have_a_folder_each(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        folders = list(pool.map(new_folder, [asked(out=None)] * 8))
    assert len({folder.root for folder in folders}) == 8
    assert all(folder.root.is_dir() for folder in folders)


def test_a_dry_run_without_a_folder_makes_none(asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert dry_run(asked(out=None)).due == 2
    assert not (tmp_path / "runs").exists()


def test_one_interrupt_ends_the_run_after_the_call(asked: Asked) -> None:
    notes = Notes()
    engine = ScriptedEngine(lambda: os.kill(os.getpid(), signal.SIGINT))
    result = run(asked(), make_engine=engine, reporter=notes)
    assert engine.made == [("T1-E1", 1, 1)]
    assert (result.status, len(result.calls)) == ("interrupted", 1)
    assert "stopping after the calls in flight; Ctrl-C again gives them up" in notes.lines
    assert run(asked(), make_engine=ScriptedEngine()).status == "complete"


def test_an_error_after_an_interrupt_is_no_attempt(asked: Asked, tmp_path: Path) -> None:
    def broken_by_the_interrupt() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        raise AgentError("the endpoint went away")

    result = run(asked(), make_engine=ScriptedEngine(broken_by_the_interrupt))
    assert (result.status, result.calls) == ("interrupted", [])
    assert not list((tmp_path / "run").rglob("call.json"))


def test_a_second_interrupt_ends_it_now(asked: Asked) -> None:
    def twice() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run(asked(), make_engine=ScriptedEngine(twice))
    assert signal.getsignal(signal.SIGINT) is before
    assert run(asked(), make_engine=ScriptedEngine()).status == "complete"


def test_a_second_interrupt_that_a_library_turns_into_an_error_of_its_own_still_ends_the_run(asked: Asked) -> None:
    def twice() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt as interrupt:  # as pydantic does while it builds a schema
            raise ValueError("could not be built") from interrupt

    with pytest.raises(Interrupted):
        run(asked(), make_engine=ScriptedEngine(twice))


def test_without_out_each_run_has_a_folder_of_its_own_and_one_index(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    results = [run(asked(out=None), make_engine=ScriptedEngine()) for _ in range(2)]
    assert len({result.run_dir for result in results}) == 2
    assert {result.run_dir.parent for result in results} == {tmp_path / "runs"}
    assert all(result.run_id.endswith(("-fast", "-fast-2")) for result in results)
    assert (tmp_path / "runs" / "index.db").exists()
