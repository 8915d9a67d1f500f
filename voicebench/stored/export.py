"""A run for other tools: its calls as CSV, JSON lines, Parquet or JUnit, and its traces as OpenTelemetry has them."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from voicebench import __version__
from voicebench.errors import ConfigError, ProviderError, StoreError
from voicebench.metrics import quantiles
from voicebench.metrics.latency import PARTS
from voicebench.record.figures import Quantiles
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.run import RunRecord
from voicebench.record.spans import CallSpan, HandoffSpan, LlmSpan, ToolSpan
from voicebench.record.trace_line import TraceEvent, TraceSpan
from voicebench.store import RunFolder, StoredCall
from voicebench.stored.results import HUNG_UP, RunResult, trial_outcome

__all__ = ["ExportFormat", "export_parquet", "export_run", "send_traces", "to_junit"]

ExportFormat = Literal["csv", "jsonl", "otlp-json"]

_PLAIN: dict[str, type] = {
    "pack": str,
    "task": str,
    "trial": int,
    "attempt": int,
    "verdict": str,
    "scoring_version": int,
    "void_kind": str,
    "error_by": str,
    "service_began_s": float,
    "hung_up": bool,
    "reason": str,
    "reward": float,
    "call_s": float,
    "wall_s": float,
    "cpu_s": float,
    "end_reason": str,
}
_GATES = ("tools", "handoffs", "database")
_KINDS = ("ttft", "ttfat", "v2v", "first_audio", "yield")
_LATENCIES = {f"{kind}_{quantile}_ms": (kind, quantile) for kind in _KINDS for quantile in ("p50", "p95")}
_V2V_PARTS = {f"v2v_{part}_p50_ms": part for part in PARTS}
_COLUMNS: dict[str, type] = {
    "run_id": str,
    **_PLAIN,
    **{f"{gate}_passed": bool for gate in _GATES},
    **dict.fromkeys((*_LATENCIES, *_V2V_PARTS), float),
    "talk_over_s": float,
    "missed_turns": int,
    "duties_kept": int,
    "duties": int,
    "turns_heard": int,
    "turns_not_understood": int,
    "usd": float,
    "dir": str,
}
"""Of a row for a call, and their types; each may be null."""
_INTERNAL_SPAN = 1
"""``SPAN_KIND_INTERNAL`` of OpenTelemetry: nothing of a call crosses a process that traces too."""


def export_run(root: Path, output: ExportFormat) -> Iterator[str]:
    """Give a run as text, piece by piece; every attempt is in it.

    ``csv``: one row a call. ``jsonl``: one ``call.json`` a line, with ``run_id`` and ``dir``. ``otlp-json``: one line a
    call, each an ``ExportTraceServiceRequest`` (OpenTelemetry protocol 1, JSON encoding); times are those of the call,
    counted from the start of the run, and what happened to no span in particular is an event of the call's. The call's
    span is the root; a tool or handoff lies under the request whose answer called it. Ids are the stored ones mixed
    with the run, since equal seeds give equal stored ids.

    Raises:
        StoreError: the folder holds no run, or a file of it is corrupt.
    """
    folder = RunFolder(root.resolve())
    record = folder.record()
    if output == "csv":
        for number, stored in enumerate(_calls(folder)):
            out = io.StringIO()
            row = _row(stored, record.run_id, folder.root)
            writer = csv.DictWriter(out, row, lineterminator="\n")
            if number == 0:
                writer.writeheader()
            writer.writerow(row)
            yield out.getvalue()
    elif output == "jsonl":
        for stored in _calls(folder):
            where = {"run_id": record.run_id, "dir": stored.dir.relative_to(folder.root).as_posix()}
            yield _line({**where, **stored.call.to_json()})
    else:
        start_ns = round(datetime.fromisoformat(record.started_at).timestamp()) * 10**9
        for stored in _calls(folder):
            if stored.has_trace:
                yield _line(_trace_request(record, stored, start_ns))


def export_parquet(root: Path) -> bytes:
    """Give a run's calls as a Parquet file: the rows and columns of ``csv``, with their types.

    Raises:
        StoreError: the folder holds no run, or a file of it is corrupt.
        ConfigError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise ConfigError("Parquet needs pyarrow; install it with: pip install 'voicebench-sim[parquet]'") from error

    folder = RunFolder(root.resolve())
    run_id = folder.record().run_id
    rows = [_row(stored, run_id, folder.root) for stored in _calls(folder)]
    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in _COLUMNS.items()])
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema), out)
    return out.getvalue()


