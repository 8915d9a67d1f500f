"""Ports at which nobody listens: one that stays so, and one that is left to somebody."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator

_FIRST, _MANY = 20_000, 5_000
"""Above those that Ray takes for its workers, below those that Linux gives to clients."""


@contextlib.contextmanager
def deaf_port() -> Iterator[int]:
    """Hold a port that refuses connections; one that was let go could be somebody's by the time it is tried."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def free_port() -> int:
    """A port for a server that cannot choose one itself; the system gives none of these to whoever does not ask."""
    for port in range(_FIRST + os.getpid() % _MANY, _FIRST + 2 * _MANY):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
