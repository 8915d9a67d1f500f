"""The views of the index answer what people ask first."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.leaderboard.constructed import make_run
from voicebench.store import find_runs, read_call
from voicebench.store.index import Index, rebuild_index
from voicebench.store.views import VIEWS

pytestmark = pytest.mark.unit

P, F = "passed", "failed"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_run(tmp_path / "good", "good", {"T1-E1": [P, P, P], "T1-M1": [P, F, P]})
    make_run(tmp_path / "poor", "poor", {"T1-E1": [F, P], "T1-M1": [F, "void>error>void"]}, usd=None)
    rebuild_index(tmp_path / "index.db", find_runs(tmp_path))
    return tmp_path


def asked(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(folder / "index.db")) as connection:
        return connection.execute(query).fetchall()


def test_best_models(folder: Path) -> None:
    rows = asked(folder, "select model, pass_at_1, tasks, calls, without_verdict, usd_per_call from best_models")
    assert rows == [("good", pytest.approx(5 / 6), 2, 6, 0, 0.01), ("poor", 0.25, 2, 3, 1, None)]


def test_tasks_that_flip(folder: Path) -> None:
    rows = asked(folder, "select model, task, passed, decided from tasks_that_flip")
    assert rows == [("poor", "T1-E1", 1, 2), ("good", "T1-M1", 2, 3)]


def test_slowest_turns(folder: Path) -> None:
    [first, *_] = asked(folder, "select v2v_ms, turn, dir from slowest_turns")
    assert first[:2] == (1_700.0, 2)
    assert read_call(folder / first[2]).call["latencies_ms"]["v2v"][1] == 1_700.0
    assert asked(folder, "select count(*) from slowest_requests") == [(0,)]


def test_every_view_can_be_asked_and_counts_last_attempts(folder: Path) -> None:
    for view in VIEWS:
        asked(folder, f"select * from {view}")
    assert asked(folder, "select count(*), max(attempt) from last_attempts") == [(10, 3)]
    assert asked(folder, "select count(*) from calls") == [(12,)]


def test_calls_that_are_added_later_are_in_the_views(folder: Path) -> None:
    [run] = [run for run in find_runs(folder) if run.root.name == "good"]
    [call] = [read_call(path) for path in run.attempts("customer_support", "T1-E1", 1)]
    slow = {**call.call, "latencies_ms": {"ttft": [900.0], "v2v": [9_000.0]}}
    with Index(folder / "index.db") as index:
        index.put_calls("good", [type(call)(call.dir, slow)])
    assert asked(folder, "select v2v_ms from slowest_turns limit 1") == [(9_000.0,)]
    assert asked(folder, "select ttft_ms, task from slowest_requests") == [(900.0, "T1-E1")]


def said(fact: str, right: bool | None, **more: Any) -> dict[str, Any]:
    base = {
        "fact": fact,
        "speaker": "caller",
        "start_s": 4.5,
        "value": "2208",
        "form": 0,
        "said": "two two, zero eight",
    }
    return {**base, "heard": "2209", "understood": None if right else "2209", "right": right, "used": None, **more}


def test_facts_misheard_say_what_was_said_heard_and_used(folder: Path) -> None:
    [run] = [run for run in find_runs(folder) if run.root.name == "good"]
    [call] = [read_call(path) for path in run.attempts("customer_support", "T1-E1", 1)]
    errors = {"words": 4, "substitutions": 1, "deletions": 0, "insertions": 0, "rate": 0.25}
    turn = {"speaker": "caller", "start_s": 4.5, "intended": "2208.", "spoken": "two two, zero eight.", "heard": "2209"}
    facts = [
        said("card_last4", False, understood="2209", used="2209"),
        said("card_last4", True, understood="2208"),
        said("phone", None),
    ]
    words = {"facts": facts, "transcript": [{**turn, "interrupted": False, "word_errors": errors}]}
    with Index(folder / "index.db") as index:
        index.put_calls("good", [type(call)(call.dir, {**call.call, **words})])
    wanted = "fact, value, said, heard, understood, used, task, verdict"
    assert asked(folder, f"select {wanted} from facts_misheard") == [
        ("card_last4", "2208", "two two, zero eight", "2209", "2209", "2209", "T1-E1", "passed")
    ]
    assert asked(folder, "select fact, heard_right, heard, used, misheard_as from facts_heard") == [
        ("phone", None, 0, 0, None),
        ("card_last4", 1, 2, 1, "2209"),
    ]
    assert asked(folder, "select model, speaker, rate, words from word_errors") == [("good", "caller", 0.25, 4)]


def test_causes_are_counted_by_run_over_the_calls_that_did_not_pass(folder: Path) -> None:
    [run] = [run for run in find_runs(folder) if run.root.name == "poor"]
    last = {call.call["task"]: call for call in run.calls() if not isinstance(call, Exception)}
    misheard = {"cause": "asr", "sentence": "It heard 2209."}
    with Index(folder / "index.db") as index:
        index.put_calls(
            "poor", [type(call)(call.dir, {**call.call, "attribution": misheard}) for call in (last["T1-M1"],)]
        )
    assert asked(folder, "select model, cause, calls, share from causes where cause is not null") == [
        ("poor", "asr", 1, pytest.approx(1 / 3))
    ]
    assert asked(folder, "select task, verdict, sentence from calls_that_did_not_pass where cause = 'asr'") == [
        ("T1-M1", "void", "It heard 2209.")
    ]
