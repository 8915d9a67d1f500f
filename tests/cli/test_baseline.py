"""``run --baseline``: exit 4 once the agent does worse than chance explains."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.scripted import ScriptedEngine
from voicebench.cli import main
from voicebench.config import load_pipeline
from voicebench.runner import RunRequest, run

pytestmark = pytest.mark.unit

TASKS = ["T1-E1", "T2-M1", "T2-H3"]


def stored(out: Path, *verdicts: str, tasks: list[str] = TASKS, trials: int = 2) -> Path:
    run(RunRequest(load_pipeline("fast"), tasks=tasks, trials=trials, out=out), make_engine=ScriptedEngine(*verdicts))
    return out


def ended(
    capsys: pytest.CaptureFixture[str], out: Path, before: Path, *flags: str, option: str = "--baseline"
) -> tuple[object, str, str]:
    tasks = [part for task in TASKS for part in ("--task", task)]
    arguments = ["run", "fast", *tasks, "--trials", "2", "--out", str(out), option, str(before), *flags]
    with pytest.raises(SystemExit) as end:
        main(arguments)
    printed = capsys.readouterr()
    return end.value.code, printed.out, printed.err


def test_a_fall_that_chance_does_not_explain_is_exit_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, now = stored(tmp_path / "before"), stored(tmp_path / "now", *["failed"] * 6)
    code, out, err = ended(capsys, now, before)
    assert code == 4
    assert "worse by more than chance explains (100.0 % there, 0.0 % now; p = 0.016)" in err
    assert "A 100.0 %, B 0.0 %: -100.0 points" in out


def test_one_call_less_is_chance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, now = stored(tmp_path / "before"), stored(tmp_path / "now", "failed")
    code, out, _ = ended(capsys, now, before, "--json")
    assert code == 0
    compared = json.loads(out)["baseline"]
    assert (compared["calls"], compared["p_worse"], len(compared["moved"])) == (6, 0.5, 1)


def test_the_old_name_of_the_flag_still_works_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, now = stored(tmp_path / "before"), stored(tmp_path / "now", *["failed"] * 6)
    code, out, err = ended(capsys, now, before, "--json", option="--against")
    assert code == 4
    assert "--against is called --baseline now" in err
    printed = json.loads(out)
    assert printed["against"] == printed["baseline"]
    assert printed["baseline"]["difference"] == -1.0


def test_a_better_agent_is_no_reason_to_complain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, now = stored(tmp_path / "before", *["failed"] * 6), stored(tmp_path / "now")
    assert ended(capsys, now, before)[0] == 0


def test_what_cannot_be_compared_with_is_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(capsys, tmp_path / "now", tmp_path / "nothing")[0] == 2
    assert not (tmp_path / "now").exists()
    other = stored(tmp_path / "other", tasks=["T3-H4"])
    code, _, err = ended(capsys, stored(tmp_path / "now"), other)
    assert code == 2
    assert "share no task and trial" in err
