"""The two paper cases over the realtime harness and the local server, in real time.

An attempt whose line was late ends as ``error: timing`` and is repeated by the run, twice at most.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from voicebench.call.timing import MOST_LATE_SHARE, WORST_MS

from .conftest import Finished, lines, voicebench

pytestmark = [pytest.mark.e2e, pytest.mark.alone]

TASKS = ("T2-H3", "T3-H4")


@pytest.fixture(scope="module")
def real_run(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    out = tmp_path_factory.mktemp("realtime") / "run"
    tasks = [part for task in TASKS for part in ("--task", task)]
    return voicebench("run", "realtime-local", *tasks, "--out", out, limit_s=900)


def stored(run: Finished, task: str) -> dict[str, Any]:
    call: dict[str, Any] = json.loads((run.dir(task) / "call.json").read_text())
    return call


def test_both_pass_in_real_time(real_run: Finished) -> None:
    assert real_run.code == 0, real_run.err
    assert [real_run.call(task)["verdict"] for task in TASKS] == ["passed", "passed"]


@pytest.mark.parametrize("task", TASKS)
def test_the_timing_of_what_counts_is_valid(real_run: Finished, task: str) -> None:
    call = stored(real_run, task)
    ticks = call["ticks"]
    assert ticks["n"] == round(call["call_s"] / 0.02)
    assert ticks["late"] <= MOST_LATE_SHARE * ticks["n"]
    assert 0 < ticks["p50_ms"] <= ticks["p99_ms"] <= ticks["worst_ms"] <= WORST_MS
    assert call["load"]["longest_callback_ms"] > 0
    assert call["wall_s"] > call["call_s"]
    assert call["caller_reaction_ms"]["n"] >= 3
    assert call["caller_reaction_ms"]["p50"] >= 300


@pytest.mark.parametrize("task", TASKS)
def test_trace_and_figures_are_those_of_any_call(real_run: Finished, task: str) -> None:
    call, trace = stored(real_run, task), lines(real_run.dir(task) / "trace.jsonl")
    assert trace[0]["start_ns"] == 0
    assert {"call", "caller.speech", "caller.heard", "agent.speech", "asr", "llm", "tool", "handoff", "turn.end"} <= {
        line["name"] for line in trace
    }
    assert call["v2v_ms"]["n"] == call["first_audio_ms"]["n"] >= 3
    assert call["first_audio_ms"]["p50"] < call["v2v_ms"]["p50"]
    assert call["tokens"]["input"] > call["tokens"]["cached"] > 0
    assert (call["model"], call["cost"]["usd"]) == ("reference", 0.0)


def test_replay_repeats_the_session_and_finds_a_result_that_was_changed(real_run: Finished, tmp_path: Path) -> None:
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


def test_show_and_score_treat_it_as_any_call(real_run: Finished) -> None:
    shown = voicebench("show", real_run.dir("T3-H4"))
    assert shown.code == 0
    assert [turn["speaker"] for turn in shown.out["transcript"]][:2] == ["agent", "caller"]
    assert all(sum(turn["parts_ms"].values()) == turn["v2v_ms"] for turn in shown.out["v2v_parts"])
    scored = voicebench("score", real_run.dir("T3-H4").parents[4])
    assert scored.code == 0
