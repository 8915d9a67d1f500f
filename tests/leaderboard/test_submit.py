"""Submissions: an honest one holds, a changed one is found, and a hostile one is refused."""

from __future__ import annotations

import json
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voicebench.cli import main
from voicebench.config import load_pipeline
from voicebench.errors import StoreError
from voicebench.leaderboard.archive import MANIFEST, Refused, unpack, write_archive
from voicebench.leaderboard.submit import make_submission, verify_submission
from voicebench.runner import RunRequest, run
from voicebench.store import to_json

pytestmark = pytest.mark.unit

TASK = "calls/customer_support/T1-E1/1/attempt-1"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two calls of the line reference over the text channel."""
    out = tmp_path_factory.mktemp("made") / "run"
    run(RunRequest(load_pipeline("fast", ["channel=text"]), tasks=["T1-E1"], trials=2, out=out))
    return out


@pytest.fixture
def stored(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "run")
    return tmp_path / "run"


def submitted(stored: Path) -> Path:
    make_submission(stored, stored.with_suffix(".zip"))
    return stored.with_suffix(".zip")


def edited(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_bytes(to_json(content))
    if path.name == "state.json":  # who forges a file makes its length right
        length = path.stat().st_size
        edited(path.with_name("call.json"), lambda call: call["files"].update({path.name: length}))


def test_an_honest_submission_holds(stored: Path) -> None:
    found = verify_submission(submitted(stored))
    assert found.problems == []
    assert (found.holds, found.calls) == (True, 2)
    [row] = found.rows
    assert (row.model, row.pass_at_1, row.unranked_because) == ("reference", 1.0, "line reference; charges")


def test_equal_runs_make_equal_archives(stored: Path, tmp_path: Path) -> None:
    first = submitted(stored).read_bytes()
    assert submitted(stored).read_bytes() == first
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".tmp-")] == []


def test_every_changed_byte_is_found(stored: Path, tmp_path: Path) -> None:
    whole = submitted(stored).read_bytes()
    changed = tmp_path / "changed.zip"
    for place in [0, 10, 27, *range(40, len(whole), len(whole) // 25), len(whole) - 70, len(whole) - 1]:
        data = bytearray(whole)
        data[place] ^= 4
        changed.write_bytes(data)
        assert not verify_submission(changed).holds, place


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        (f"{TASK}/call.json", lambda call: call.update(verdict="failed", reason="gates"), "reason, verdict not what"),
        (f"{TASK}/call.json", lambda call: call["latencies_ms"].update(ttft=[1.0]), "latencies_ms not what"),
        (f"{TASK}/call.json", lambda call: call.update(seed=1), "its seed is not that of the run"),
        (f"{TASK}/call.json", lambda call: call.update(trial=2), "call.json is of another call"),
        (f"{TASK}/state.json", lambda state: state["final"].clear(), "state table 'orders' is missing"),
        (f"{TASK}/state.json", lambda state: state["final"]["orders"].pop(), "the difference is not that of its"),
        (f"{TASK}/state.json", lambda state: drop_order(state), "the database before the call is not the pack's"),
        (f"{TASK}/state.json", lambda state: state["difference"].update(tables={}), "database"),
        ("run.json", lambda record: record.update(unranked=[]), "'unranked' is not what the charges say"),
        ("run.json", lambda record: record["configuration"]["limits"].update(turns=5), "not that of its hash"),
        ("packs/customer_support.json", lambda pack: pack.update(hash="0"), "not the pack of"),
    ],
    ids=[
        "verdict",
        "latency",
        "seed",
        "trial",
        "no-state",
        "state",
        "both-states",
        "difference",
        "charges",
        "configuration",
        "pack",
    ],
)
def test_a_number_that_the_files_do_not_bear_is_found(
    stored: Path, name: str, change: Callable[[dict[str, Any]], object], problem: str
) -> None:
    edited(stored / name, change)
    found = verify_submission(submitted(stored))
    assert not found.holds
    assert any(problem in one for one in found.problems), found.problems


def drop_order(state: dict[str, Any]) -> None:
    """Take an order that the call did not touch out of both databases."""
    for side in ("seed", "final"):
        state[side]["orders"].pop()


def test_no_name_in_a_file_leads_out_of_the_archive(stored: Path, tmp_path: Path) -> None:
    files = content(submitted(stored))
    record, call = json.loads(files["run.json"]), json.loads(files[f"{TASK}/call.json"])
    record["packs"]["../../secret"] = "0"
    call["pack"] = "../../secret"
    (tmp_path / "secret.json").write_text("{}")
    for name, data, problem in (
        ("run.json", record, "pack '../../secret': its copy is not in the archive"),
        (f"{TASK}/call.json", call, f"{TASK}: call.json is of another call"),
    ):
        write_archive(tmp_path / "out.zip", {**files, name: to_json(data)}.items())
        assert problem in verify_submission(tmp_path / "out.zip").problems


def test_a_verdict_without_a_trace_is_found(stored: Path) -> None:
    (stored / TASK / "trace.jsonl").unlink()
    with pytest.raises(StoreError, match="cannot be submitted"):
        submitted(stored)


def test_a_better_manifest_is_found(stored: Path, tmp_path: Path) -> None:
    files = content(submitted(stored))
    manifest = json.loads(files[MANIFEST])
    manifest["rows"][0]["ttft_p50_ms"] = 1.0
    write_archive(tmp_path / "forged.zip", [*{**files, MANIFEST: to_json(manifest)}.items()])
    assert verify_submission(tmp_path / "forged.zip").problems == ["manifest: rows is not what the files say"]


def test_a_file_that_was_cut_off_is_found(stored: Path, tmp_path: Path) -> None:
    files = content(submitted(stored))
    name = f"{TASK}/exchanges.jsonl"
    whole = files[name].splitlines(keepends=True)
    write_archive(tmp_path / "cut.zip", {**files, name: b"".join(whole[:-1])}.items())
    told = f"{name}: has {len(b''.join(whole[:-1]))} bytes, call.json says {len(files[name])}"
    assert verify_submission(tmp_path / "cut.zip").problems[0].startswith(told)


def test_a_call_that_was_left_out_is_missing(stored: Path, tmp_path: Path) -> None:
    files = {name: data for name, data in content(submitted(stored)).items() if not name.startswith(TASK)}
    write_archive(tmp_path / "less.zip", files.items())
    found = verify_submission(tmp_path / "less.zip")
    assert found.problems == ["manifest: rows is not what the files say", "manifest: files is not what the files say"]
    assert found.rows[0].complete is False


def content(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@pytest.mark.parametrize(
    "name",
    [
        "../outside.json",
        "/tmp/outside.json",
        "calls/../../run.json",
        "packs/../run.json",
        "packs/...json/..",
        "calls/p/..t/1/attempt-1/call.json",
        "packs/tools.py",
        "conftest.py",
        "calls/p/t/1/attempt-1/tools.pyc",
        "run.json/",
        "RUN.JSON",
        "packs\\x.json",
    ],
)
def test_names_that_a_submission_cannot_hold_are_refused(tmp_path: Path, name: str) -> None:
    write_archive(tmp_path / "hostile.zip", [(name, b"{}")])
    (tmp_path / "into").mkdir()
    with pytest.raises(Refused, match="is no file of a submission"):
        unpack(tmp_path / "hostile.zip", tmp_path / "into")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hostile.zip", "into"]
    assert list((tmp_path / "into").iterdir()) == []


def packed(target: Path, *entries: tuple[zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in entries:
            archive.writestr(info, data, compress_type=zipfile.ZIP_DEFLATED)
    return target


def test_links_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("run.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    found = verify_submission(packed(tmp_path / "hostile.zip", (link, b"/etc/passwd")))
    assert found.problems == ["'run.json' is a link or no plain file"]


def test_bombs_are_refused_before_they_unfold(tmp_path: Path) -> None:
    zeros = bytes(60 << 20)
    bomb = packed(tmp_path / "bomb.zip", (zipfile.ZipInfo("run.json"), zeros))
    assert bomb.stat().st_size < 100_000
    [problem] = verify_submission(bomb).problems
    assert "would unfold to 62,914,560" in problem
    large = packed(tmp_path / "large.zip", (zipfile.ZipInfo("run.json"), bytes(65 << 20)))
    assert "'run.json' would unfold" in verify_submission(large).problems[0]


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    twice = packed(tmp_path / "twice.zip", *((zipfile.ZipInfo("run.json"), data) for data in (b"{}", b"[]")))
    assert verify_submission(twice).problems == ["'run.json' is there twice"]


@pytest.mark.parametrize("data", [b"", b"not a zip", b"PK\x05\x06" + bytes(18)], ids=["empty", "text", "no-files"])
def test_what_is_no_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file.zip").write_bytes(data)
    assert not verify_submission(tmp_path / "file.zip").holds


@pytest.mark.parametrize("nested", ["[" * 100_000, '{"configuration": 1}', "[]", "null"])
def test_records_that_make_no_sense_are_told(tmp_path: Path, nested: str) -> None:
    write_archive(tmp_path / "odd.zip", [(MANIFEST, b"{}"), ("run.json", nested.encode())])
    found = verify_submission(tmp_path / "odd.zip")
    assert not found.holds
    assert str(tmp_path) not in found.problems[0]


def test_the_command_says_yes_or_no(stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = str(tmp_path / "one.zip")
    assert ended("submit", "make", str(stored), "--out", archive) == 0
    assert ended("submit", "verify", archive) == 0
    assert "2 calls scored again: every number holds" in capsys.readouterr().out
    edited(stored / TASK / "call.json", lambda call: call.update(verdict="failed"))
    assert ended("submit", "make", str(stored), "--out", archive) == 0
    assert ended("submit", "verify", archive, "--json") == 4
    printed = capsys.readouterr()
    assert "verdict not what the files say" in printed.err
    assert json.loads(printed.out.partition("\n")[2])["holds"] is False
    assert ended("submit", "verify", str(tmp_path / "nothing.zip")) == 2


def ended(*arguments: str) -> object:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return end.value.code


def test_a_check_may_take_so_long_and_no_longer_and_leaves_nothing(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = submitted(stored)
    (tmp_path / "unpacked").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "unpacked"))
    assert verify_submission(whole, time_limit_s=120.0).calls == 2
    late = verify_submission(whole, time_limit_s=0.05)
    assert late.problems == ["cannot be scored again within 0.05 s; give more with --time-limit"]
    with pytest.raises(StoreError, match="cannot be read"):
        verify_submission(tmp_path / "none.zip", time_limit_s=120.0)
    assert list((tmp_path / "unpacked").iterdir()) == []
