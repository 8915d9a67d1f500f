"""Server-sent events: cut out of network chunks, and written again."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["DONE", "SseDecoder", "SseEvent", "frame"]

DONE = "[DONE]"
"""The data of the event that ends a chat completion's stream."""

_BLANK_LINE = re.compile(rb"\r\n\r\n|\n\n|\r\r")


@dataclass(frozen=True)
class SseEvent:
    """One event of a response.

    Attributes:
        offset_ns: call time since the request.
        data: its data lines, joined by newlines.
    """

    offset_ns: int
    data: str


class SseDecoder:
    """Cuts a byte stream into events at its blank lines, however the network has cut or merged it.

    Comments and fields other than ``data`` are left out: a chat completion has none that matter.
    """

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[str]:
        """Return the data of the events that this chunk completes."""
        *blocks, self._rest = _BLANK_LINE.split(self._rest + chunk)
        return [data for block in blocks if (data := _data(block)) is not None]

    def flush(self) -> list[str]:
        """Return the data of a last event that no blank line ended."""
        block, self._rest = self._rest, b""
        data = _data(block)
        return [] if data is None else [data]


def _data(block: bytes) -> str | None:
    lines = [line[5:] for line in block.splitlines() if line.startswith(b"data:")]  # bytes: only CR and LF end a line
    return b"\n".join(line.removeprefix(b" ") for line in lines).decode(errors="replace") if lines else None


def frame(data: str) -> bytes:
    """Write one event as it goes over the wire."""
    return "".join(f"data: {line}\n" for line in data.split("\n")).encode() + b"\n"
