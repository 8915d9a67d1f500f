"""Scoring again: the verdict follows from the files, whatever call.json said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.jsons import call_json
from tests.scripted import ScriptedEngine
from voicebench.errors import AgentError, CorruptFile, StoreError
from voicebench.runner import RunRequest, run
from voicebench.store import read_call
from voicebench.stored import call_details, rescore_run

pytestmark = pytest.mark.unit

Asked = Callable[..., RunRequest]

TOOL = {
    "gen_ai.tool.call.id": "c2",
    "gen_ai.tool.name": "check_return_eligibility",
    "gen_ai.tool.call.arguments": {"order_number": "KE-4479002"},
    "gen_ai.tool.call.result": {"ok": False, "data": None, "error_code": "MARKETPLACE_SELLER_POLICY"},
    "agent": "returns",
    "after_hangup": False,
}
HANDOFF = {
    "tool": "transfer_to_verification",
    "from": "reception",
    "to": "verification",
    "gen_ai.tool.call.id": "c1",
    "gen_ai.tool.call.arguments": {},
    "gen_ai.tool.call.result": {"ok": True},
}
SPEECH = {"turn": 1, "agent": "reception", "intended": "Hello there.", "spoken": "Hello there.", "interrupted": False}


def span(name: str, start_s: float, attributes: dict[str, Any]) -> str:
    start = int(start_s * 1e9)
    times = {"start_ns": start, "end_ns": start + 500_000_000}
    line = {"type": "span", "span_id": f"{name}@{start_s}", "name": name, **times, "attributes": attributes}
    return json.dumps(line) + "\n"


@pytest.fixture
def call_dir(asked: Asked, tmp_path: Path) -> Path:
    """A call of T2-H3 that says it passed, and whose files say that little was done."""
    run(asked(tasks=["T2-H3"]), make_engine=ScriptedEngine("passed"))
    path = tmp_path / "run/calls/customer_support/T2-H3/1/attempt-1"
    trace = span("agent.speech", 0.2, SPEECH) + span("handoff", 9.0, HANDOFF) + span("tool", 10.0, TOOL)
    (path / "trace.jsonl").write_text(trace)
    empty: dict[str, Any] = {"difference": {"tables": {}}, "final": {}, "seed": {}}
    (path / "state.json").write_text(json.dumps(empty))
    call = json.loads((path / "call.json").read_text())
    (path / "call.json").write_text(json.dumps({**call, "end_reason": "caller_hung_up", "error": None, "void": None}))
    return path


@pytest.mark.parametrize(
    ("difference", "told"),
    [
        (None, "difference: "),
        ({"tables": None}, "difference.tables: "),
        ({"tables": {"refusals": {"addd": []}}}, "difference.tables.refusals.addd: "),
    ],
)
def test_a_state_that_does_not_say_what_changed_is_corrupt(
    call_dir: Path, tmp_path: Path, difference: dict[str, Any] | None, told: str
) -> None:
    (call_dir / "state.json").write_text(json.dumps({"final": {}, "seed": {}, "difference": difference}))
    with pytest.raises(CorruptFile, match=re.escape(f"state.json: {told}")):
        rescore_run(tmp_path / "run")


def test_a_verdict_that_the_files_do_not_bear_is_replaced(call_dir: Path, tmp_path: Path) -> None:
    [one] = rescore_run(tmp_path / "run")
    assert (one.before, one.call.call.verdict, one.changed) == ("passed", "failed", True)
    stored = call_json(read_call(call_dir))
    assert stored["verdict"] == "failed"
    assert stored["path"]["actual"] == ["transfer_to_verification"]
    assert "transfer_to_returns" in stored["tool_calls"]["missing"]
    assert stored["wall_s"] == 20.0


def test_scoring_again_changes_nothing_more(call_dir: Path, tmp_path: Path) -> None:
    rescore_run(tmp_path / "run")
    before = (call_dir / "call.json").read_bytes()
    [again] = rescore_run(tmp_path / "run")
    assert (again.before, again.changed) == ("failed", False)
    assert (call_dir / "call.json").read_bytes() == before


def test_a_call_that_left_no_state_fails_the_database_gate(call_dir: Path, tmp_path: Path) -> None:
    (call_dir / "state.json").unlink()
    [one] = rescore_run(tmp_path / "run")
    assert call_json(one.call)["gates"]["database"]["passed"] is False


def test_a_call_whose_state_was_lost_keeps_its_verdict(call_dir: Path, tmp_path: Path) -> None:
    call = {**json.loads((call_dir / "call.json").read_text()), "files": {"state.json": 100}}
    (call_dir / "call.json").write_text(json.dumps(call))
    (call_dir / "state.json").unlink()
    told: list[CorruptFile] = []
    assert rescore_run(tmp_path / "run", tell=told.append) == []
    assert [str(error) for error in told] == [f"{call_dir}/state.json: not there, and call.json lists it"]
    assert call_json(read_call(call_dir)) == call
    with pytest.raises(CorruptFile, match="not there, and call"):
        _ = read_call(call_dir).state


def test_a_file_that_holds_something_else_is_told(call_dir: Path, tmp_path: Path) -> None:
    (call_dir / "trace.jsonl").write_text('{"type": "span", "name": "agent.speech"}\n')
    with pytest.raises(CorruptFile, match=r"trace\.jsonl, line 1: start_ns: Field required; the file is corrupt"):
        rescore_run(tmp_path / "run")


def test_a_call_that_infrastructure_prevented_stays_an_error(asked: Asked, tmp_path: Path) -> None:
    run(asked(tasks=["T2-H3"]), make_engine=ScriptedEngine(*(AgentError("broken") for _ in range(3))))
    rescored = rescore_run(tmp_path / "run")
    assert [(one.call.call.verdict, one.changed) for one in rescored] == [("error", False)] * 3


def test_a_corrupt_trace_is_told(call_dir: Path, tmp_path: Path) -> None:
    (call_dir / "trace.jsonl").write_text('{"type": "sp')
    with pytest.raises(StoreError, match=r"trace\.jsonl, line 1: no JSON"):
        rescore_run(tmp_path / "run")


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"run\.json: not there"):
        rescore_run(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_details_of_a_call(call_dir: Path, tmp_path: Path) -> None:
    rescore_run(tmp_path / "run")
    details = json.loads(json.dumps(call_details(read_call(call_dir))))
    assert details["dir"] == str(call_dir)
    assert set(details) >= {"transcript", "tool_calls", "path", "state_diff", "gates", "ttft_ms", "v2v_ms"}
    [turn] = details["transcript"]
    assert (turn["speaker"], turn["intended"], turn["start_s"]) == ("agent", "Hello there.", 0.2)
    [row] = [row for row in details["tool_calls"]["rows"] if row["actual"] and row["kind"] == "tool"]
    assert row["expected"]["name"] == row["actual"]["name"] == "check_return_eligibility"
