"""Files of a run that were cut off, deleted or spoiled: found, moved away, reported, and made again; never counted."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.scripted import ScriptedEngine
from voicebench.cli import main
from voicebench.config import load_pipeline
from voicebench.errors import ConfigError
from voicebench.leaderboard import load_run
from voicebench.record.exchanges import CallerTtsExchange
from voicebench.runner import NullReporter, RunRequest, run
from voicebench.store import read_call, to_json, to_jsonl

pytestmark = pytest.mark.unit

Asked = Callable[..., RunRequest]
Damage = Callable[[Path], object]

BESIDE_CALL_JSON = ("trace.jsonl", "exchanges.jsonl", "state.json", "recording.wav")
SPEECH = {"turn": 1, "agent": "reception", "intended": "Hello there.", "spoken": "Hello there.", "interrupted": False}
SPANS = [
    {
        "type": "span",
        "span_id": f"{turn}",
        "name": "agent.speech",
        "start_ns": turn,
        "end_ns": 10**9,
        "attributes": SPEECH,
    }
    for turn in range(2)
]
TTS: dict[str, Any] = {"start_ns": 0, "text": "Hello.", "voice": "heart", "seed": 1, "samples": 8, "sha256": "0"}
CONTENT = {
    "trace.jsonl": to_jsonl(SPANS),
    "exchanges.jsonl": to_jsonl([CallerTtsExchange(**TTS).to_json()] * 2),
    "state.json": to_json({"difference": {"tables": {}}, "final": {}, "seed": {}}),
}
AGAIN = "the command that made the run, given once more, makes it again"


class Notes(NullReporter):
    """A reporter that remembers its notes."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, text: str) -> None:
        self.lines.append(text)


def cut(path: Path) -> None:
    """Take the last bytes off, at the end of a line where there are lines."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def delete(path: Path) -> None:
    path.unlink()


def delete_with_the_index(path: Path) -> None:
    path.unlink()
    (path.parents[5] / "index.db").unlink()


def recording() -> bytes:
    file = io.BytesIO()
    soundfile.write(file, np.zeros((1_600, 2), np.int16), 16_000, format="WAV", subtype="PCM_16")
    return file.getvalue()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two calls that have all files, and lengths of them."""
    root = tmp_path_factory.mktemp("made") / "run"
    request = RunRequest(load_pipeline("fast"), tasks=["T1-E1", "T2-H3"], out=root)
    run(request, make_engine=ScriptedEngine("passed", "failed"))
    for path in root.glob("calls/*/*/*/attempt-*"):
        files = {**CONTENT, "recording.wav": recording()}
        for name, content in files.items():
            (path / name).write_bytes(content)
        ending = {"end_reason": "caller_hung_up", "error": None, "void": None}
        call = {**json.loads((path / "call.json").read_bytes()), **ending}
        lengths = {name: len(content) for name, content in files.items()}
        (path / "call.json").write_text(json.dumps({**call, "files": lengths}))
    engine = ScriptedEngine()
    run(request, make_engine=engine)
    assert engine.made == []
    return root


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    """A copy of it, where :func:`asked` has it."""
    return Path(shutil.copytree(made, tmp_path / "run"))


def call_dir(root: Path, task: str = "T2-H3", attempt: int = 1) -> Path:
    return root / "calls/customer_support" / task / "1" / f"attempt-{attempt}"


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        *((name, damage) for name in ("call.json", *BESIDE_CALL_JSON) for damage in (cut, delete)),
        ("state.json", delete_with_the_index),
        ("recording.wav", delete_with_the_index),
    ],
)
def test_a_damaged_call_is_moved_reported_and_made_again(asked: Asked, root: Path, name: str, damage: Damage) -> None:
    damage(call_dir(root) / name)
    left = sorted(path.name for path in call_dir(root).iterdir())
    engine, notes = ScriptedEngine("passed"), Notes()
    result = run(asked(), make_engine=engine, reporter=notes)
    assert engine.made == [("T2-H3", 1, 1)]
    moved = root / "corrupt/customer_support-T2-H3-1-attempt-1.0"
    assert sorted(path.name for path in moved.iterdir()) == left
    assert notes.lines[0].startswith(f"{call_dir(root) / name}: ")
    assert notes.lines[0].endswith(f"; moved to {moved}, and the call is made again")
    assert [call.verdict for call in result.calls] == ["passed", "passed"]


