"""What the loop puts in the place of asyncio's own parts: its timers, and its selector with a look at the sockets."""

from __future__ import annotations

import asyncio
import contextvars
import ipaddress
import os
import selectors
import socket
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import FileDescriptorLike

__all__ = ["Events", "Poller", "Sockets", "Timer", "survey"]

Address = tuple[str, int]
Events = list[tuple[selectors.SelectorKey, int]]


class Timer(asyncio.TimerHandle):
    """A timer that is due in whole nanoseconds, and after those that were set earlier for the same one.

    asyncio keeps its timers in a heap that compares them by ``__lt__``: equal times come out of it in any order, which
    would make equal calls differ. It also compares floats, in which 0.1 + 0.2 is due after 0.3.
    """

    __slots__ = ("ns", "sequence")

    def __init__(
        self,
        ns: int,
        sequence: int,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: asyncio.AbstractEventLoop,
        context: contextvars.Context | None,
    ) -> None:
        super().__init__(ns / 1e9, callback, args, loop, context)
        self.ns = ns
        self.sequence = sequence

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Timer):
            return NotImplemented
        return (self.ns, self.sequence) < (other.ns, other.sequence)


@dataclass(frozen=True)
class Sockets:
    """What is registered with a loop.

    Attributes:
        outside: a description of the first descriptor whose other end is not on the loop, or None.
        local: whether both ends of some connection are on the loop, so that its data may be on its way.
    """

    outside: str | None
    local: bool


class Poller(selectors.DefaultSelector):
    """A selector whose ``select`` is answered by ``decide``, and which knows what is registered."""

    decide: Callable[[float | None], Events]

    def __init__(self) -> None:
        super().__init__()
        self._changed = True
        self._sockets = Sockets(None, False)

    def select(self, timeout: float | None = None) -> Events:
        """Let the loop decide how to wait."""
        return self.decide(timeout)

    def poll(self, timeout_s: float | None) -> Events:
        """Wait in the kernel for at most ``timeout_s`` wall seconds."""
        return super().select(timeout_s)

    def register(self, fileobj: FileDescriptorLike, events: int, data: Any = None) -> selectors.SelectorKey:
        """Register a descriptor."""
        self._changed = True
        return super().register(fileobj, events, data)

    def unregister(self, fileobj: FileDescriptorLike) -> selectors.SelectorKey:
        """Forget a descriptor."""
        self._changed = True
        return super().unregister(fileobj)

    def survey(self, self_pipe: int, on_loop: Callable[[], Collection[object]]) -> Sockets:
        """Return what is registered besides the loop's own pipe; looked up again only after a change."""
        if self._changed:
            self._sockets = survey([key.fd for key in self.get_map().values() if key.fd != self_pipe], on_loop())
            self._changed = False
        return self._sockets


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
        loopback = own is not None and ipaddress.ip_address(own[0].partition("%")[0]).is_loopback
        if loopback and not connecting:  # a server of the call's own: who connects to it shows where it comes from
            return own, None, None
        return own, None, f"a socket at {_text(own)}" + (" that is connecting" if connecting else "")
    return own, peer, f"a connection from {_text(own)} to {_text(peer)}"


def _key(address: object) -> Address | None:
    if isinstance(address, tuple) and len(address) >= 2:
        return str(address[0]), int(address[1])
    return None


def _text(address: Address | None) -> str:
    return "an unknown address" if address is None else f"{address[0]} port {address[1]}"
