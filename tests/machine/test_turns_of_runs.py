"""Turns that callers of a run did not understand are listed for people to label; turns are heard over a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from voicebench.cli import main
from voicebench.machine.benches.labelled_turns import LabelledTurn, read_turns
from voicebench.machine.benches.spoken_turns import hear_over_line


@pytest.mark.unit
def test_turns_that_a_caller_did_not_understand_come_in_the_form_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "run"
    with pytest.raises(SystemExit):
        main(["run", "fast", "--channel", "text", "--task", "customer_support/T1-E1", "--out", str(root)])
    [trace] = root.glob("calls/*/*/*/*/trace.jsonl")
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    asked = next(line for line in lines if str(line["attributes"].get("rule", "")).startswith("asked:"))
    asked["attributes"]["rule"] = "sorry"
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    call = trace.with_name("call.json")
    stored = json.loads(call.read_text())
    stored["files"]["trace.jsonl"] = trace.stat().st_size
    call.write_text(json.dumps(stored))
    capsys.readouterr()
    with pytest.raises(SystemExit) as exited:
        main(["bench", "understanding", "--from", str(root)])
    assert exited.value.code == 0
    printed = tmp_path / "turns.jsonl"
    printed.write_text(capsys.readouterr().out)
    [turn] = read_turns(printed)
    assert turn.text == asked["attributes"]["answers"]
    assert (turn.asks, turn.acts) == ((), ())
    assert "customer_support/T1-E1/1/attempt-1#" in str(turn.source)
    assert str(turn.caller_did).endswith("(sorry)")


@pytest.mark.audio
def test_a_turn_is_heard_over_a_line() -> None:
    heard = hear_over_line([LabelledTurn(id="a", text="May I have your full name, please?")], "pstn", str)
    assert "name" in heard["a"].lower()
