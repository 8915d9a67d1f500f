"""Starting a local agent endpoint as a child process, and ending it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self
from urllib.request import urlopen

from voicebench.errors import AgentError, ConfigError
from voicebench.serve.options import AgentServerOptions

__all__ = ["Endpoint", "start_endpoint"]

_GRACE_S = 5.0
_FAULTS = ("fault", "fault_seed", "fault_tries", "caller_fault")


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

    def read_log(self) -> list[dict[str, Any]]:
        """Return what it logged so far, one entry a request: ``call``, ``request``, ``ttft_ms``."""
        with urlopen(self.log_url, timeout=_GRACE_S) as response:  # noqa: S310 - our own server on loopback
            log: list[dict[str, Any]] = json.load(response)
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
    """Start an endpoint that ends with this process, and return when it listens.

    Raises:
        ConfigError: the endpoint says that an option is wrong, or that the port is in use.
        AgentError: the process ended without a word.
    """
    process = subprocess.Popen(  # noqa: S603
        _command(replace(options, with_parent=True)),
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
        f"the local agent endpoint ended with exit code {process.returncode} before it listened; "
        "what it wrote to standard error says why"
    )


def _command(options: AgentServerOptions) -> list[str]:
    command = [sys.executable, "-m", "voicebench.serve.agent"]
    for name in ("model", "port", "ttft_ms", "ttft_sd_ms", "token_ms", "seed", *_FAULTS):
        value = getattr(options, name)
        if value is not None:
            command += [f"--{name.replace('_', '-')}", str(value)]
    if options.role != "agent":
        command += ["--as", options.role]
    if options.script is not None:
        command += ["--script", str(options.script.resolve())]
    return [*command, "--with-parent"] if options.with_parent else command
