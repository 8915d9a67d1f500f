"""Timers that keep their order."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from typing import Any

__all__ = ["Timer"]


class Timer(asyncio.TimerHandle):
    """A timer that is due in whole nanoseconds, and after those that were set earlier for the same one."""

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
