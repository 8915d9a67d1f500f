"""The latencies of a row: medians with intervals, the parts of V2V, and how the agent took its turns."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.leaderboard.constructed import REQUESTS, make_run, task_ids
from voicebench.config import load_pipeline
from voicebench.leaderboard import read_board, render
from voicebench.leaderboard.formats import LATENCY_COLUMNS, latency_cells
from voicebench.metrics.latency import PARTS

pytestmark = pytest.mark.unit

P, F = "passed", "failed"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run", "m", {task: [P, F] for task in task_ids(6)})


def told(root: Path) -> dict[str, Any]:
    [row] = json.loads(render(read_board([root], profile="any"), "json", with_breakdowns=True))["rows"]
    return dict(row)


def figure(row: dict[str, Any], name: str) -> dict[str, Any]:
    [found] = [one for one in row["latencies"] if one["name"] == name]
    return dict(found)


def test_the_parts_of_v2v_have_medians_and_shares_that_make_a_whole(root: Path) -> None:
    row = told(root)
    assert figure(row, "v2v_llm") == {
        "name": "v2v_llm",
        "n": 24,
        "p50_ms": 600.0,
        "interval": [600.0, 600.0],
        "over": "tasks",
        "p95_ms": 700.0,
        "share": pytest.approx(600 / 1_600),
    }
    assert figure(row, "v2v_turn_end")["share"] == pytest.approx(600 / 1_600)
    assert sum(figure(row, f"v2v_{part}")["share"] for part in PARTS) == pytest.approx(1, abs=1e-5)
    assert figure(row, "v2v")["share"] is None


def test_turn_taking_is_told_a_time_and_a_call(root: Path) -> None:
    row = told(root)
    assert (figure(row, "yield")["n"], figure(row, "yield")["p50_ms"]) == (12, 250.0)
    assert (figure(row, "talk_over")["n"], figure(row, "talk_over")["p95_ms"]) == (12, 250.0)
    assert row["missed_turns"] == {"calls": 12, "total": 6, "per_call": 0.5}


def test_ttft_is_that_of_the_row_and_its_interval_too(root: Path) -> None:
    row = told(root)
    ttft = figure(row, "ttft")
    assert (ttft["n"], ttft["p50_ms"], ttft["interval"]) == (
        12 * REQUESTS,
        row["ttft_p50_ms"],
        row["ttft_p50_interval"],
    )
    low, high = figure(row, "ttfat")["interval"]
    assert low < row["ttfat_p50_ms"] < high


def test_calls_without_a_verdict_count_nowhere(tmp_path: Path) -> None:
    row = told(make_run(tmp_path / "run", "m", {"T1-E1": [P, "void>error>void"]}))
    assert row["missed_turns"]["calls"] == figure(row, "talk_over")["n"] == 1
    assert figure(row, "v2v_asr")["n"] == 2


def test_calls_that_an_older_version_stored_or_without_sound_are_no_zeros(root: Path) -> None:
    for path in root.rglob("call.json"):
        call = json.loads(path.read_text())
        kept = {key: value for key, value in call.items() if key not in ("missed_turns", "v2v_parts", "talk_over_s")}
        path.write_text(json.dumps({**kept, "latencies_ms": {"ttft": [], "v2v": []}}))
    row = told(root)
    assert row["missed_turns"] == {"calls": 0, "total": 0, "per_call": None}
    nothing = {"n": 0, "p50_ms": None, "interval": None, "over": None, "p95_ms": None, "share": None}
    for name in ("yield", "talk_over", "v2v_llm"):
        assert figure(row, name) == {"name": name, **nothing}
    [ranking] = read_board([root], profile="any").rankings
    assert [cells[1] for cells in latency_cells(ranking)] == ["ttft", "ttfat"]


def test_each_format_has_them_when_asked(root: Path) -> None:
    board = read_board([root], profile="any")
    [row] = csv.DictReader(io.StringIO(render(board, "csv", with_breakdowns=True)))
    assert (row["yield_p50_ms"], row["v2v_llm_share"], row["missed_turns_total"]) == ("250.0", "0.375", "6")
    assert (row["v2v_p50_low"], row["v2v_p50_high"]) == ("1600.0", "1600.0")
    [plain] = csv.DictReader(io.StringIO(render(board, "csv")))
    assert "yield_p50_ms" not in plain
    assert {key: row[key] for key in plain} == plain
    page = render(board, "md", with_breakdowns=True)
    assert f"| {' | '.join(LATENCY_COLUMNS)} |" in page
    assert "| m | v2v llm | 24 | 600 ms | 600 to 600 | 700 ms | 37.5 % |" in page
    assert "| m | missed turns | 6 | 0.50 a call |  |  |  |" in page


def test_a_ttft_that_the_answer_does_not_bear_out_is_marked(root: Path) -> None:
    assert told(root)["contradictions"] == []
    for path in root.rglob("trace.jsonl"):
        spans = [json.loads(line) for line in path.read_text().splitlines()]
        for one in spans:
            one["attributes"]["ttfat_ms"] = one["attributes"]["ttft_ms"] + 501
        path.write_text("".join(json.dumps(one) + "\n" for one in spans))
    [why] = told(root)["contradictions"]
    assert why.startswith("the answer begins 501 ms after the first token")
    page = render(read_board([root], profile="any"), "md")
    assert "| yes (!) |" in page
    assert "TTFT is doubtful, for the answer begins 501 ms" in page
    [line] = csv.DictReader(io.StringIO(render(read_board([root], profile="any"), "csv")))
    assert line["contradictions"] == why


@pytest.mark.parametrize(("unexplained_ms", "is_marked"), [(190, False), (210, True)])
def test_a_silence_that_no_part_explains_is_marked(root: Path, unexplained_ms: int, is_marked: bool) -> None:
    move_part(root, "llm", "unexplained", unexplained_ms)
    assert bool(told(root)["contradictions"]) is is_marked


@pytest.mark.parametrize(("silence_ms", "is_marked"), [(500, False), (300, True)])
def test_what_a_service_calls_the_end_of_the_turn_is_known_up_to_its_setting(
    root: Path, silence_ms: int, is_marked: bool
) -> None:
    """A service that reports the turn's end together with its first content has a TTFT of nearly nothing."""
    as_realtime(root, silence_ms)
    assert bool(told(root)["contradictions"]) is is_marked


