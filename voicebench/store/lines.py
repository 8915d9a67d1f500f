"""JSON and JSON lines, written so that equal values are equal bytes.

``trace.jsonl`` holds the lines of a :class:`~voicebench.store.trace.Tracer`; ``exchanges.jsonl`` holds one object
for each exchange with a model, whose ``kind`` is ``llm`` (a request and its chunks with offsets), ``asr`` or ``tts``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from voicebench.errors import CorruptFile

__all__ = ["from_jsonl", "to_json", "to_jsonl"]


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
