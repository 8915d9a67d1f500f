"""One call from its first callback to its last."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar, get_args

from voicebench.clock.loop import CallLoop, Mode
from voicebench.errors import ConfigError

__all__ = ["longest_wait", "run_call"]

T = TypeVar("T")

_WIND_DOWN_S = 5.0
"""Wall seconds that the call's tasks have to end when they are cancelled."""
_running: list[CallLoop] = []


def run_call(
    main: Coroutine[Any, Any, T], *, mode: Mode = "charge", strict: bool = True, watchdog_s: float = 120.0
) -> T:
    """Run ``main`` on a call loop of its own and return what it returns.

    What is left when it ends is cancelled; a hung thread is left behind and does not keep the process alive.

    Args:
        main: the call.
        mode: ``charge``, ``virtual`` or ``real``; see ``CallLoop``.
        strict: refuse what the loop cannot account for.
        watchdog_s: wall seconds that a job, a request without a byte, or one callback may take.

    Raises:
        ConfigError: there is no such mode.
        ClockError: call time could not be kept; all that ``main`` raises comes through as well.
    """
    if mode not in get_args(Mode):
        main.close()
        raise ConfigError(f"clock mode {mode!r} is not one of {', '.join(get_args(Mode))}")
    loop = CallLoop(mode=mode, strict=strict, watchdog_s=watchdog_s)
    runner = asyncio.Runner(loop_factory=lambda: loop)  # for its handling of Ctrl-C; it would wait for hung tasks
    _running.append(loop)
    try:
        return runner.run(main)
    finally:
        _running.remove(loop)
        loop.wind_down(_WIND_DOWN_S)
        loop.close()


def longest_wait() -> tuple[str, float] | None:
    """Return what a call of this process waits for, and for how many wall seconds so far; None if for nothing.

    Any thread may ask, to show it to the user.
    """
    waits = [wait for loop in list(_running) if (wait := loop.longest_wait()) is not None]
    return max(waits, key=lambda wait: wait[1], default=None)
