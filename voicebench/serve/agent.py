"""``voicebench serve agent``: a local agent behind the OpenAI chat protocol, in a process of its own.

``python -m voicebench.serve.agent`` takes the options as flags. When the endpoint listens, it prints one JSON line,
``{"url": "http://127.0.0.1:PORT/v1"}``; when it cannot start, ``{"error": "..."}`` and exit code 2.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import select
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from voicebench.errors import ConfigError
from voicebench.serve.app import make_app
from voicebench.serve.models import make_model
from voicebench.serve.options import AgentServerOptions

__all__ = ["listen", "main", "serve_agent"]

HOST = "127.0.0.1"
_PARENT_CHECK_S = 0.5
_KEEP_ALIVE_S = 600
"""A harness may think for minutes between two requests on one connection."""

_UNFINISHED = "ASGI callable returned without completing response."
"""What the server logs of a stream that a fault has cut, which is no error here."""


def serve_agent(options: AgentServerOptions) -> None:
    """Serve until SIGTERM or Ctrl-C or, with ``with_parent``, until the parent is gone.

    Raises:
        ConfigError: no such model, an unreadable script, or a port that is in use.
    """
    model = make_model(options)
    with listen(options.port) as listener:
        server = uvicorn.Server(
            uvicorn.Config(
                make_app(options, model),
                log_level="warning",
                access_log=False,
                lifespan="off",
                timeout_keep_alive=_KEEP_ALIVE_S,
                timeout_graceful_shutdown=1,
            )
        )
        logging.getLogger("uvicorn.error").addFilter(lambda record: record.getMessage() != _UNFINISHED)
        if options.with_parent:
            threading.Thread(target=_end_with_parent, args=(server,), daemon=True).start()
        print(json.dumps({"url": f"http://{HOST}:{listener.getsockname()[1]}/v1"}), flush=True)
        server.run(sockets=[listener])


def listen(port: int) -> socket.socket:
    """Return a listening socket on the loopback interface.

    Args:
        port: TCP port; 0 takes a free one.

    Raises:
        ConfigError: the port cannot be used.
    """
    # asyncio turns Nagle's algorithm off only where the protocol is named; with it, each answer is 40 ms late
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"serve agent: port {port} on {HOST} cannot be used ({error.strerror}); choose another, or 0 for a free one"
        ) from error
    return listener


def _end_with_parent(server: uvicorn.Server) -> None:
    """Stop the server when standard input closes or the parent changes.

    A parent that was killed may have left the pipe open in a forked child, so both are watched. The kernel's
    parent-death signal is no help: it follows the parent's *thread*, and an executor's threads come and go.
    """
    parent = os.getppid()
    stdin = sys.stdin.fileno()
    while os.getppid() == parent:
        readable, _, _ = select.select([stdin], [], [], _PARENT_CHECK_S)
        if readable and not os.read(stdin, 4096):
            break
    server.should_exit = True


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse flags, serve, and return the exit code."""
    parser = argparse.ArgumentParser(prog="voicebench.serve.agent", description=serve_agent.__doc__)
    parser.add_argument("--model", default="")
    parser.add_argument("--as", dest="role", choices=("agent", "caller"), default="agent")
    parser.add_argument("--script", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--ttft-ms", type=float, default=300.0)
    parser.add_argument("--ttft-sd-ms", type=float, default=0.0)
    parser.add_argument("--token-ms", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--with-parent", action="store_true")
    parser.add_argument("--fault")
    parser.add_argument("--fault-seed", type=int, default=0)
    parser.add_argument("--fault-tries", type=int)
    parser.add_argument("--caller-fault")
    try:
        serve_agent(AgentServerOptions(**vars(parser.parse_args(arguments))))
    except ConfigError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