def send_traces(root: Path, endpoint: str) -> int:
    """Send a run's traces to an OpenTelemetry collector, one request a call; return how many there were.

    Args:
        root: the run's folder.
        endpoint: the collector's address; traces go to ``/v1/traces`` below it (OTLP over HTTP, JSON).

    Raises:
        StoreError: the folder holds no run, or a file of it is corrupt.
        ProviderError: the collector cannot be reached, or refuses.
    """
    import httpx2

    sent = 0
    url = f"{endpoint.rstrip('/').removesuffix('/v1/traces')}/v1/traces"
    with httpx2.Client(timeout=30.0) as client:
        for line in export_run(root, "otlp-json"):
            try:
                answer = client.post(url, content=line.encode(), headers={"content-type": "application/json"})
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                raise ProviderError(f"{url}: cannot be reached ({error}); after {sent} calls") from error
            if not answer.is_success:
                raise ProviderError(f"{url}: answered {answer.status_code} after {sent} calls: {answer.text[:200]}")
            sent += 1
    return sent


def _calls(folder: RunFolder) -> Iterator[StoredCall]:
    for call in folder.calls():
        if isinstance(call, StoreError):
            raise call
        yield call


def _row(stored: StoredCall, run_id: str, root: Path) -> dict[str, str | float | None]:
    call = stored.call
    passed = {gate: None if call.gates is None else getattr(call.gates, gate).passed for gate in _GATES}
    latencies = {kind: getattr(call, f"{kind}_ms") or Quantiles() for kind in _KINDS}
    parts = {name: [turn.parts_ms[part] for turn in call.v2v_parts] for name, part in _V2V_PARTS.items()}
    return {
        "run_id": run_id,
        **{key: getattr(call, key) for key in _PLAIN},
        "scoring_version": call.scored_by,
        "void_kind": call.voided_by,
        **{f"{gate}_passed": value for gate, value in passed.items()},
        **{name: getattr(latencies[kind], quantile) for name, (kind, quantile) in _LATENCIES.items()},
        **{name: quantiles(values).p50 for name, values in parts.items()},
        "talk_over_s": call.talk_over_s,
        "missed_turns": call.missed_turns,
        "duties_kept": None if call.said is None else call.said.kept,
        "duties": None if call.said is None else call.said.of,
        "turns_heard": None if call.comprehension is None else call.comprehension.heard,
        "turns_not_understood": None if call.comprehension is None else call.comprehension.not_understood,
        "usd": None if call.cost is None else call.cost.usd,
        "dir": stored.dir.relative_to(root).as_posix(),
    }


