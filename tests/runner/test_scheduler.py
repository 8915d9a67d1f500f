"""What a run makes of lost workers, of money, of a provider in trouble, and of files that were touched."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scripted import ScriptedEngine
from voicebench.engines import WorkerLost
from voicebench.errors import ConfigError
from voicebench.runner import NullReporter, Progress, RunRequest, dry_run, run

pytestmark = pytest.mark.unit

Asked = Callable[..., RunRequest]


class ProgressLog(NullReporter):
    """Remembers the progress that the run reported."""

    def __init__(self) -> None:
        self.reported: list[Progress] = []

    def finished(self, name: str, line: str, progress: Progress) -> None:
        self.reported.append(progress)


def test_a_lost_worker_s_call_is_made_again_as_the_same_attempt(asked: Asked) -> None:
    engine = ScriptedEngine(WorkerLost("killed"), "passed")
    result = run(asked(tasks=["T1-E1"]), make_engine=engine)
    assert engine.made == [("T1-E1", 1, 1), ("T1-E1", 1, 1)]
    assert engine.requests[0].unit == engine.requests[1].unit
    assert result.calls[0].attempts == ("passed",)


def test_a_call_that_loses_three_workers_is_an_error(asked: Asked) -> None:
    engine = ScriptedEngine(*(WorkerLost("worker 1 was killed by signal 9") for _ in range(3)), "passed")
    result = run(asked(tasks=["T1-E1"]), make_engine=engine)
    assert engine.made == [("T1-E1", 1, 1)] * 3 + [("T1-E1", 1, 2)]
    assert result.calls[0].attempts == ("error", "passed")


def test_the_engine_is_closed_whatever_happens(asked: Asked) -> None:
    engine = ScriptedEngine(ConfigError("no"))
    with pytest.raises(ConfigError):
        run(asked(), make_engine=engine)
    assert engine.closed == 1


def test_no_call_starts_once_the_money_is_spent_and_more_money_goes_on(asked: Asked) -> None:
    engine = ScriptedEngine(usd=[0.6, 0.6, 0.6])
    result = run(asked(trials=2, max_cost=1.0), make_engine=engine)
    assert len(engine.made) == 2
    assert (result.status, result.summary.cost.usd) == ("incomplete", 1.2)
    assert result.problem == "--max-cost: $1.2000 of $1 are spent; raise it to go on"
    again = run(asked(trials=2, max_cost=1.0), make_engine=ScriptedEngine())
    assert (again.status, len(again.calls)) == ("incomplete", 2)
    assert run(asked(trials=2, max_cost=2.0), make_engine=ScriptedEngine()).status == "complete"


def test_an_unknown_cost_stops_a_run_that_has_a_limit(asked: Asked) -> None:
    result = run(asked(max_cost=1.0), make_engine=ScriptedEngine(usd=[None]))
    assert (result.status, len(result.calls)) == ("incomplete", 1)
    assert "calls of unknown cost were made (1)" in str(result.problem)
    assert (result.summary.cost.usd, result.summary.cost.unknown_calls) == (None, 1)


def test_all_attempts_cost_money_and_count_in_the_rates(asked: Asked) -> None:
    progress_log = ProgressLog()
    engine = ScriptedEngine("void", "error", "passed", "failed", usd=[0.25] * 4)
    result = run(asked(), make_engine=engine, reporter=progress_log)
    assert result.summary.attempts.to_json() == {
        "n": 4,
        "passed": 1,
        "failed": 1,
        "void": 1,
        "voids": {"script": 1, "comprehension": 0},
        "error": 1,
        "void_rate": 0.25,
        "error_rate": 0.25,
    }
    assert result.summary.cost.usd == 1.0
    last = progress_log.reported[-1]
    assert (last.trials, last.done, last.usd) == (2, 2, 1.0)
    assert str(last) == "2 of 2 calls done, 1 passed, 1 failed, 1 void, 1 error, $1.00"


def test_files_are_read_again_only_once_they_were_touched(asked: Asked, tmp_path: Path) -> None:
    run(asked(), make_engine=ScriptedEngine())
    trace = tmp_path / "run/calls/customer_support/T2-H3/1/attempt-1/trace.jsonl"
    stat, size = trace.stat(), trace.stat().st_size
    trace.write_bytes(b"x" * size)
    os.utime(trace, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    engine = ScriptedEngine()
    run(asked(), make_engine=engine)
    assert engine.made == []
    os.utime(trace)
    run(asked(), make_engine=engine)
    assert engine.made == [("T2-H3", 1, 1)]


def test_without_its_index_a_run_looks_at_its_files_once(asked: Asked, tmp_path: Path) -> None:
    run(asked(), make_engine=ScriptedEngine())
    (tmp_path / "run/index.db").unlink()
    (tmp_path / "run/calls/customer_support/T2-H3/1/attempt-1/exchanges.jsonl").write_bytes(b"{")
    engine = ScriptedEngine()
    assert run(asked(), make_engine=engine).status == "complete"
    assert engine.made == [("T2-H3", 1, 1)]
    assert (tmp_path / "run/corrupt/customer_support-T2-H3-1-attempt-1.0").is_dir()


def test_a_dry_run_counts_what_is_due_and_writes_nothing(asked: Asked, tmp_path: Path) -> None:
    first = dry_run(asked(trials=3, workers=2))
    assert not (tmp_path / "run").exists()
    assert (first.trials, first.due, first.usd) == (6, 6, 0.0)
    run(asked(trials=1), make_engine=ScriptedEngine(usd=[0.5, 0.1]))
    before = sorted(tmp_path.rglob("*"))
    later = dry_run(asked(trials=3, workers=2))
    assert sorted(tmp_path.rglob("*")) == before
    assert (later.due, later.usd, later.wall_s) == (4, 1.2, 2 * 20.0 + 5.0)
    assert str(later) == "4 of 6 calls to make: about 45 s and $1.20 (from 2 calls of this run)"


def test_a_dry_run_leaves_a_corrupt_call_where_it_is(asked: Asked, tmp_path: Path) -> None:
    run(asked(), make_engine=ScriptedEngine())
    call = tmp_path / "run/calls/customer_support/T2-H3/1/attempt-1/call.json"
    call.write_text("{")
    assert dry_run(asked()).due == 1
    assert call.read_text() == "{"


def test_two_thousand_calls_are_taken_over_without_one_being_made(asked: Asked, tmp_path: Path) -> None:
    run(asked(tasks=["T2-H3"]), make_engine=ScriptedEngine())
    trials = tmp_path / "run/calls/customer_support/T2-H3"
    for number in range(2, 2_001):
        shutil.copytree(trials / "1", trials / str(number))
        path = trials / str(number) / "attempt-1" / "call.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "trial": number}))
    engine = ScriptedEngine()
    result = run(asked(tasks=["T2-H3"], trials=2_000), make_engine=engine)
    assert engine.made == []
    assert (len(result.calls), result.summary.passed, result.summary.attempts.n) == (2_000, 2_000, 2_000)
