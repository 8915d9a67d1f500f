"""Records: every stored line is written as it was read, byte for byte, and what is no record says where."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from voicebench.config import load_pipeline
from voicebench.record.base import token_count
from voicebench.record.call import CallRecord
from voicebench.record.exchanges import parse_exchange
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.run import RunRecord
from voicebench.record.spans import HandoffSpan, LlmSpan, ToolSpan
from voicebench.record.state import StateRecord
from voicebench.record.trace import TraceRecord, parse_trace_line
from voicebench.runner import RunRequest, run
from voicebench.store import read_exchanges, read_trace, to_json, to_jsonl

pytestmark = pytest.mark.unit

DATA = Path(__file__).parent / "data"
"""A line of each span, event and exchange, as calls over text, over audio and with a realtime harness stored them."""

OLD = Path(__file__).parents[1] / "stored" / "data" / "run_schema_1.zip"

LLM: JsonObject = {"span_id": "s", "parent_span_id": None, "start_ns": 0, "end_ns": 5, "attributes": {}}


def lines(data: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in data.splitlines()]


def again(name: str, data: bytes) -> bytes:
    """Read the lines of a file and write them."""
    if name.endswith("trace.jsonl"):
        return to_jsonl(read_trace(data))
    return to_jsonl(read_exchanges(data))


@pytest.mark.parametrize("name", ["trace.jsonl", "exchanges.jsonl"])
def test_each_kind_of_line_is_written_as_it_was_read(name: str) -> None:
    data = (DATA / name).read_bytes()
    assert again(name, data) == data


def test_the_lines_have_every_span_and_event() -> None:
    stored = {type(record) for record in read_trace((DATA / "trace.jsonl").read_bytes())}
    assert stored == set(get_args(get_args(TraceRecord)[0]))


def test_the_files_of_a_call_made_now_are_written_as_they_were_read(
    asked: Callable[..., RunRequest], tmp_path: Path
) -> None:
    run(asked(pipeline=load_pipeline("fast", ["channel=text"]), tasks=["T2-H3"]))
    [folder] = (tmp_path / "run").glob("calls/*/*/*/*")
    for name in ("trace.jsonl", "exchanges.jsonl"):
        data = (folder / name).read_bytes()
        assert again(name, data) == data
    for path, kind in ((folder / "state.json", StateRecord), (tmp_path / "run" / "run.json", RunRecord)):
        assert to_json(kind.model_validate_json(path.read_bytes()).to_json()) == path.read_bytes()


def test_the_lines_of_the_first_version_are_written_as_they_were_read() -> None:
    with zipfile.ZipFile(OLD) as archive:
        stored = {name: archive.read(name) for name in archive.namelist() if name.endswith(".jsonl")}
    assert len(stored) == 8
    for name, data in stored.items():
        assert again(name, data) == data


def test_attributes_are_fields() -> None:
    read = read_trace((DATA / "trace.jsonl").read_bytes())
    tools = [record.tool for record in read if isinstance(record, ToolSpan) and record.result["ok"]]
    assert "stop_recording" in tools
    assert [record.to_agent for record in read if isinstance(record, HandoffSpan)] == ["fraud"]
    assert {record.operation for record in read if isinstance(record, LlmSpan)} == {"chat", "realtime"}


def test_a_record_says_only_what_was_set_and_always_what_it_is() -> None:
    span = LlmSpan(start_ns=1, end_ns=2, model="reference", ttft_ms=None)
    assert span.to_json() == {
        "type": "span",
        "trace_id": "",
        "span_id": "",
        "parent_span_id": None,
        "name": "llm",
        "start_ns": 1,
        "end_ns": 2,
        "attributes": {"gen_ai.request.model": "reference", "ttft_ms": None},
    }


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"name": "lunch"}, "no span or event is called 'lunch'"),
        ({"name": "llm", "start_ns": "1"}, "start_ns"),
        ({"name": "llm", "attributes": {"ttft_ms": "fast"}}, "ttft_ms"),
        ({"name": "tool"}, r"gen_ai\.tool\.name"),
        ({"name": "llm", "attributes": []}, "attributes is no JSON object"),
    ],
)
def test_what_is_no_span_says_where(change: JsonObject, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse_trace_line({**LLM, **change})


def test_what_is_no_exchange_says_so() -> None:
    with pytest.raises(ValueError, match="no exchange is of kind 'asr', party 'line'"):
        parse_exchange({"kind": "asr", "party": "line"})


def test_a_call_says_where_it_is_wrong() -> None:
    call = {"pack": "p", "task": "T1", "trial": 1, "attempt": 1, "verdict": "passed"}
    assert CallRecord.model_validate(call).to_json() == call
    gate = {"passed": True, "reward": 1.0, "reasons": []}
    gates = {"tools": {**gate, "reward": "all"}, "handoffs": gate, "database": gate}
    with pytest.raises(ValidationError, match=r"gates\.tools\.reward"):
        CallRecord.model_validate({**call, "gates": gates})


def test_what_somebody_added_is_kept() -> None:
    call = {"pack": "p", "task": "T1", "trial": 1, "attempt": 1, "verdict": "passed", "listened_to_by": "Mia"}
    assert CallRecord.model_validate(call).to_json() == call


@pytest.mark.parametrize(
    ("sent", "counted"), [(10, 10), (10.0, 10), (10.5, None), ("10", None), (True, None), (None, None), ([10], None)]
)
def test_only_whole_numbers_count_tokens(sent: JsonValue, counted: int | None) -> None:
    assert LlmSpan(start_ns=1, end_ns=2, model="m", input_tokens=token_count(sent)).input_tokens == counted
    stored: JsonObject = {
        **LLM,
        "name": "llm",
        "attributes": {"gen_ai.request.model": "m", "gen_ai.usage.input_tokens": sent},
    }
    span = parse_trace_line(stored)
    assert isinstance(span, LlmSpan)
    assert span.input_tokens == counted
