"""The two paper cases over the realtime harness and the local server, in real time and at the same time.

Each has a run of its own, which keeps a fifth of a core busy. An attempt whose line was late ends as
``error: timing`` and is repeated by the run, twice at most.
"""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from voicebench.call.timing import MOST_LATE_SHARE, WORST_MS

from .conftest import Finished, lines, voicebench

pytestmark = [pytest.mark.e2e, pytest.mark.alone]

TASKS = ("T2-H3", "T3-H4")


@pytest.fixture(scope="module")
def real_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finished]:
    """The run of each task."""
    folder = tmp_path_factory.mktemp("realtime")

    def made(task: str) -> Finished:
        return voicebench("run", "realtime-local", "--task", task, "--out", folder / task, limit_s=900)

    with ThreadPoolExecutor(len(TASKS)) as pool:
        return dict(zip(TASKS, pool.map(made, TASKS), strict=True))


def stored(run: Finished, task: str) -> dict[str, Any]:
    call: dict[str, Any] = json.loads((run.dir(task) / "call.json").read_text())
    return call


@pytest.mark.parametrize("task", TASKS)
def test_both_pass_in_real_time(real_runs: dict[str, Finished], task: str) -> None:
    assert real_runs[task].code == 0, real_runs[task].err
    assert real_runs[task].call(task)["verdict"] == "passed"


@pytest.mark.parametrize("task", TASKS)
def test_the_timing_of_what_counts_is_valid(real_runs: dict[str, Finished], task: str) -> None:
    call = stored(real_runs[task], task)
    ticks = call["ticks"]
    assert ticks["n"] == round(call["call_s"] / 0.02)
    assert ticks["late"] <= MOST_LATE_SHARE * ticks["n"]
    assert 0 < ticks["p50_ms"] <= ticks["p99_ms"] <= ticks["worst_ms"] <= WORST_MS
    assert call["load"]["longest_callback_ms"] > 0
    assert call["wall_s"] > call["call_s"]
    assert call["caller_reaction_ms"]["n"] >= 3
    assert call["caller_reaction_ms"]["p50"] >= 300


@pytest.mark.parametrize("task", TASKS)
def test_trace_and_figures_are_those_of_any_call(real_runs: dict[str, Finished], task: str) -> None:
    run = real_runs[task]
    call, trace = stored(run, task), lines(run.dir(task) / "trace.jsonl")
    assert trace[0]["start_ns"] == 0
    assert {"call", "caller.speech", "caller.heard", "agent.speech", "asr", "llm", "tool", "handoff", "turn.end"} <= {
        line["name"] for line in trace
    }
    assert call["v2v_ms"]["n"] == call["first_audio_ms"]["n"] >= 3
    assert call["first_audio_ms"]["p50"] < call["v2v_ms"]["p50"]
    assert call["tokens"]["input"] > call["tokens"]["cached"] > 0
    assert (call["model"], call["cost"]["usd"]) == ("reference", 0.0)


def test_replay_repeats_the_session_and_finds_a_result_that_was_changed(
    real_runs: dict[str, Finished], tmp_path: Path
) -> None:
    real_run = real_runs["T2-H3"]
    replayed = voicebench("replay", real_run.dir("T2-H3"))
    assert (replayed.code, replayed.out["equal"]) == (0, True), replayed.out
    assert replayed.out["verdict"] == {"recorded": "passed", "replayed": "passed"}
    run = tmp_path / "run"
    shutil.copytree(real_run.dir("T2-H3").parents[4], run)
    exchanges = next(run.glob("calls/*/T2-H3/1/*/exchanges.jsonl"))
    exchanges.write_text(exchanges.read_text().replace("marketplace_seller", "complaint"))
    changed = voicebench("replay", exchanges.parent)
    assert changed.code == 4
    assert changed.out["verdict"]["replayed"] == "failed"


def test_show_and_score_treat_it_as_any_call(real_runs: dict[str, Finished]) -> None:
    real_run = real_runs["T3-H4"]
    shown = voicebench("show", real_run.dir("T3-H4"))
    assert shown.code == 0
    assert [turn["speaker"] for turn in shown.out["transcript"]][:2] == ["agent", "caller"]
    assert all(sum(turn["parts_ms"].values()) == turn["v2v_ms"] for turn in shown.out["v2v_parts"])
    scored = voicebench("score", real_run.dir("T3-H4").parents[4])
    assert scored.code == 0
