"""Planted keys reach no file of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from voicebench.config import read_key
from voicebench.store import commit_call, redact, to_json, write_file

pytestmark = pytest.mark.unit

CANARY = "sk-canary-0123456789"
AWKWARD = 'pass"word\\with-ümlaut'


def test_keys_of_the_environment_and_of_dotenv_are_taken_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOME_API_KEY", CANARY)
    (tmp_path / ".env").write_text("OTHER_TOKEN=dotenv-canary-987\n")
    run = tmp_path / "run"
    write_file(run / "run.json", to_json({"header": f"Bearer {CANARY}"}))
    commit_call(run / "attempt-1", {"trace.jsonl": b'{"a":"dotenv-canary-987"}\n', "recording.wav": b"\x00dotenv"})
    stored = b"".join(path.read_bytes() for path in run.rglob("*") if path.is_file())
    assert b"canary" not in stored
    assert json.loads((run / "run.json").read_bytes()) == {"header": "Bearer [redacted:SOME_API_KEY]"}
    assert (run / "attempt-1" / "trace.jsonl").read_bytes() == b'{"a":"[redacted:OTHER_TOKEN]"}\n'


def test_a_variable_read_as_a_key_is_a_secret_whatever_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_PROVIDER", CANARY)
    assert redact(CANARY.encode()) == CANARY.encode()
    assert read_key("MY_PROVIDER") == CANARY
    assert redact(CANARY.encode()) == b"[redacted:MY_PROVIDER]"


@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_a_key_is_found_as_json_writes_it(ensure_ascii: bool) -> None:
    text = json.dumps({"k": AWKWARD}, ensure_ascii=ensure_ascii).encode()
    assert json.loads(redact(text, {"A_KEY": AWKWARD})) == {"k": "[redacted:A_KEY]"}


def test_a_key_that_holds_another_key_is_taken_out_whole() -> None:
    assert redact(b"abcdefgh-ijkl", {"A": "abcdefgh", "B": "abcdefgh-ijkl"}) == b"[redacted:B]"


def test_short_values_and_other_variables_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHORT_KEY", "the")
    monkeypatch.setenv("KEYBOARD", "qwertyuiop")
    assert redact(b"the qwertyuiop") == b"the qwertyuiop"
