"""Ports at which nobody listens, for as long as a test needs one."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator


@contextlib.contextmanager
def deaf_port() -> Iterator[int]:
    """Hold a port that refuses connections; one that was let go could be somebody's by the time it is tried."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]
