"""Calls that fail in a known way, each made by a real call against the local endpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from voicebench.serve import AgentServerOptions, start_endpoint

from .conftest import SCRIPTS, Finished, voicebench

pytestmark = pytest.mark.e2e


def scripted(script: str, task: str, out: Path) -> Finished:
    """The call over text: over the telephone the pages of these two calls are looked at."""
    with start_endpoint(AgentServerOptions(script=SCRIPTS / script, ttft_ms=0)) as endpoint:
        asked = ("--channel", "text", "--model", "script", "--base-url", endpoint.url)
        run = voicebench("run", "fast", "--task", task, *asked, "--out", out)
    assert run.code == 0, run.err
    return run


def passes(run: Finished, task: str) -> dict[str, bool]:
    return {name: gate["passed"] for name, gate in run.call(task)["gates"].items()}


def test_a_silent_agent_fails_and_is_no_error(tmp_path: Path) -> None:
    run = voicebench(
        "run", "fast", "--task", "T2-H3", "--task", "T3-H4", "--model", "silent", "--out", tmp_path / "run"
    )
    assert run.code == 0
    assert [call["verdict"] for call in run.out["calls"]] == ["failed", "failed"]
    assert {call["reason"] for call in run.out["calls"]} == {"agent_silent"}
    assert "Traceback" not in run.err


def test_an_agent_that_verifies_early_and_skips_the_returns_desk(tmp_path: Path) -> None:
    run = scripted("T2-H3-verifies-early.yaml", "T2-H3", tmp_path / "run")
    shown = voicebench("show", run.dir("T2-H3")).out
    assert run.call("T2-H3")["verdict"] == "failed"
    assert passes(run, "T2-H3") == {"tools": False, "handoffs": False, "database": True}
    assert shown["tool_calls"]["missing"] == ["transfer_to_returns", "check_return_eligibility"]
    assert shown["tool_calls"]["extra"] == ["verify_identity"]
    early = [row["actual"] for row in shown["tool_calls"]["rows"] if row["expected"] is None]
    assert [call["result"]["error_code"] for call in early] == ["NO_RECORD_SELECTED"]
    assert shown["path"] == {
        "expected": ["transfer_to_verification", "transfer_to_returns"],
        "actual": ["transfer_to_verification"],
    }


def test_an_agent_that_books_and_cancels_twice(tmp_path: Path) -> None:
    run = scripted("T3-H4-books-twice.yaml", "T3-H4", tmp_path / "run")
    shown = voicebench("show", run.dir("T3-H4")).out
    assert passes(run, "T3-H4") == {"tools": True, "handoffs": True, "database": False}
    assert [(row["kind"], row["table"], row["count"]) for row in shown["state_diff"]] == [
        ("extra", "service_appointments", 1)
    ]
    assert "extra · service_appointments · 1" in run.call("T3-H4")["gates"]["database"]["reasons"]
