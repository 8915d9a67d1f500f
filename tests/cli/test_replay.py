"""``voicebench replay``: exit 0 and 4, what it prints, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from voicebench.cli import main
from voicebench.config import load_pipeline
from voicebench.runner import RunRequest, run

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("replay") / "run"
    run(RunRequest(load_pipeline("fast", ["channel=text"]), (), ["T2-H3"], out=out))
    return out


@pytest.fixture
def call_dir(recorded: Path, tmp_path: Path) -> Path:
    shutil.copytree(recorded, tmp_path / "run")
    return tmp_path / "run/calls/customer_support/T2-H3/1/attempt-1"


def replay(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["replay", *arguments])
    printed = capsys.readouterr()
    return ended.value.code, printed.out, printed.err


def change_a_tool_call(call_dir: Path) -> None:
    path = call_dir / "exchanges.jsonl"
    text = path.read_text()
    assert "identify_customer" in text
    path.write_text(text.replace('\\"name\\":\\"identify_customer\\"', '\\"name\\":\\"nonsense\\"', 1))


def test_an_equal_call_is_exit_0(call_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in call_dir.iterdir()}
    code, out, _ = replay(capsys, str(call_dir))
    assert code == 0
    assert out == "equal: trace.jsonl, exchanges.jsonl, state.json, call.json\nverdict: passed\n"
    assert {path: path.read_bytes() for path in call_dir.iterdir()} == before


def test_the_first_difference_is_exit_4_with_both_sides(call_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change_a_tool_call(call_dir)
    code, out, _ = replay(capsys, str(call_dir))
    assert code == 4
    where, recorded, replayed, files = out.splitlines()
    assert where.startswith("first difference: trace.jsonl, line ")
    assert ", span tool " in where
    assert "attributes.gen_ai.tool.name (call time " in where
    assert recorded == '  recorded  "identify_customer"'
    assert replayed == '  replayed  "nonsense"'
    assert files == (
        "trace.jsonl different, exchanges.jsonl different, state.json not compared, call.json not compared"
    )


def test_one_json_object_holds_both_lines_whole(call_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change_a_tool_call(call_dir)
    code, out, _ = replay(capsys, str(call_dir), "--json")
    printed = json.loads(out)
    assert (code, printed["equal"], printed["verdict"]["replayed"]) == (4, False, None)
    difference = printed["difference"]
    assert difference["recorded_line"]["span_id"] == difference["replayed_line"]["span_id"]
    assert difference["recorded_line"]["attributes"]["gen_ai.tool.name"] == "identify_customer"


def test_a_folder_that_is_no_call_is_exit_2(call_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = replay(capsys, str(call_dir.parent))
    assert (code, out) == (2, "")
    assert "call.json: not there" in err


def test_a_pack_that_is_not_there_is_exit_2(call_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = replay(capsys, str(call_dir), "--pack", "/no/such/pack")
    assert code == 2
    assert "Give its folder, as it was then, with --pack" in err
