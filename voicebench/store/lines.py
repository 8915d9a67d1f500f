"""JSON and JSON lines, written so that equal values are equal bytes, and read as records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pydantic import ValidationError

from voicebench.errors import CorruptFile
from voicebench.record.json_types import JsonObject

__all__ = ["from_jsonl", "parse_lines", "to_json", "to_jsonl", "where_wrong"]

T = TypeVar("T")


def to_json(value: Any) -> bytes:
    """Return a value as indented JSON with a final newline; equal values give equal bytes."""
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def to_jsonl(lines: Iterable[dict[str, Any]]) -> bytes:
    """Return one compact JSON object a line; equal values give equal bytes."""
    return "".join(
        json.dumps(line, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n" for line in lines
    ).encode()


def from_jsonl(data: bytes, name: str) -> list[dict[str, Any]]:
    """Return the objects of JSON lines.

    Raises:
        CorruptFile: a line is no JSON object; the message names the file and the line.
    """
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(data.splitlines(), start=1):
        try:
            line = json.loads(text)
        except ValueError as error:
            raise CorruptFile(f"{name}, line {number}: no JSON ({error}); the file is corrupt") from error
        if not isinstance(line, dict):
            raise CorruptFile(f"{name}, line {number}: no JSON object; the file is corrupt")
        lines.append(line)
    return lines


def parse_lines(data: bytes, name: str, parse: Callable[[JsonObject], T]) -> list[T]:
    """Return the records of JSON lines.

    Args:
        data: content of the file.
        name: of the file, for messages.
        parse: makes a record of a line.

    Raises:
        CorruptFile: a line is no record; the message names the file, the line and what is wrong with it.
    """
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