def test_an_attempt_before_the_last_is_made_again_too(asked: Asked, tmp_path: Path) -> None:
    run(asked(tasks=["T2-H3"]), make_engine=ScriptedEngine("void", "void", "passed"))
    delete(call_dir(tmp_path / "run") / "call.json")
    engine = ScriptedEngine("void")
    result = run(asked(tasks=["T2-H3"]), make_engine=engine)
    assert engine.made == [("T2-H3", 1, 1)]
    assert result.calls[0].attempts == ("void", "void", "passed")


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("trace.jsonl", cut),
        ("exchanges.jsonl", cut),
        ("state.json", delete),
        ("recording.wav", cut),
        ("recording.wav", delete),
    ],
)
def test_what_reads_a_run_tells_of_a_damaged_call(
    root: Path, name: str, damage: Damage, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    damage(call_dir(root) / name)
    before = (call_dir(root) / "call.json").read_bytes()
    archive = str(tmp_path / "run.zip")
    codes = {
        ("leaderboard", str(root), "--profile", "any"): 0,
        ("compare", str(root), str(root)): 0,
        ("export", str(root)): 2,
        ("submit", "make", str(root), "--out", archive): 2,
        ("index", str(root), "--rebuild"): 3,
        ("score", str(root)): 3,
    }
    for command, code in codes.items():
        with pytest.raises(SystemExit) as ended:
            main(command)
        printed = capsys.readouterr()
        assert ended.value.code == code, printed
        assert f"{name}: " in printed.out + printed.err
        assert AGAIN in printed.out + printed.err
    assert "1 calls scored again" in printed.out
    assert (call_dir(root) / "call.json").read_bytes() == before
    assert not Path(archive).exists()


def test_recordings_may_be_left_out_of_a_submission_but_not_cut_off(root: Path) -> None:
    for task in ("T1-E1", "T2-H3"):
        delete(call_dir(root, task) / "recording.wav")
    assert len(load_run(root).problems) == 2
    assert load_run(root, recordings=False).problems == []
    (call_dir(root) / "recording.wav").write_bytes(b"RIFF")
    [problem] = load_run(root, recordings=False).problems
    assert "recording.wav: has 4 bytes" in problem


def test_a_call_that_lists_no_files_is_as_good_as_what_it_has(asked: Asked, tmp_path: Path) -> None:
    run(asked(tasks=["T2-H3"]), make_engine=ScriptedEngine())
    stored = read_call(call_dir(tmp_path / "run"))
    assert stored.lengths == {}
    stored.check()
    assert stored.state is None


@pytest.mark.parametrize("content", [lambda data: data[:200], lambda data: b"", lambda data: b"[1]", lambda data: b"x"])
def test_a_spoiled_run_json_is_moved_reported_and_written_anew(
    asked: Asked, root: Path, content: Callable[[bytes], bytes]
) -> None:
    whole = (root / "run.json").read_bytes()
    (root / "run.json").write_bytes(content(whole))
    engine, notes = ScriptedEngine(), Notes()
    result = run(asked(), make_engine=engine, reporter=notes)
    assert engine.made == []
    assert [call.verdict for call in result.calls] == ["passed", "failed"]
    moved = root / "corrupt/run.json.0"
    assert moved.read_bytes() == content(whole)
    assert notes.lines[0].startswith(f"{root}/run.json: ")
    assert notes.lines[0].endswith(f"the file is corrupt; moved to {moved}, and written again")
    before, after = json.loads(whole), json.loads((root / "run.json").read_bytes())
    assert {key for key in before if before[key] != after[key]} <= {"started_at", "host"}


@pytest.mark.parametrize("damage", [cut, delete])
def test_without_its_record_a_run_goes_on_with_its_own_command_only(asked: Asked, root: Path, damage: Damage) -> None:
    other = load_pipeline("fast", ["tools.latency_ms=60"])
    path = call_dir(root) / "call.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "config_hash": load_pipeline("fast").config_hash}))
    damage(root / "run.json")
    left = sorted(root.iterdir())
    for changes, difference in (
        ({"seed": 1}, r"seed of calls/customer_support/T1-E1/1/attempt-1: \d+ there, \d+ now"),
        (
            {"pipeline": other},
            f"config_hash of calls/customer_support/T2-H3/1/attempt-1: [0-9a-f]+ there, {other.config_hash} now",
        ),
    ):
        with pytest.raises(ConfigError, match=rf"run\.json: missing or corrupt, .*{difference}"):
            run(asked(**changes), make_engine=ScriptedEngine())
    assert sorted(root.iterdir()) == left
    assert run(asked(), make_engine=ScriptedEngine()).status == "complete"


def test_without_its_record_a_run_of_another_pack_is_refused(asked: Asked, root: Path) -> None:
    copy = root / "packs/customer_support.json"
    copy.write_text(json.dumps({**json.loads(copy.read_text()), "hash": "0" * 64}))
    (root / "run.json").write_text("")
    with pytest.raises(ConfigError, match=r"pack customer_support: 0000"):
        run(asked(), make_engine=ScriptedEngine())


def test_a_spoiled_copy_of_a_pack_is_moved_and_written_anew(asked: Asked, root: Path) -> None:
    copy = root / "packs/customer_support.json"
    whole = copy.read_bytes()
    cut(copy)
    notes = Notes()
    run(asked(), make_engine=ScriptedEngine(), reporter=notes)
    assert copy.read_bytes() == whole
    assert notes.lines[0].endswith(f"moved to {root}/corrupt/packs-customer_support.json.0, and written again")


@pytest.mark.parametrize("command", ["score", "leaderboard", "export", "index"])
def test_what_reads_a_run_says_what_to_do_about_a_spoiled_run_json(
    root: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "run.json").write_text('{"schema_version": 2, ')
    with pytest.raises(SystemExit) as ended:
        main([command, str(root), *(["--rebuild"] if command == "index" else [])])
    printed = capsys.readouterr()
    assert ended.value.code == (3 if command == "index" else 2)
    assert printed.err.splitlines()[-1].endswith(f"the file is corrupt; {AGAIN}")
    assert "0 runs, 0 calls" in printed.out or command != "index"
