"""Exports: the same calls, as other tools read them."""

from __future__ import annotations

import contextlib
import csv
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from tests.ports import deaf_port
from voicebench.cli import main
from voicebench.config import load_pipeline
from voicebench.errors import ConfigError, ProviderError, StoreError
from voicebench.runner import RunRequest, run
from voicebench.store import RunFolder, read_call
from voicebench.stored.export import export_parquet, export_run, send_traces

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One call of the line reference over the text channel."""
    out = tmp_path_factory.mktemp("made") / "run"
    run(RunRequest(load_pipeline("fast", ["channel=text"]), tasks=["T2-H3"], out=out))
    return out


def test_calls_as_csv(made: Path) -> None:
    [row] = csv.DictReader("".join(export_run(made, "csv")).splitlines())
    assert (row["run_id"], row["task"], row["verdict"], row["database_passed"]) == ("run", "T2-H3", "passed", "True")
    assert (float(row["ttft_p50_ms"]), row["v2v_p50_ms"], float(row["usd"])) == (300.0, "", 0.0)
    assert (row["missed_turns"], row["talk_over_s"], row["yield_p50_ms"], row["v2v_llm_p50_ms"]) == ("0", "", "", "")
    assert (made / row["dir"] / "call.json").exists()


def test_calls_as_parquet_are_those_of_csv_with_their_types(made: Path, tmp_path: Path) -> None:
    target = tmp_path / "calls.parquet"
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["export", str(made), "--format", "parquet", "--out", str(target)])
    table = parquet.read_table(target)
    [row] = table.to_pylist()
    [text] = csv.DictReader("".join(export_run(made, "csv")).splitlines())
    assert list(row) == list(text)
    assert {name: "" if value is None else str(value) for name, value in row.items()} == text
    assert (row["trial"], row["database_passed"], row["ttft_p50_ms"], row["v2v_p50_ms"]) == (1, True, 300.0, None)


def test_parquet_without_its_library_says_what_to_install(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"pip install 'voicebench-sim\[parquet\]'"):
        export_parquet(made)


def test_calls_as_json_lines(made: Path) -> None:
    [line] = export_run(made, "jsonl")
    told = json.loads(line)
    assert told["run_id"] == "run"
    assert read_call(made / told["dir"]).call.to_json() == {
        key: told[key] for key in told if key not in ("run_id", "dir")
    }


def test_traces_as_opentelemetry_has_them(made: Path) -> None:
    [line] = export_run(made, "otlp-json")
    [sent] = json.loads(line)["resourceSpans"]
    assert {"key": "voicebench.task", "value": {"stringValue": "T2-H3"}} in sent["resource"]["attributes"]
    spans = sent["scopeSpans"][0]["spans"]
    [path] = RunFolder(made).call_dirs()
    trace = [record.to_json() for record in read_call(path).trace]
    assert len(spans) == sum(one["type"] == "span" for one in trace)
    assert sum(len(span["events"]) for span in spans) == sum(one["type"] == "event" for one in trace)
    [whole] = [span for span in spans if span["name"] == "call"]
    [stored] = [one for one in trace if one["name"] == "call" and one["type"] == "span"]
    assert int(whole["endTimeUnixNano"]) - int(whole["startTimeUnixNano"]) == stored["end_ns"]
    assert len(whole["traceId"]) == 32
    by_id = {span["spanId"]: span for span in spans}
    assert len(by_id) == len(spans)
    assert [span["name"] for span in spans if "parentSpanId" not in span] == ["call"]
    parents = {(span["name"], by_id[span["parentSpanId"]]["name"]) for span in spans if "parentSpanId" in span}
    assert {(name, parent) for name, parent in parents if name in ("tool", "handoff")} == {
        ("tool", "llm"),
        ("handoff", "llm"),
    }
    assert {parent for name, parent in parents if name not in ("tool", "handoff")} == {"call"}
    asked = next(span for span in spans if span["name"] == "tool")
    arguments = value(asked, "gen_ai.tool.call.arguments")["kvlistValue"]["values"]
    assert all("stringValue" in one["value"] for one in arguments)
    request = next(span for span in spans if span["name"] == "llm")
    assert int(value(request, "gen_ai.usage.input_tokens")["intValue"]) > 0
    assert value(request, "ttft_ms") == {"doubleValue": 300.0}


def test_two_runs_with_one_seed_share_no_id(made: Path, tmp_path: Path) -> None:
    run(RunRequest(load_pipeline("fast", ["channel=text"]), tasks=["T2-H3"], out=tmp_path / "again"))
    ids = []
    for root in (made, tmp_path / "again"):
        [line] = export_run(root, "otlp-json")
        spans = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]
        ids.append({span["traceId"] for span in spans} | {span["spanId"] for span in spans})
    assert ids[0].isdisjoint(ids[1])


def value(span: dict[str, Any], key: str) -> dict[str, Any]:
    [found] = [one["value"] for one in span["attributes"] if one["key"] == key]
    return dict(found)


def test_the_command_writes_a_file_or_prints(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for flags in (["--out", str(tmp_path / "calls.jsonl")], []):
        with pytest.raises(SystemExit) as ended:
            main(["export", str(made), "--format", "jsonl", *flags])
        assert ended.value.code == 0
    assert capsys.readouterr().out == (tmp_path / "calls.jsonl").read_text()


class Collector(BaseHTTPRequestHandler):
    """Keeps what it is sent; the server's ``status`` is its answer."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.received.append((self.path, self.headers["content-type"], json.loads(body)))  # type: ignore[attr-defined]
        self.send_response(self.server.status)  # type: ignore[attr-defined]
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.parametrize("suffix", ["", "/", "/v1/traces"])
def test_traces_are_sent_to_a_collector(made: Path, suffix: str) -> None:
    with collector(200) as server:
        assert send_traces(made, f"http://127.0.0.1:{server.server_port}{suffix}") == 1
        [(path, kind, body)] = server.received  # type: ignore[attr-defined]
    assert (path, kind) == ("/v1/traces", "application/json")
    assert body == json.loads(next(iter(export_run(made, "otlp-json"))))


def test_a_collector_that_refuses_or_is_not_there_is_told(made: Path) -> None:
    with collector(503) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        with pytest.raises(ProviderError, match="answered 503 after 0 calls"):
            send_traces(made, address)
    with deaf_port() as port, pytest.raises(ProviderError, match="cannot be reached"):
        send_traces(made, f"http://127.0.0.1:{port}")


@contextlib.contextmanager
def collector(status: int) -> Iterator[HTTPServer]:
    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        server.received, server.status = [], status  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"run\.json: not there"):
        list(export_run(tmp_path, "csv"))
