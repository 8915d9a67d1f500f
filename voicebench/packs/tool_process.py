"""Tools of a pack that is not shipped: they run in a process of their own, and their code is never imported here.

That process gets no environment but what Python needs, so no key and no setting reaches a tool by accident, and what a
tool does wrong is an error of its call, whatever it is: an exception, a hang, an end of the process, noise. It is no
sandbox: the tools run as the same user, who may read files, open connections and look at other processes.
"""

from __future__ import annotations

import base64
import contextlib
import datetime as dt
import os
import signal
import socket
import subprocess
import sys
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from voicebench.errors import ConfigError, PackError
from voicebench.packs.database import State
from voicebench.packs.models import PackSpec, ToolSpec
from voicebench.packs.tool_context import ToolContext
from voicebench.packs.tools import Result, Tool
from voicebench.packs.wire import Opening, Wire, WireError
from voicebench.record.json_types import JsonObject, JsonValue

__all__ = ["KEPT", "LIMIT_S", "RemoteTool", "RemoteToolContext", "ToolProcess"]

LIMIT_S = 30.0
"""Wall seconds in which a tool must have answered; any that works takes milliseconds."""

_IMPORT_LIMIT_S = 60.0
_STDERR = 2
"""Where tools print: standard output may be one JSON object of this process's."""

KEPT = ("PATH", "LANG", "LD_LIBRARY_PATH", "PYTHONHOME")
"""Variables that tools may see."""

_HOME = Path(__file__).resolve().parents[2]
"""From where voicebench is imported."""


