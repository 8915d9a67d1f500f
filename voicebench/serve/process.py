"""A local server's process: it listens on loopback, says where, and ends with whoever started it."""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import threading
from typing import Any

import uvicorn
from starlette.applications import Starlette

from voicebench.errors import ConfigError

__all__ = ["HOST", "listen", "serve_app"]

HOST = "127.0.0.1"
_PARENT_CHECK_S = 0.5
_KEEP_ALIVE_S = 600
"""A harness may think for minutes between two requests on one connection."""


def serve_app(app: Starlette, verb: str, port: int, *, with_parent: bool, **settings: Any) -> None:
    """Serve until SIGTERM or Ctrl-C or, with ``with_parent``, until the parent is gone.

    Once it listens it prints one JSON line, ``{"url": "http://127.0.0.1:PORT/v1"}``.

    Args:
        app: what is served.
        verb: what a message calls the server.
        port: TCP port on the loopback interface; 0 takes a free one.
        with_parent: whether it ends when standard input closes or the parent process goes away.
        settings: further ones of uvicorn.

    Raises:
        ConfigError: the port is in use.
    """
    with listen(port, verb) as listener:
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                lifespan="off",
                timeout_keep_alive=_KEEP_ALIVE_S,
                timeout_graceful_shutdown=1,
                **settings,
            )
        )
        if with_parent:
            threading.Thread(target=_end_with_parent, args=(server,), daemon=True).start()
        print(json.dumps({"url": f"http://{HOST}:{listener.getsockname()[1]}/v1"}), flush=True)
        server.run(sockets=[listener])


def listen(port: int, verb: str = "serve agent") -> socket.socket:
    """Return a listening socket on the loopback interface.

    Args:
        port: TCP port; 0 takes a free one.
        verb: what a message calls the server.

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
            f"{verb}: port {port} on {HOST} cannot be used ({error.strerror}); choose another, or 0 for a free one"
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
