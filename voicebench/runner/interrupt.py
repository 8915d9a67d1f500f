"""Ctrl-C: once, and no further call starts; twice, and the program ends now."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

__all__ = ["Interrupted", "Stop", "stop_on_interrupt"]


class Interrupted(KeyboardInterrupt):
    """A run was given up at the second Ctrl-C.

    Attributes:
        run_dir: its folder.
    """

    def __init__(self, run_dir: Path) -> None:
        super().__init__(str(run_dir))
        self.run_dir = run_dir


class Stop:
    """Whether somebody has asked the run to stop."""

    def __init__(self) -> None:
        self.requested = False


@contextlib.contextmanager
def stop_on_interrupt(on_request: Callable[[], None]) -> Iterator[Stop]:
    """Give a flag that the first Ctrl-C sets; the second raises KeyboardInterrupt.

    Signals reach only a program's main thread; in another one the flag is never set.

    Args:
        on_request: called at the first Ctrl-C, to tell the user.
    """
    stop = Stop()

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.requested:
            raise KeyboardInterrupt
        stop.requested = True
        on_request()

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