class _Envelope(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    ok: bool
    data: dict[str, JsonValue] | None
    error_code: str | None
    caller_safe_message: str | None


_SPECS = TypeAdapter(list[ToolSpec])
_STATE = TypeAdapter(dict[str, list[dict[str, str | int | float | None]]], config=ConfigDict(strict=True))


@dataclass(frozen=True)
class RemoteTool(Tool):
    """A tool whose code is in another process.

    Attributes:
        declared: what that process says of it.
    """

    declared: ToolSpec

    @classmethod
    def of(cls, spec: ToolSpec) -> RemoteTool:
        """Return the tool of a specification."""
        return cls(spec.name, spec.description, (), spec.writes, spec.ends_call, _elsewhere, spec)

    @property
    def spec(self) -> ToolSpec:
        """What is known of the tool without its code."""
        return self.declared

    def invoke(self, context: ToolContext, arguments: JsonValue) -> JsonObject:
        """See :meth:`Tool.invoke`; the context is one of its own pack."""
        assert isinstance(context, RemoteToolContext)
        return context.call(self.name, arguments)


def _elsewhere(context: ToolContext, /, **arguments: Any) -> Result:
    raise NotImplementedError("the code of this tool is in another process; use invoke")


class ToolProcess:
    """The process of one pack's tools; it ends with this process, or when it is not needed any more.

    Args:
        pack: the pack's name, for messages.
        root: its folder.
        limit_s: wall seconds in which a tool must have answered.

    Attributes:
        tools: by name, in the order of the pack's code.

    Raises:
        ConfigError: the tools cannot be imported; says where and why.
    """

    def __init__(self, pack: str, root: Path, *, limit_s: float = LIMIT_S) -> None:
        self.pack = pack
        self.limit_s = limit_s
        self._root = root
        self._running, self.tools = self._start()

    def open_context(self, database: bytes, today: dt.date) -> RemoteToolContext:
        """Return the context of one call; the process is started again if it has ended.

        Args:
            database: the pack's, as SQLite serializes it.
            today: the pack's fixed date.

        Raises:
            PackError: the process ends as soon as it has started, or has other tools by now.
        """
        for _ in range(2):
            ours, theirs = socket.socketpair()
            with theirs:
                try:
                    socket.send_fds(self._running.control, [b"+"], [theirs.fileno()])
                except OSError:
                    ours.close()
                    self.end()
                    self._running, tools = self._start()
                    if tools != self.tools:
                        text = "its tools were changed while they were in use; start again"
                        raise PackError(f"pack {self.pack}: {text}") from None
                    continue
            return RemoteToolContext(self, ours, database, today)
        raise PackError(f"pack {self.pack}: the process of its tools ends as soon as it has started")

    def end(self) -> None:
        """Kill the process and all its copies."""
        self._running.end()

    def _start(self) -> tuple[_Running, dict[str, Tool]]:
        running = _Running.start(self._root)
        weakref.finalize(self, running.end)
        try:
            answer = Wire(running.control).receive(_IMPORT_LIMIT_S)
        except WireError as error:
            running.end()
            raise ConfigError(f"{self._root}: what imports the pack's tools {error}") from error
        if "tools" not in answer:
            running.end()
            raise ConfigError(str(answer.get("error")))
        try:
            specs = _SPECS.validate_python(answer["tools"])
        except ValidationError as error:
            running.end()
            raise ConfigError(f"{self._root}: what imports the pack's tools names no tools: {error}") from error
        return running, {spec.name: RemoteTool.of(spec) for spec in specs}


@dataclass(frozen=True)
class _Running:
    """A started process, and our end of the socket over which it gets the sockets of calls."""

    process: subprocess.Popen[bytes]
    control: socket.socket

    @classmethod
    def start(cls, root: Path) -> _Running:
        """Start it, in a process group of its own: Ctrl-C is not for it."""
        ours, theirs = socket.socketpair()
        with theirs, contextlib.ExitStack() as unless_started:
            unless_started.callback(ours.close)
            command = [sys.executable, "-P", "-u", "-m", "voicebench.packs.tool_child"]
            # What Python needs, and sets in the same order in every process
            kept = {name: os.environ[name] for name in KEPT if name in os.environ}
            path = os.pathsep.join([str(_HOME), *filter(None, [os.environ.get("PYTHONPATH")])])
            process = subprocess.Popen(  # noqa: S603
                [*command, str(theirs.fileno()), str(root), str(round(_IMPORT_LIMIT_S))],
                stdin=subprocess.DEVNULL,
                stdout=_STDERR,
                env={**kept, "PYTHONPATH": path, "PYTHONHASHSEED": "0"},
                cwd="/",
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
            unless_started.pop_all()
        return cls(process, ours)

    def end(self) -> None:
        """Kill it with its copies; a second time does no harm."""
        self.control.close()
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class RemoteToolContext(ToolContext):
    """The context of one call in another process, where its database and its memory are: there is no ``db`` here.

    Once a tool has hung, has ended its process or was not understood, every further use fails likewise.
    """

    def __init__(self, process: ToolProcess, ours: socket.socket, database: bytes, today: dt.date) -> None:
        self.today = today
        self._process = process
        self._wire = Wire(ours)
        self._requests = 0
        self._broken: str | None = None
        weakref.finalize(self, ours.close)
        opening = Opening(database=base64.b64encode(database).decode(), today=today)
        with contextlib.suppress(WireError):  # the first request will say it
            self._wire.send(opening.model_dump(mode="json"))

    def call(self, tool: str, arguments: JsonValue) -> JsonObject:
        """Call a tool as a model does, and return the envelope.

        Raises:
            PackError: the tool failed, whatever it did; the message names the pack, the tool, and what happened.
        """
        who = f"tool {tool!r}"
        result = self._ask(who, "call", {"tool": tool, "arguments": arguments})
        try:
            return _Envelope.model_validate(result).model_dump()
        except ValidationError as error:
            raise self._break(f"{who} answers with what is no envelope: {str(result)[:80]}") from error

    def dump(self, spec: PackSpec) -> State:
        """See :meth:`ToolContext.dump`.

        Raises:
            PackError: the process is gone, or the tables hold what is no text and no number.
        """
        who = "the database"
        result = self._ask(who, "dump", {"tables": [*spec.state]})
        try:
            state: State = {name: [{**row} for row in rows] for name, rows in _STATE.validate_python(result).items()}
        except ValidationError as error:
            raise self._break(f"{who} holds what is no text and no number: {str(result)[:80]}") from error
        if list(state) != list(spec.state):
            raise self._break(f"{who} has the tables {', '.join(state)}")
        return state

    def close(self) -> None:
        """End the call's process."""
        self._wire.close()

    def _ask(self, who: str, do: Literal["call", "dump"], what: JsonObject) -> JsonValue:
        if self._broken is not None:
            raise PackError(self._broken)
        self._requests += 1
        try:
            self._wire.send({"id": self._requests, "do": do, **what})
            reply = self._wire.receive(self._process.limit_s)
        except WireError as error:
            raise self._break(f"{who} {error}") from error
        if reply.get("id") != self._requests:
            raise self._break(f"{who} wrote into the pipe of its process what is no answer: {str(reply)[:80]}")
        if "failed" in reply:
            why = str(reply["failed"])
            raise PackError(self._named(why if who in why else f"{who}: {why}"))
        return reply.get("result")

    def _break(self, what: str) -> PackError:
        """End the process, which may do anything by now, and return the error that says what it did."""
        self._broken = self._named(what)
        self._wire.close()
        self._process.end()
        return PackError(self._broken)

    def _named(self, what: str) -> str:
        return f"pack {self._process.pack}: {what}"
