"""JSON, one message a line, over a socket: between this process and the process of a pack's tools."""

from __future__ import annotations

import datetime as dt
import json
import socket
import time
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel

from voicebench.record.json_types import Json, JsonObject, JsonValue

__all__ = ["Opening", "ToolRequest", "Wire", "WireError"]

_LONGEST = 16 * 2**20  # a tool that answers more than 16 MiB would fill the parent's memory
_PIECE = 2**16


class Opening(BaseModel):
    """The first message to the process of one call: its database, as SQLite serializes it in base64, and its day."""

    database: str
    today: dt.date


class ToolRequest(BaseModel):
    """Every further message to it: a tool to call with its arguments, or tables to dump.

    The answer has the same ``id``, and a ``result`` or the reason why it ``failed``.
    """

    id: int
    do: Literal["call", "dump"]
    tool: str = ""
    arguments: Json = None
    tables: list[str] = []


class WireError(Exception):
    """The other side broke off, is late, or sent what is no message; the text says which."""


class Wire:
    """One end of the socket.

    Args:
        end: the connected socket; it is this object's from now on.
    """

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._rest = bytearray()

    def send(self, message: Mapping[str, JsonValue]) -> None:
        """Send a message.

        Raises:
            WireError: the other side is gone.
            TypeError: it is not JSON.
            ValueError: likewise.
        """
        line = json.dumps(message, allow_nan=False).encode() + b"\n"
        try:
            self._end.sendall(line)
        except OSError as error:
            raise WireError("ended its process") from error

    def receive(self, limit_s: float | None = None) -> JsonObject:
        """Wait for a message and return it.

        Args:
            limit_s: wall seconds to wait at most; None waits until the other side is gone.

        Raises:
            WireError: none came.
        """
        line = self._line(limit_s)
        try:
            message = json.loads(line, parse_constant=_refuse)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise WireError(f"wrote into the pipe of its process what is no answer: {line[:80]!r}")
        return message

    def _line(self, limit_s: float | None) -> bytes:
        until = None if limit_s is None else time.perf_counter() + limit_s
        while b"\n" not in self._rest:
            if len(self._rest) > _LONGEST:
                raise WireError(f"answers with more than {_LONGEST // 2**20} MiB")
            left = None if until is None else until - time.perf_counter()
            if left is not None and left <= 0:
                raise WireError(f"has not answered within {limit_s:g} s")
            self._end.settimeout(left)
            try:
                piece = self._end.recv(_PIECE)
            except TimeoutError:
                continue
            except OSError:
                piece = b""
            finally:
                self._end.settimeout(None)
            if not piece:
                raise WireError("ended its process")
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        return bytes(line)

    def close(self) -> None:
        """Hang up; closing twice does no harm."""
        self._end.close()


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
