"""Which of a loop's registered descriptors may bring data from outside the loop."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Collection, Iterable
from dataclasses import dataclass

__all__ = ["Sockets", "survey"]

Address = tuple[str, int]


@dataclass(frozen=True)
class Sockets:
    """What is registered with a loop.

    Attributes:
        outside: a description of the first descriptor whose other end is not on the loop, or None.
        local: whether both ends of some connection are on the loop, so that its data may be on its way.
    """

    outside: str | None
    local: bool


def survey(descriptors: Iterable[int], on_loop: Collection[object]) -> Sockets:
    """Sort the descriptors of a loop, its self-pipe left out.

    Args:
        descriptors: file descriptors registered for reading or writing.
        on_loop: local socket addresses of all the loop's transports, reading or paused.
    """
    found = [_describe(descriptor) for descriptor in descriptors]
    local = {own for own, _, _ in found if own is not None} | {_key(address) for address in on_loop}
    outside = next((text for _, peer, text in found if text is not None and (peer is None or peer not in local)), None)
    return Sockets(outside, any(text is None or peer in local for _, peer, text in found))


def _describe(descriptor: int) -> tuple[Address | None, Address | None, str | None]:
    """Return own address, peer's address, and what it is called if it may come from outside."""
    try:
        with socket.socket(fileno=os.dup(descriptor)) as sock:
            return _describe_socket(sock)
    except OSError:
        return None, None, f"descriptor {descriptor}, which is no socket (a pipe, a terminal)"


def _describe_socket(sock: socket.socket) -> tuple[Address | None, Address | None, str | None]:
    if sock.family not in (socket.AF_INET, socket.AF_INET6):
        return None, None, None
    own = _key(sock.getsockname())
    try:
        peer = _key(sock.getpeername())
    except OSError:
        connecting = not sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) and sock.type == socket.SOCK_STREAM
        if _is_loopback(own) and not connecting:
            return own, None, None
        return own, None, f"a socket at {_text(own)}" + (" that is connecting" if connecting else "")
    return own, peer, f"a connection from {_text(own)} to {_text(peer)}"


def _key(address: object) -> Address | None:
    if isinstance(address, tuple) and len(address) >= 2:
        return str(address[0]), int(address[1])
    return None


def _is_loopback(address: Address | None) -> bool:
    return address is not None and ipaddress.ip_address(address[0].partition("%")[0]).is_loopback


def _text(address: Address | None) -> str:
    return "an unknown address" if address is None else f"{address[0]} port {address[1]}"