def test_a_realtime_models_tool_rounds_qualify_nothing(root: Path) -> None:
    as_realtime(root, 500)
    for path in root.rglob("trace.jsonl"):
        path.write_text("".join(json.dumps(one) + "\n" for one in REALTIME_TRACE))
    row = told(root)
    assert (row["ttft_p50_ms"], row["ttfat_p50_ms"], row["tool_round_ttft_p50_ms"]) == (900.0, 900.0, 30.0)
    assert (figure(row, "ttft")["n"], figure(row, "ttft_tool_rounds")["n"]) == (12, 12)
    assert "takes 30 ms, which qualifies nothing" in render(read_board([root], profile="any"), "md")


REALTIME_TRACE: list[dict[str, Any]] = [
    {
        "type": "span",
        "name": "llm",
        "start_ns": start_ns,
        "end_ns": start_ns + 10,
        "attributes": {"gen_ai.operation.name": "realtime", "ttft_ms": ms, "ttfat_ms": ms},
    }
    for start_ns, ms in ((0, 900.0), (200, 30.0))
]
REALTIME_TRACE.insert(
    1,
    {
        "type": "span",
        "name": "tool",
        "start_ns": 100,
        "end_ns": 200,
        "attributes": {
            "gen_ai.tool.name": "lookup",
            "gen_ai.tool.call.id": "1",
            "gen_ai.tool.call.arguments": {},
            "gen_ai.tool.call.result": {},
            "agent": "desk",
            "after_hangup": False,
        },
    },
)


def move_part(root: Path, source: str, target: str, ms: int) -> None:
    """Move milliseconds of each answered turn from one part of V2V to another."""
    for path in root.rglob("call.json"):
        call = json.loads(path.read_text())
        for turn in call["v2v_parts"]:
            turn["parts_ms"][source] -= ms
            turn["parts_ms"][target] += ms
        path.write_text(json.dumps(call))


def as_realtime(root: Path, silence_ms: int) -> None:
    """Give a run the configuration of a realtime service with that silence."""
    settings = ["caller.kind=scripted", f"agent.turn_detection.silence_duration_ms={silence_ms}"]
    pipeline = load_pipeline("realtime-local", settings)
    path = root / "run.json"
    record = json.loads(path.read_text())
    changed = {"configuration": pipeline.model_dump(mode="json"), "config_hash": pipeline.config_hash}
    path.write_text(json.dumps({**record, **changed}))
