"""What one call records: its spans and events, in call time only, with ids from the seed; and its exchanges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import cast, overload

from voicebench.record.exchanges import Exchange
from voicebench.record.trace import TraceRecord
from voicebench.record.trace_line import TraceEvent, TraceSpan

__all__ = ["Exchanges", "Tracer"]


@dataclass(frozen=True)
class _Row:
    at_ns: int
    sequence: int
    record: TraceSpan | TraceEvent


class Tracer:
    """Collects what happened in a call.

    The n-th span of two calls with one seed has the same id, whatever the machine and the day.

    Args:
        seed: the work unit's seed.
        now_ns: the call's clock, nanoseconds from the start of the call.
        watch: called with each record as it is added, for showing a call as it happens.
    """

    def __init__(
        self, seed: int, now_ns: Callable[[], int], watch: Callable[[TraceRecord], None] | None = None
    ) -> None:
        self._seed = seed
        self._now_ns = now_ns
        self._watch = watch
        self._rows: list[_Row] = []
        self._spans = 0
        self.trace_id = self._id("trace", 0, 32)

    @overload
    def add(self, record: TraceSpan) -> str: ...

    @overload
    def add(self, record: TraceEvent) -> None: ...

    def add(self, record: TraceSpan | TraceEvent) -> str | None:
        """Record a span that is over, or an event; return the id of a span.

        Args:
            record: without the id of the trace; a span without an id of its own gets the next one. One that others were
                recorded under has an id that was reserved with :meth:`reserve`.

        Raises:
            ValueError: the span ends before it begins.
        """
        if isinstance(record, TraceEvent):
            self._record(record.time_ns, record.model_copy(update={"trace_id": self.trace_id}))
            return None
        if record.end_ns < record.start_ns:
            raise ValueError(
                f"span {record.name!r} ends at {record.end_ns} ns, before it begins at {record.start_ns} ns"
            )
        span_id = record.span_id or self.reserve()
        self._record(record.start_ns, record.model_copy(update={"trace_id": self.trace_id, "span_id": span_id}))
        return span_id

    def now_ns(self) -> int:
        """Return the call's clock, nanoseconds from the start of the call."""
        return self._now_ns()

    def _record(self, at_ns: int, record: TraceSpan | TraceEvent) -> None:
        self._rows.append(_Row(at_ns, len(self._rows), record))
        if self._watch is not None:
            self._watch(cast(TraceRecord, record))

    def reserve(self) -> str:
        """Return the id of a span that will be recorded later, so that others can name it as their parent."""
        span_id = self._id("span", self._spans, 16)
        self._spans += 1
        return span_id

    def records(self) -> list[TraceRecord]:
        """Return all spans and events, by their start and then in the order in which they were recorded."""
        rows = sorted(self._rows, key=lambda row: (row.at_ns, row.sequence))
        return [cast(TraceRecord, row.record) for row in rows]

    def _id(self, kind: str, sequence: int, digits: int) -> str:
        return sha256(f"{kind}\x1f{self._seed}\x1f{sequence}".encode()).hexdigest()[:digits]


class Exchanges:
    """Collects what the models of one call were asked and what they answered, in the order in which it was asked."""

    def __init__(self) -> None:
        self._records: list[Exchange] = []

    def add(self, exchange: Exchange) -> None:
        """Add one exchange."""
        self._records.append(exchange)

    def records(self) -> list[Exchange]:
        """Return the exchanges."""
        return list(self._records)
