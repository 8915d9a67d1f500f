"""A local server's process: it reads its options, listens on loopback, says where, and ends with its parent."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Literal, TypeVar, get_args, get_type_hints

import uvicorn
from starlette.applications import Starlette

from voicebench.errors import ConfigError, ModelMissing
from voicebench.serve.options import AgentServerOptions, RealtimeServerOptions

__all__ = ["HOST", "listen", "run_server", "serve_app"]

HOST = "127.0.0.1"
_PARENT_CHECK_S = 0.5
_KEEP_ALIVE_S = 600
"""A harness may think for minutes between two requests on one connection."""


Options = TypeVar("Options", AgentServerOptions, RealtimeServerOptions)


def run_server(kind: type[Options], serve: Callable[[Options], None], arguments: Sequence[str] | None = None) -> int:
    """Read a server's options from its flags, serve, and return the exit code.

    When the server cannot start, it prints one JSON line, ``{"error": "..."}``, and the code is 2.

    Args:
        kind: the options, a field a flag.
        serve: what serves with them.
        arguments: those of the process unless given.
    """
    parser = argparse.ArgumentParser(description=serve.__doc__)
    for field in fields(kind):
        flag, hint = f"--{field.name.replace('_', '-')}", get_type_hints(kind)[field.name]
        if hint is bool:
            parser.add_argument(flag, action="store_true")
        else:
            read = next((type_ for type_ in (int, float, Path) if type_ is hint or type_ in get_args(hint)), str)
            parser.add_argument(flag, type=read, default=field.default)
    try:
        serve(kind(**vars(parser.parse_args(arguments))))
    except (ConfigError, ModelMissing) as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return 2
    return 0


def serve_app(
    app: Starlette, verb: str, port: int, *, with_parent: bool, ws: Literal["auto", "websockets-sansio"] = "auto"
) -> None:
    """Serve until SIGTERM or Ctrl-C or, with ``with_parent``, until the parent is gone.

    Once it listens it prints one JSON line, ``{"url": "http://127.0.0.1:PORT/v1"}``.

    Args:
        app: what is served.
        verb: what a message calls the server.
        port: TCP port on the loopback interface; 0 takes a free one.
        with_parent: whether it ends when standard input closes or the parent process goes away.
        ws: uvicorn's implementation of WebSockets.

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
                ws=ws,
            )
        )
        if with_parent:
            threading.Thread(target=_end_with_parent, args=(server,), daemon=True).start()
        with contextlib.suppress(BrokenPipeError):  # the parent was stopped before it heard where we listen
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
