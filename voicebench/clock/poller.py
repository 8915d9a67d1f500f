"""The selector under the loop: asyncio asks it to wait, the loop decides how, the kernel answers."""

from __future__ import annotations

import selectors
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from voicebench.clock.sockets import Sockets, survey

if TYPE_CHECKING:
    from _typeshed import FileDescriptorLike

__all__ = ["Events", "Poller"]

Events = list[tuple[selectors.SelectorKey, int]]


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
