"""A board as JSON, CSV, Markdown and a table, printed by the command."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.leaderboard.constructed import make_run, task_ids
from voicebench.cli import main
from voicebench.leaderboard import read_board, render

pytestmark = pytest.mark.unit

P, F = "passed", "failed"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    tasks = task_ids(6)
    make_run(tmp_path / "one", "one", {task: [P, P] for task in tasks})
    make_run(tmp_path / "two", "=two|x", {task: [P, F] for task in tasks}, usd=None)
    make_run(tmp_path / "three", "three", {task: [P, "error>error>error"] for task in tasks})
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_json_is_one_object(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(printed(capsys, "leaderboard", str(runs), "--format", "json", "--profile", "any", "--k", "2"))
    assert [(row["model"], row["ranked"], row["pass_hat_k"]) for row in told["rows"]] == [
        ("one", True, 1.0),
        ("=two|x", True, 0.0),
        ("three", False, None),
    ]
    assert told["limit_ms"] == 1_000.0
    limit = json.loads(printed(capsys, "leaderboard", str(runs), "--format", "json", "--max-ttft", "100"))
    assert {row["qualified"] for row in limit["rows"]} == {"no"}


def test_csv_has_one_line_a_row_and_no_formula(runs: Path) -> None:
    lines = list(csv.DictReader(io.StringIO(render(read_board([runs], profile="any"), "csv"))))
    assert [line["model"] for line in lines] == ["one", "'=two|x", "three"]
    assert lines[1]["cost_per_call_usd"] == ""
    assert float(lines[1]["interval_low"]) < 0.5 < float(lines[1]["interval_high"])
    assert lines[0]["limit_ms"] == "1000.0"


def test_markdown_escapes_what_would_break_the_table(runs: Path) -> None:
    text = render(read_board([runs], profile="any"), "md", with_breakdowns=True, with_pairs=True)
    rows = [line for line in text.splitlines() if line.startswith("| 2 |")]
    assert len(rows) == 1
    assert "=two\\|x" in rows[0]
    assert "INCOMPLETE" in text
    assert "difficulty" in text
    assert "one less =two\\|x: +50.0 points" in text


def test_the_table_says_what_the_numbers_mean(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "leaderboard", str(runs), "--profile", "any", "--pairs", "--breakdowns")
    assert "profile bench, caller scripted/locked/heart/asr/meaning 2, line pstn" in shown
    [row] = [line.split() for line in shown.splitlines() if line.split()[:2] == ["1", "one"]]
    assert row[3:5] == ["100.0", "%"]
    assert "INCOMPLETE: its interval is what the missing calls would still allow." in shown
    assert "points mean nothing at this size" in shown
    assert "profile bench, not callm or mivas" in printed(capsys, "leaderboard", str(runs))
    assert "`--profile any`" in printed(capsys, "leaderboard", str(runs))


def test_compare_prints_what_moved(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "compare", str(runs / "one"), str(runs / "two"))
    assert "A 100.0 %, B 50.0 %: -50.0 points" in shown
    assert "note: model: one and =two|x" in shown
    told = json.loads(printed(capsys, "compare", str(runs / "one"), str(runs / "two"), "--json"))
    assert (told["difference"], len(told["moved"])) == (-0.5, 6)
