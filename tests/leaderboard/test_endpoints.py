"""Qualification of real endpoints: three that differ only in their time to first token, called over text.

The LLM's charge follows the wall, so these calls take as long as their requests do; they wait, and keep no core busy.
The draws of the third depend on the seed alone: with this one their median is 971 ms and its interval 908 to 1,019 ms,
so that a machine under load may add 90 ms to each request before the answer changes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from voicebench.cli import main

pytestmark = [pytest.mark.e2e, pytest.mark.alone]

SHORT = ["T3-H1", "T5-M2", "R-E1", "T2-H3"]
SEED = "43"


def start(out: Path, *settings: str, tasks: list[str], trials: int, workers: int) -> subprocess.Popen[bytes]:
    """Begin a run of the pipeline ``fast`` over text; TTFT is measured and not charged."""
    asked = [part for task in tasks for part in ("--task", f"customer_support/{task}")]
    made = [part for one in ("clock.charges.llm=wall", *settings) for part in ("--set", one)]
    how = ["--channel", "text", "--trials", str(trials), "--workers", str(workers), "--seed", SEED, "--out", str(out)]
    command = [sys.executable, "-m", "voicebench.cli", "run", "fast", *asked, *made, *how]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def test_endpoints_that_differ_only_in_their_first_token_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    around = ("agent.llm.ttft_ms=995", "agent.llm.ttft_sd_ms=150")
    runs = [
        start(tmp_path / "borderline", *around, tasks=SHORT, trials=2, workers=4),
        start(tmp_path / "no", "agent.llm.ttft_ms=1500", tasks=SHORT[:1], trials=1, workers=1),
        start(tmp_path / "yes", "agent.llm.ttft_ms=300", tasks=SHORT[:1], trials=1, workers=1),
    ]
    assert [run.wait() for run in runs] == [0, 0, 0]
    rows = {name: row_of(tmp_path / name, capsys) for name in ("yes", "no", "borderline")}
    assert {name: row["qualified"] for name, row in rows.items()} == {name: name for name in rows}
    assert rows["no"]["ttft_p50_ms"] > 1_400 > 1_000 > rows["yes"]["ttft_p50_ms"] > 290
    low, high = rows["borderline"]["ttft_p50_interval"]
    assert low <= 1_000 < high
    assert (rows["borderline"]["tasks"], rows["borderline"]["calls"]) == (4, 8)
    assert "not qualified: the median TTFT is 1," in rows["no"]["unranked_because"]
    assert "not qualified" not in rows["borderline"]["unranked_because"]


def row_of(run: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    with pytest.raises(SystemExit, match="0"):
        main(["leaderboard", str(run), "--format", "json", "--profile", "any"])
    [row] = json.loads(capsys.readouterr().out)["rows"]
    return dict(row)
