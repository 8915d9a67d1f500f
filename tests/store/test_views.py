"""The views of the index answer what people ask first."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from datasette.app import Datasette

from tests.jsons import call_json
from tests.leaderboard.constructed import REQUESTS, make_run
from voicebench.leaderboard import read_board
from voicebench.record.call import CallRecord
from voicebench.store import StoredCall, find_runs, read_call
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


def test_best_models_qualify_by_their_median_as_the_board_has_it_and_stand_ins_come_last(tmp_path: Path) -> None:
    make_run(tmp_path / "reference", "reference", {"T1-E1": [P, P], "T1-M1": [P, "error>error>error"]})
    make_run(tmp_path / "random", "random", {"T1-E1": [F]}, ttft_ms=1.0)
    make_run(tmp_path / "slow", "slow", {"T1-E1": [P, P], "T1-M1": [P, P]}, ttft_ms=1_500.0)
    make_run(tmp_path / "quick", "quick", {"T1-E1": [P], "T1-M1": [F, "void>void>void"]}, ttft_ms=300.0)
    make_run(tmp_path / "fixed", "fixed", {"T1-E1": [P]}, settings=["clock.charges.llm=fixed:300"])
    rebuild_index(tmp_path / "index.db", find_runs(tmp_path))
    rows = asked(tmp_path, "select model, qualified, unranked_because from best_models")
    assert rows == [
        ("quick", "yes", None),
        ("slow", "no", None),
        ("fixed", "yes", "charges"),
        ("reference", "yes", "line reference"),
        ("random", "yes", "baseline"),
    ]
    medians = dict(asked(tmp_path, "select model, ttft_p50_ms from best_models"))
    board = {row.entry.first.model: row.ttft.p50 for row in read_board([tmp_path], profile="any").rows}
    assert medians == pytest.approx(board, abs=1e-3)


def test_turn_taking(folder: Path) -> None:
    rows = asked(folder, "select model, calls, missed_turns, talk_over_s, v2v_p50_ms, yield_p50_ms from turn_taking")
    assert rows == [("good", 6, 1, 1.5, 1_600.0, 250.0), ("poor", 3, 2, 0.75, 1_600.0, 250.0)]
    medians = dict(asked(folder, "select kind, p50_ms from medians where run_id = 'good' and kind like 'v2v%'"))
    assert (medians["v2v_turn_end"], medians["v2v_llm"], medians["v2v"]) == (600.0, 600.0, 1_600.0)


def test_tasks_that_flip(folder: Path) -> None:
    rows = asked(folder, "select model, task, passed, decided from tasks_that_flip")
    assert rows == [("poor", "T1-E1", 1, 2), ("good", "T1-M1", 2, 3)]


def test_slowest_turns(folder: Path) -> None:
    [first, *_] = asked(folder, "select v2v_ms, turn, dir from slowest_turns")
    assert first[:2] == (1_700.0, 2)
    assert call_json(read_call(folder / first[2]))["latencies_ms"]["v2v"][1] == 1_700.0
    requests = asked(folder, "select ttft_ms from slowest_requests where task = 'T1-E1'")
    assert len(requests) == 5 * REQUESTS
    assert requests == sorted(requests, reverse=True)


def test_datasette_opens_the_index_as_it_is(folder: Path) -> None:
    """With every view, and without a setting; ``immutable`` is how it opens a file that nobody writes."""
    index = folder / "index.db"
    before = index.read_bytes()
    told = asyncio.run(datasette_tells(index, immutable=True))
    assert told["best_models"][0]["model"] == "good"
    assert [row["task"] for row in told["tasks_that_flip"]] == ["T1-E1", "T1-M1"]
    assert told["slowest_turns"][0]["v2v_ms"] == 1_700.0
    assert asyncio.run(datasette_tells(index, immutable=False)) == told
    assert index.read_bytes() == before


async def datasette_tells(index: Path, *, immutable: bool) -> dict[str, Any]:
    """Return the rows of each view as Datasette serves them."""
    files = {"immutables" if immutable else "files": [str(index)]}
    opened = Datasette(**{"files": [], **files})
    answers = {view: await opened.client.get(f"/index/{view}.json?_shape=array") for view in VIEWS}
    assert {view: answer.status_code for view, answer in answers.items()} == dict.fromkeys(VIEWS, 200)
    return {view: answer.json() for view, answer in answers.items()}


def test_every_view_counts_last_attempts(folder: Path) -> None:
    assert asked(folder, "select count(*), max(attempt) from last_attempts") == [(10, 3)]
    assert asked(folder, "select count(*) from calls") == [(12,)]


def test_calls_that_are_added_later_are_in_the_views(folder: Path) -> None:
    [run] = [run for run in find_runs(folder) if run.root.name == "good"]
    [call] = [read_call(path) for path in run.attempts("customer_support", "T1-E1", 1)]
    slow = {**call_json(call), "latencies_ms": {"ttft": [900.0], "v2v": [9_000.0]}}
    with Index(folder / "index.db") as index:
        index.put_calls("good", [changed(call, slow)])
    assert asked(folder, "select v2v_ms from slowest_turns limit 1") == [(9_000.0,)]
    assert asked(folder, "select ttft_ms, task from slowest_requests limit 1") == [(900.0, "T1-E1")]


def changed(call: StoredCall, content: dict[str, Any]) -> StoredCall:
    return StoredCall(call.dir, CallRecord.model_validate(content))


EVIDENCE: dict[str, Any] = {"span_ids": ["a"], "heard_span_ids": []}


def said(fact: str, right: bool | None, **more: Any) -> dict[str, Any]:
    base = {
        "fact": fact,
        "type": "id",
        "speaker": "caller",
        "leg": "caller_to_agent",
        "start_s": 4.5,
        "end_s": 6.0,
        "value": "2208",
        "form": 0,
        "said": "two two, zero eight",
    }
    base["rule"] = None if right is None else "id"
    return {
        **base,
        "heard": "2209",
        "understood": None if right else "2209",
        "right": right,
        "used": None,
        **EVIDENCE,
        **more,
    }


def test_facts_misheard_say_what_was_said_heard_and_used(folder: Path) -> None:
    [run] = [run for run in find_runs(folder) if run.root.name == "good"]
    [call] = [read_call(path) for path in run.attempts("customer_support", "T1-E1", 1)]
    errors = {"words": 4, "substitutions": 1, "deletions": 0, "insertions": 0, "rate": 0.25}
    turn = {
        "speaker": "caller",
        "start_s": 4.5,
        "end_s": 6.0,
        **EVIDENCE,
        "intended": "2208.",
        "spoken": "two two, zero eight.",
        "heard": "2209",
    }
    facts = [
        said("card_last4", False, understood="2209", used="2209"),
        said("card_last4", True, understood="2208"),
        said("phone", None),
    ]
    words = {"fact_mentions": facts, "transcript": [{**turn, "interrupted": False, "word_errors": errors}]}
    with Index(folder / "index.db") as index:
        index.put_calls("good", [changed(call, {**call_json(call), **words})])
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
    last = {call.call.task: call for call in run.calls() if not isinstance(call, Exception)}
    misheard = {"cause": "asr", "sentence": "It heard 2209."}
    with Index(folder / "index.db") as index:
        index.put_calls(
            "poor", [changed(call, {**call_json(call), "attribution": misheard}) for call in (last["T1-M1"],)]
        )
    assert asked(folder, "select model, cause, calls, share from causes where cause is not null") == [
        ("poor", "asr", 1, pytest.approx(1 / 3))
    ]
    assert asked(folder, "select task, verdict, sentence from calls_that_did_not_pass where cause = 'asr'") == [
        ("T1-M1", "void", "It heard 2209.")
    ]
