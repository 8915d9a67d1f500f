"""Starting a local server as a child process, and ending it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypedDict
from urllib.request import urlopen

from voicebench.errors import AgentError, ConfigError
from voicebench.serve.options import AgentServerOptions, RealtimeServerOptions

__all__ = ["Endpoint", "LogEntry", "start_endpoint", "start_realtime"]

_GRACE_S = 20.0
"""Wall seconds for an end, or an answer: only one that hangs takes longer, however busy the machine is."""


class LogEntry(TypedDict):
    """One answered request: the call, its number there, milliseconds from request read to first chunk written."""

    call: str
    request: int
    ttft_ms: float


@dataclass(frozen=True)
class Endpoint:
    """A running endpoint; as a context manager it is stopped at the end.

    Attributes:
        url: the base URL for an OpenAI client.
        process: the server's process.
    """

    url: str
    process: subprocess.Popen[str]

    @property
    def log_url(self) -> str:
        """Where the endpoint tells its own delays: a list of ``{call, request, ttft_ms}``."""
        return self.url.removesuffix("/v1") + "/voicebench/log"

    def read_log(self) -> list[LogEntry]:
        """Return what it logged so far, one entry a request."""
        with urlopen(self.log_url, timeout=_GRACE_S) as response:  # noqa: S310 - our own server on loopback
            log: list[LogEntry] = json.load(response)
        return log

    def stop(self) -> None:
        """End the server and wait for it; stopping twice does no harm."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        self.process.terminate()
        try:
            self.process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


def start_endpoint(options: AgentServerOptions) -> Endpoint:
    """Start an agent endpoint that ends with this process, and return when it listens.

    Raises:
        ConfigError: the endpoint says that an option is wrong, or that the port is in use.
        AgentError: the process ended without a word.
    """
    return _start("voicebench.serve.agent", replace(options, with_parent=True))


def start_realtime(options: RealtimeServerOptions) -> Endpoint:
    """Start a realtime server that ends with this process, and return when it has its models and listens.

    Raises:
        ConfigError: the server says that an option is wrong, that weights are absent, or that the port is in use.
        AgentError: the process ended without a word.
    """
    return _start("voicebench.serve.realtime.server", replace(options, with_parent=True))


def _start(module: str, options: AgentServerOptions | RealtimeServerOptions) -> Endpoint:
    """Start a server: its options go as flags, those that are not set left out."""
    command = [sys.executable, "-P", "-m", module]
    for field in fields(options):
        value, flag = getattr(options, field.name), f"--{field.name.replace('_', '-')}"
        if value is True:
            command.append(flag)
        elif value is not None and value is not False:
            command += [flag, str(value.resolve() if isinstance(value, Path) else value)]
    process = subprocess.Popen(  # noqa: S603
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,  # Ctrl-C is for the harness, whose calls in flight still need their agent
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    ready = json.loads(line) if line.startswith("{") else {}
    if "url" in ready:
        return Endpoint(ready["url"], process)
    Endpoint("", process).stop()
    if "error" in ready:
        raise ConfigError(ready["error"])
    raise AgentError(
        f"{module} ended with exit code {process.returncode} before it listened; "
        "what it wrote to standard error says why"
    )