def _trace_request(run: RunRecord, stored: StoredCall, start_ns: int) -> JsonObject:
    """Return a call's trace as an ``ExportTraceServiceRequest``; ``start_ns`` is when its call time began."""
    call = stored.call
    resource: JsonObject = {
        "service.name": "voicebench",
        "service.version": __version__,
        "voicebench.run": run.run_id,
        **{f"voicebench.{key}": getattr(call, key) for key in ("pack", "task", "trial", "attempt", "verdict")},
    }
    whole = next((line.span_id for line in stored.trace if isinstance(line, CallSpan)), "")
    events: dict[str, list[JsonValue]] = {}
    for line in stored.trace:
        if isinstance(line, TraceEvent):
            time = str(start_ns + line.time_ns)
            event: JsonObject = {"timeUnixNano": time, "name": line.name, "attributes": _attributes(line.attributes())}
            events.setdefault(line.span_id or whole, []).append(event)
    spans: list[JsonValue] = []
    parents = _parents(stored, whole)

    def mixed(stored_id: str, length: int) -> str:
        return hashlib.sha256(f"{run.run_id} {run.started_at} {stored_id}".encode()).hexdigest()[:length]

    for line in stored.trace:
        if isinstance(line, TraceSpan):
            span: JsonObject = {
                "traceId": mixed(line.trace_id, 32),
                "spanId": mixed(f"{line.trace_id} {line.span_id}", 16),
                "name": line.name,
                "kind": _INTERNAL_SPAN,
                "startTimeUnixNano": str(start_ns + line.start_ns),
                "endTimeUnixNano": str(start_ns + line.end_ns),
                "attributes": _attributes(line.attributes()),
                "events": events.get(line.span_id, []),
            }
            above = parents[line.span_id]
            spans.append({**span, "parentSpanId": mixed(f"{line.trace_id} {above}", 16)} if above else span)
    scope: JsonObject = {"name": "voicebench", "version": __version__}
    scopes: JsonValue = [{"scope": scope, "spans": spans}]
    return {"resourceSpans": [{"resource": {"attributes": _attributes(resource)}, "scopeSpans": scopes}]}


def _parents(stored: StoredCall, whole: str) -> dict[str, str]:
    """Return the id of each span's parent; empty for the call's own."""
    parents: dict[str, str] = {}
    request = whole
    spans = [line for line in stored.trace if isinstance(line, TraceSpan)]
    for line in sorted(spans, key=lambda span: (span.start_ns, span.end_ns)):
        called = isinstance(line, ToolSpan | HandoffSpan)
        parents[line.span_id] = line.parent_span_id or (request if called else whole)
        if isinstance(line, LlmSpan) and line.party == "agent":
            request = line.span_id
    return {**parents, whole: ""}


def _attributes(values: JsonObject) -> list[JsonValue]:
    return [{"key": key, "value": _any(value)} for key, value in values.items() if value is not None]


def _any(value: JsonValue) -> JsonObject:
    """Write a value as the protocol's ``AnyValue``; whole numbers are texts there."""
    if isinstance(value, bool):  # before int, of which bool is a kind
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": _attributes(value)}}
    if isinstance(value, list | tuple):
        return {"arrayValue": {"values": [_any(one) for one in value if one is not None]}}
    return {"stringValue": str(value)}


def _line(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


# ---- JUnit ----------------------------------------------------------------------------------------------------------

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file can hold."""


def to_junit(result: RunResult) -> bytes:
    """Return one test suite with a test case a trial: ``failure`` if the agent failed, ``error`` without a verdict.

    Void calls are errors too: they say nothing of the agent. A trial without any attempt has no test case.
    """
    summary = result.summary
    suite = Element(
        "testsuite",
        name=result.run_id,
        tests=str(len(result.calls)),
        failures=str(summary.failed),
        errors=str(summary.void + summary.error),
        time=f"{sum(call.wall_s or 0.0 for call in result.calls):.3f}",
    )
    for call in result.calls:
        name = f"{call.task} trial {call.trial}"
        outcome = trial_outcome(call.attempts, hung_up=call.hung_up)
        case = SubElement(suite, "testcase", classname=call.pack, name=name, time=f"{call.wall_s or 0.0:.3f}")
        if outcome == "passed":
            continue
        kind, message = "failure" if outcome == "failed" else "error", call.reason or outcome
        if call.hung_up:
            message = f"{HUNG_UP} ({', '.join(call.attempts)})"
        if call.void_kind is not None and not message.startswith(f"{call.void_kind}: "):
            message = f"{call.void_kind}: {message}"
        element = SubElement(case, kind, type=outcome, message=_NO_XML.sub("", message))
        gates = [] if call.gates is None else [(name, getattr(call.gates, name)) for name in _GATES]
        reasons = [f"{gate}: {reason}" for gate, one in gates if not one.passed for reason in one.reasons]
        element.text = _NO_XML.sub("", "\n".join([*reasons, call.dir]))
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    text: str = tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()
