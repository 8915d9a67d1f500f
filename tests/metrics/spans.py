"""Spans of made-up calls, times in seconds; the id of each is its name and start."""

from __future__ import annotations

from typing import Any

from voicebench.record.spans import ToolSpan
from voicebench.record.trace import TraceRecord, parse_trace_line


def span(name: str, start_s: float, end_s: float, **attributes: Any) -> TraceRecord:
    """A span of any kind, its attributes as they are stored."""
    times = {"start_ns": round(start_s * 1e9), "end_ns": round(end_s * 1e9)}
    return parse_trace_line({"span_id": f"{name}@{start_s}", "name": name, **times, "attributes": attributes})


def agent(turn: int, start_s: float, end_s: float, text: str = "Yes.", *, cut: bool = False) -> TraceRecord:
    spoken = text.split(",")[0] if cut else text
    said = {"turn": turn, "agent": "desk", "intended": text, "spoken": spoken, "interrupted": cut}
    return span("agent.speech", start_s, end_s, **said)


def caller(
    turn: int, start_s: float, end_s: float, intended: str = "Yes.", spoken: str = "", **more: Any
) -> TraceRecord:
    said = {"turn": turn, "intended": intended, "spoken": spoken or intended, "interrupted": False, "rule": "", **more}
    return span("caller.speech", start_s, end_s, **said)


def asr(start_s: float, end_s: float, text: str) -> TraceRecord:
    return span("asr", start_s, end_s, party="agent", text=text)


def heard(start_s: float, end_s: float, text: str, **attributes: Any) -> TraceRecord:
    return span("caller.heard", start_s, end_s, party="caller", text=text, **attributes)


def llm(start_s: float, end_s: float, ttft_ms: float | None, **attributes: Any) -> TraceRecord:
    return span("llm", start_s, end_s, ttft_ms=ttft_ms, ttfat_ms=ttft_ms, **attributes)


def tool(start_s: float, name: str, **arguments: Any) -> TraceRecord:
    return ToolSpan(
        span_id=f"tool@{start_s}",
        start_ns=round(start_s * 1e9),
        end_ns=round(start_s * 1e9) + 50_000_000,
        tool=name,
        call_id="c",
        arguments=arguments,
        result={"ok": True},
        agent="desk",
        after_hangup=False,
    )
