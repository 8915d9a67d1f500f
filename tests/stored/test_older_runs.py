"""A run that an older version stored: two tasks twice over text, with the files and the index of schema version 1."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.jsons import call_json
from voicebench.call.scoring import scoring_encoder
from voicebench.cli import main
from voicebench.config import load_pipeline
from voicebench.errors import ConfigError, StoreError
from voicebench.leaderboard.board import ANY, make_board
from voicebench.leaderboard.submit import make_submission, verify_submission
from voicebench.leaderboard.trials import load_run
from voicebench.record.results import RunSummary
from voicebench.record.row import BoardRow
from voicebench.runner import RunRequest, run
from voicebench.store import SCHEMA_VERSION, SCORING_VERSION, RunFolder, changed_since, read_call
from voicebench.store.index import Index
from voicebench.stored import call_details, rescore_run
from voicebench.stored.results import PackedRow, summarise
from voicebench.stored.score import read_pipeline, read_snapshot

pytestmark = pytest.mark.unit

STORED = Path(__file__).parent / "data" / "run_schema_1.zip"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    with zipfile.ZipFile(STORED) as archive:
        archive.extractall(tmp_path / "old")
    return tmp_path / "old"


def calls(root: Path) -> list[dict[str, Any]]:
    return [call_json(read_call(path)) for path in RunFolder(root).call_dirs()]


def row(root: Path) -> BoardRow:
    [only] = make_board([load_run(root)], profile=ANY).records()
    return only


def summary(root: Path) -> RunSummary:
    attempts = [[PackedRow.of(read_call(path))] for path in RunFolder(root).call_dirs()]
    return summarise(attempts, len(attempts))


def test_it_is_read_as_it_is(old: Path) -> None:
    assert {(call["schema_version"], call.get("scoring_version")) for call in calls(old)} == {(1, None)}
    assert (load_run(old).scored_by, row(old).scoring_version) == ((1,), 1)
    assert (row(old).model, row(old).pass_at_1, row(old).calls) == ("reference", 1.0, 4)
    details = call_details(read_call(next(RunFolder(old).call_dirs())))
    assert (details["verdict"], details["fact_mentions"], details["attribution"]) == ("passed", [], None)
    assert (details["missed_turns"], details["v2v_parts"]) == (None, [])
    assert summary(old).missed_turns is None
    assert details["caller_voice"] is None
    snapshot = read_snapshot(RunFolder(old).pack_json("customer_support"))
    assert {case.caller.voice for case in snapshot.cases.values()} == {None}


def test_its_index_of_another_version_is_built_anew(old: Path) -> None:
    with sqlite3.connect(old / "index.db") as before:
        assert before.execute("PRAGMA user_version").fetchone() == (3,)
        assert not before.execute("select name from sqlite_master where name = 'facts_misheard'").fetchall()
    before.close()
    with Index(old / "index.db"), sqlite3.connect(old / "index.db") as now:
        assert now.execute("select count(*) from calls where verdict = 'passed'").fetchone() == (4,)
        assert now.execute("select count(*) from facts_misheard").fetchone() == (0,)
    now.close()


def test_scoring_brings_it_to_the_present_version_with_the_same_verdicts(old: Path) -> None:
    before = row(old)
    assert [(one.before, one.call.call.verdict, one.changed) for one in rescore_run(old)] == [
        ("passed", "passed", True)
    ] * 4
    for call in calls(old):
        assert (call["schema_version"], call["scoring_version"]) == (SCHEMA_VERSION, SCORING_VERSION)
        assert call["fidelity"] == []
        assert call["word_errors"]
        assert (call["missed_turns"], call["v2v_parts"]) == (0, [])
        assert changed_since(call["schema_version"]) == frozenset()
    assert summary(old).missed_turns == 0
    assert row(old) == before.model_copy(update={"scoring_version": SCORING_VERSION})
    assert not any(one.changed for one in rescore_run(old))


def test_a_submission_of_it_holds_and_says_what_was_not_checked(old: Path, tmp_path: Path) -> None:
    make_submission(old, tmp_path / "old.zip")
    found = verify_submission(tmp_path / "old.zip")
    assert found.problems == []
    assert "4 calls are of an older version; what that did not compute was not checked" in found.notes
    [path, *_] = RunFolder(old).call_dirs()
    call = call_json(read_call(path))
    (path / "call.json").write_text(json.dumps({**call, "verdict": "failed", "reason": "gates"}))
    make_submission(old, tmp_path / "changed.zip")
    assert any(
        "verdict not what the files say" in problem for problem in verify_submission(tmp_path / "changed.zip").problems
    )


def test_keys_that_its_configuration_had_not_are_no_difference_the_pack_and_the_callers_understanding_are(
    old: Path,
) -> None:
    request = RunRequest(load_pipeline("fast", ["channel=text"]), tasks=["T2-H3", "R-E1"], trials=2, seed=7, out=old)
    with pytest.raises(ConfigError, match=r"another configuration \(caller.understanding: rules there") as told:
        run(request)
    assert "; pack customer_support: a96205fb" in str(told.value)
    assert "caller.llm" not in str(told.value)


def test_its_callers_understood_by_rules_of_version_1_and_it_is_scored_as_calls_are_today(old: Path) -> None:
    assert row(old).caller == "scripted/locked/heart/asr/rules 1"
    assert scoring_encoder(read_pipeline(RunFolder(old)).caller) is not None
    assert scoring_encoder(load_pipeline("fast", ["caller.understanding=rules"]).caller) is None


def test_what_a_later_version_wrote_is_refused(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [path, *_] = RunFolder(old).call_dirs()
    for changed in (path / "call.json", old / "run.json"):
        content = json.loads(changed.read_text())
        changed.write_text(json.dumps({**content, "schema_version": SCHEMA_VERSION + 1}))
    with pytest.raises(StoreError, match=f"schema version {SCHEMA_VERSION + 1}, which a newer voicebench wrote"):
        read_call(path)
    for command in (["score", str(old)], ["show", str(path)], ["export", str(old)], ["leaderboard", str(old)]):
        with pytest.raises(SystemExit, match="2"):
            main(command)
        assert "a newer voicebench wrote; update it" in capsys.readouterr().err, command


def test_show_tells_the_missed_turns_once_they_were_counted(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for told in (False, True):
        with pytest.raises(SystemExit, match="0"):
            main(["show", str(next(RunFolder(old).call_dirs()))])
        shown = capsys.readouterr().out
        assert ("turns of the caller without an answer: 0" in shown) is told
        assert ("scored by version 1 of the rules; `voicebench score` applies 2" in shown) is not told
        rescore_run(old)
