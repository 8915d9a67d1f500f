"""When an endpoint writes: delays drawn from a seed, and waits on the real clock."""

from __future__ import annotations

from statistics import NormalDist
from time import perf_counter

import anyio
import anyio.lowlevel

from voicebench.config import derive_seed

__all__ = ["Stopwatch", "draw_ttft_ms"]

_SPIN_S = 0.002
"""The event loop wakes up to a millisecond late: the last stretch is polled."""


def draw_ttft_ms(mean_ms: float, sd_ms: float, *, seed: int, call_id: str, number: int) -> float:
    """Return a time to first token, milliseconds: normal, never negative, and a function of its arguments alone."""
    if sd_ms == 0:
        return mean_ms
    # 52 bits and a half: strictly between 0 and 1, where the inverse of the normal distribution is finite.
    uniform = ((derive_seed("ttft", seed, call_id, number) >> 11) + 0.5) / 2**52
    return max(0.0, NormalDist(mean_ms, sd_ms).inv_cdf(uniform))


class Stopwatch:
    """Real time since a request was read.

    The endpoint is a server: it waits on the machine's clock, and this is the only place where it does.
    """

    def __init__(self) -> None:
        self._start_s = perf_counter()

    @property
    def ms(self) -> float:
        """Milliseconds since the request was read."""
        return (perf_counter() - self._start_s) * 1000

    async def until(self, ms: float) -> None:
        """Return at ``ms`` milliseconds after the request was read, never before, and within microseconds after.

        Others get their turn in any case, so that an answer without end and without pauses does not hold the server.
        """
        await anyio.lowlevel.checkpoint()
        rest_s = self._start_s + ms / 1000 - perf_counter()
        if rest_s > _SPIN_S:
            await anyio.sleep(rest_s - _SPIN_S)
        while self.ms < ms:
            await anyio.lowlevel.checkpoint()
