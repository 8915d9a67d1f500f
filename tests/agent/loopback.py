"""A chat completions endpoint on loopback, in a thread of this process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def serving(complete: Callable[[Request], Awaitable[Response]]) -> contextlib.AbstractContextManager[str]:
    """Serve one handler of completions and give the base URL for a client."""
    return serving_app(Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])]))


@contextlib.contextmanager
def serving_app(app: Starlette) -> Iterator[str]:
    """Serve an application and give the base URL for a client."""
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none", log_level="critical"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            server.should_exit = True
            thread.join()


def sse(data: Any) -> bytes:
    """One event of a stream; text goes out as it stands."""
    return b"data: " + (data if isinstance(data, str) else json.dumps(data)).encode() + b"\n\n"


def chunk(finish: str | None = None, **delta: Any) -> bytes:
    """One chunk of a chat completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return sse({"id": "chatcmpl-9", "created": 1_800_000_000, "model": "m", "choices": [choice]})
