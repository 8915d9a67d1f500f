"""JSON and JSON lines, written so that equal values are equal bytes, and read as records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from pydantic import ValidationError

from voicebench.errors import CorruptFile
from voicebench.record.base import Record
from voicebench.record.exchanges import Exchange, parse_exchange
from voicebench.record.json_types import JsonObject
from voicebench.record.trace import TraceRecord, parse_trace_line

__all__ = ["from_jsonl", "read_exchanges", "read_trace", "to_json", "to_jsonl", "where_wrong"]

T = TypeVar("T")


def to_json(value: Record | Mapping[str, object] | None) -> bytes:
    """Return a record, or an object of JSON, as indented JSON with a final newline; equal values give equal bytes."""
    found = value.to_json() if isinstance(value, Record) else value
    return (json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def to_jsonl(lines: Iterable[Record | Mapping[str, object]]) -> bytes:
    """Return records, or objects of JSON, as one compact line each; equal values give equal bytes."""
    found = (line.to_json() if isinstance(line, Record) else line for line in lines)
    return "".join(
        json.dumps(line, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n" for line in found
    ).encode()


def read_trace(data: bytes, name: str = "trace.jsonl") -> list[TraceRecord]:
    """Return the spans and events of a ``trace.jsonl``.

    Args:
        data: its content.
        name: its name, for messages.

    Raises:
        CorruptFile: a line is no span or event; the message names the file, the line and what is wrong with it.
    """
    return _parse_lines(data, name, parse_trace_line)


def read_exchanges(data: bytes, name: str = "exchanges.jsonl") -> list[Exchange]:
    """Return the exchanges of an ``exchanges.jsonl``; see :func:`read_trace`."""
    return _parse_lines(data, name, parse_exchange)


def from_jsonl(data: bytes, name: str) -> list[JsonObject]:
    """Return the objects of JSON lines.

    Raises:
        CorruptFile: a line is no JSON object; the message names the file and the line.
    """
    lines: list[JsonObject] = []
    for number, text in enumerate(data.splitlines(), start=1):
        try:
            line = json.loads(text)
        except ValueError as error:
            raise CorruptFile(f"{name}, line {number}: no JSON ({error}); the file is corrupt") from error
        if not isinstance(line, dict):
            raise CorruptFile(f"{name}, line {number}: no JSON object; the file is corrupt")
        lines.append(line)
    return lines


def _parse_lines(data: bytes, name: str, parse: Callable[[JsonObject], T]) -> list[T]:
    records = []
    for number, line in enumerate(from_jsonl(data, name), start=1):
        try:
            records.append(parse(line))
        except ValueError as error:
            raise CorruptFile(f"{name}, line {number}: {where_wrong(error)}; the file is corrupt") from error
    return records


def where_wrong(error: ValueError) -> str:
    """Return the first thing that is wrong with a record: its place and what is expected there."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    found = first["input"]
    shown = "" if isinstance(found, dict | list) else f", not {found!r}"
    return f"{place}: {first['msg']}{shown}" if place else f"{first['msg']}"
