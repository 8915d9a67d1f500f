"""The cause comes from the stored files: scored again, shown, counted by run and by the index."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sqlite3
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.causes.calls import Injection, hold, with_argument
from tests.causes.injections import HangsUp, UnderstandsNothing
from tests.jsons import call_json
from voicebench.caller import ScriptedCaller
from voicebench.cli import main
from voicebench.config import load_pipeline
from voicebench.runner import RunRequest, run
from voicebench.store import RunFolder
from voicebench.store.index import rebuild_index
from voicebench.stored import rescore_run
from voicebench.stored.export import export_run, to_junit
from voicebench.stored.runs import read_result
from voicebench.viewer.site import Site

pytestmark = pytest.mark.unit

WRONG = "The agent had heard delivery_date 2026-08-06 right and gave change_delivery_date '2026-08-07'."


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A run over text: one call that passed, and one of the silent agent's put in the place of another."""
    out = tmp_path / "run"
    run(RunRequest(load_pipeline("fast", ["channel=text"]), (), ["T1-E1", "T2-H3"], seed=7, out=out))
    wrong = hold(Injection(model=with_argument("change_delivery_date", "date", "2026-08-07")), tmp_path)
    folder = RunFolder(out).attempt_dir("customer_support", "T1-E1", 1, 1)
    for name, data in wrong.artifacts.files.items():
        (folder / name).write_bytes(data)
    return out


def stripped(call_dir: Path) -> dict[str, Any]:
    """Take out of ``call.json`` what can be computed again; return what it was."""
    stored: dict[str, Any] = json.loads((call_dir / "call.json").read_text())
    computed = ("attribution", "fact_mentions", "word_errors", "transcript", "claim_checks")
    rest = {key: value for key, value in stored.items() if key not in computed}
    (call_dir / "call.json").write_text(json.dumps(rest))
    return stored


def without_judgements(trace: bytes) -> bytes:
    """A trace as it was stored before what became of the facts stood on it."""
    return b"".join(line for line in trace.splitlines(keepends=True) if json.loads(line)["name"] != "fact")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_a_call_is_scored_again_to_the_same_cause(made: Path) -> None:
    folders = list(RunFolder(made).call_dirs())
    before = [stripped(folder) for folder in folders]
    again = {one.call.dir: call_json(one.call) for one in rescore_run(made)}
    assert [again[folder] for folder in folders] == before
    assert before[0]["attribution"]["sentence"] == WRONG
    assert before[1]["attribution"] is None


def test_each_saying_of_a_fact_stands_on_the_trace_with_what_became_of_it() -> None:
    held = hold(Injection(model=with_argument("change_delivery_date", "date", "2026-08-07")), Path())
    stood = [(one["fact"], one["said"], one["heard"], one["right"], one["used"]) for one in held.attributes("fact")]
    assert ("delivery_date", "Thursday, August sixth", None, None, "2026-08-07") in stood
    assert stood == [
        (one["fact"], one["said"], one["heard"], one["right"], one["used"]) for one in held.call["fact_mentions"]
    ]
    speech = {line["span_id"]: line["start_ns"] for line in held.lines("caller.speech") + held.lines("agent.speech")}
    assert all(speech[line["span_id"]] == line["time_ns"] for line in held.lines("fact"))


def test_a_call_is_scored_again_without_a_look_at_them_nor_a_change_of_the_trace(made: Path) -> None:
    [wrong, _] = RunFolder(made).call_dirs()
    older = without_judgements((wrong / "trace.jsonl").read_bytes())
    assert older != (wrong / "trace.jsonl").read_bytes()
    (wrong / "trace.jsonl").write_bytes(older)
    call = json.loads((wrong / "call.json").read_bytes())
    (wrong / "call.json").write_text(json.dumps({**call, "files": {**call["files"], "trace.jsonl": len(older)}}))
    before = stripped(wrong)
    [again, _] = rescore_run(made)
    assert call_json(again.call) == before
    assert (wrong / "trace.jsonl").read_bytes() == older


def test_it_is_shown_in_one_sentence_and_counted_by_run(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_dir = str(next(RunFolder(made).call_dirs()))
    assert f"cause: model. {WRONG}" in printed(capsys, "show", call_dir)
    assert json.loads(printed(capsys, "show", call_dir, "--json"))["attribution"]["cause"] == "model"
    assert "why calls did not pass" in printed(capsys, "score", str(made))
    counts = json.loads(printed(capsys, "score", str(made), "--json"))["causes"]
    assert counts == {"caller": 0, "line": 0, "asr": 0, "model": 1, "harness": 0, "task": 0}


def test_a_run_prints_the_table_and_the_index_has_it(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipeline = ["fast", "--channel", "text", "--task", "T1-E1", "--model", "silent", "--seed", "7"]
    out = str(made.parent / "silent")
    result = json.loads(printed(capsys, "run", *pipeline, "--out", out, "--json"))
    assert result["summary"]["causes"]["model"] == 1
    assert result["calls"][0]["attribution"]["cause"] == "model"
    assert "why calls did not pass" in printed(capsys, "run", *pipeline, "--out", out)
    with contextlib.closing(sqlite3.connect(f"{out}/index.db")) as connection:
        assert connection.execute("select model, cause, calls, share from causes").fetchall() == [
            ("silent", "model", 1, 1.0)
        ]


@pytest.fixture
def void(tmp_path: Path) -> Path:
    """A run whose two calls are void: one caller broke its script, another did not understand."""
    out = tmp_path / "run"
    run(RunRequest(load_pipeline("fast", ["channel=text"]), (), ["T1-E1", "T2-H3"], seed=7, out=out))
    callers: dict[str, type[ScriptedCaller]] = {"T1-E1": HangsUp, "T2-H3": UnderstandsNothing}
    for task, caller in callers.items():
        folder = RunFolder(out).attempt_dir("customer_support", task, 1, 1)
        for name, data in hold(Injection(task, caller=caller), tmp_path).artifacts.files.items():
            (folder / name).write_bytes(data)
    return out


def test_void_calls_have_their_kind_wherever_they_are_told_of(void: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = {folder.parent.parent.name: folder for folder in RunFolder(void).call_dirs()}
    kinds = {
        task: json.loads(printed(capsys, "show", str(one), "--json"))["void_kind"] for task, one in folders.items()
    }
    assert kinds == {"T1-E1": "script", "T2-H3": "comprehension"}
    reopened = [one.call.call for one in rescore_run(void)]
    assert {call.task: (call.verdict, call.void_kind) for call in reopened} == {
        task: ("void", kind) for task, kind in kinds.items()
    }
    rebuild_index(void / "index.db", [RunFolder(void)])
    with contextlib.closing(sqlite3.connect(void / "index.db")) as index:
        assert dict(index.execute("select task, void_kind from calls").fetchall()) == kinds
    assert {row.task: row.void_kind for row in Site(void.parent).rows("run")} == kinds
    exported = csv.DictReader(io.StringIO("".join(export_run(void, "csv"))))
    assert {row["task"]: row["void_kind"] for row in exported} == kinds
    [suite] = ElementTree.fromstring(to_junit(read_result(void)))
    messages = {str(case.get("name"))[:5]: str(one.get("message")) for case in suite for one in case}
    assert messages["T1-E1"].startswith("script: hung_up_early: ")
    assert messages["T2-H3"].startswith("comprehension: The agent said ")
