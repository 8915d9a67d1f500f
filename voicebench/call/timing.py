"""How punctual a call was: ticks of the line that came late, and what that means in real time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from voicebench.record.base import Record
from voicebench.record.figures import TickLateness

R = TypeVar("R", bound=Record)

__all__ = ["LATE_MS", "MOST_LATE_SHARE", "WORST_MS", "from_start", "ticks", "timing_problem"]

LATE_MS = 20.0
"""A tick that is later than this is late: the next one is due."""

MOST_LATE_SHARE = 0.005
"""Share of late ticks that a call in real time may have: one in four seconds, as a good network loses packets."""

WORST_MS = 200.0
"""No tick of a call in real time may be later than this: a longer gap looks like a pause of the speaker to a VAD."""


def ticks(late_ms: Sequence[float]) -> TickLateness:
    """Return how late the ticks of a call were.

    A tick is a timer of the loop, so that its lateness is the loop's lag.
    """
    p50, p99 = np.percentile(late_ms, [50, 99]) if late_ms else (0.0, 0.0)
    return TickLateness(
        n=len(late_ms),
        late=sum(late > LATE_MS for late in late_ms),
        p50_ms=round(float(p50), 3),
        p99_ms=round(float(p99), 3),
        worst_ms=round(max(late_ms, default=0.0), 3),
    )


def timing_problem(late_ms: Sequence[float]) -> str | None:
    """Say why a call in real time was wrongly timed, or None if it was not."""
    found = ticks(late_ms)
    if found.worst_ms > WORST_MS:
        return f"timing: a tick of the line was {found.worst_ms:.0f} ms late; {WORST_MS:.0f} are allowed"
    if found.late > MOST_LATE_SHARE * found.n:
        return (
            f"timing: {found.late} of {found.n} ticks of the line were over {LATE_MS:.0f} ms late; "
            f"{MOST_LATE_SHARE:.1%} are allowed"
        )
    return None


def from_start(records: Iterable[R], start_ns: int) -> list[R]:
    """Return records of a trace, or exchanges, with their times counted from the call's first tick.

    The recording begins there too. In real time the line opens when the agent is connected, and what was before is put
    at 0; on the call's own clock nothing is.
    """
    if start_ns == 0:
        return list(records)
    moved = []
    for record in records:
        times = ((name, getattr(record, name)) for name in record.model_fields_set & _TIMES)
        later = {name: max(0, value - start_ns) for name, value in times if isinstance(value, int)}
        moved.append(record.model_copy(update=later))
    return moved


_TIMES = {"start_ns", "end_ns", "time_ns", "at_ns", "audio_start_ns", "audio_end_ns", "vad_stop_ns"}
