"""What is printed for people while they wait."""

from __future__ import annotations

import pytest

from voicebench.cli.output import progress
from voicebench.clock.work import title_of

pytestmark = pytest.mark.unit


def test_without_a_terminal_each_step_is_a_line_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("checked", 2) as done:
        done("T1-E1")
        done("T2-H3")
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == ["checked: T1-E1 (1 of 2)", "checked: T2-H3 (2 of 2)"]


def test_on_a_terminal_there_is_a_bar_that_goes_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with progress("checked", 2) as done:
        done("T1-E1")
        print("for standard output")
        done("T2-H3")
    printed = capsys.readouterr()
    assert printed.out == "for standard output\n"
    assert "100%" in printed.err
    assert "checked: T2-H3" in printed.err


def test_a_job_is_told_by_whose_it_is() -> None:
    assert title_of(lambda: None, "caller.asr") == "the caller's ASR"
    assert title_of(len, "without a device") == "job 'len' (without a device)"
