"""The tracer: spans and events of one call, in call time only, with ids from the seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

__all__ = ["Tracer"]


@dataclass(frozen=True)
class _Row:
    at_ns: int
    sequence: int
    line: dict[str, Any]


class Tracer:
    """Collects what happened in a call.

    The n-th span of two calls with one seed has the same id, whatever the machine and the day.

    Args:
        seed: the work unit's seed.
        now_ns: the call's clock, nanoseconds from the start of the call.
        watch: called with each line as it is recorded, for showing a call as it happens.
    """

    def __init__(
        self, seed: int, now_ns: Callable[[], int], watch: Callable[[dict[str, Any]], None] | None = None
    ) -> None:
        self._seed = seed
        self._now_ns = now_ns
        self._watch = watch
        self._rows: list[_Row] = []
        self._spans = 0
        self.trace_id = self._id("trace", 0, 32)

    def span(
        self,
        name: str,
        /,
        start_ns: int,
        end_ns: int,
        *,
        parent: str | None = None,
        span_id: str | None = None,
        **attributes: Any,
    ) -> str:
        """Record a finished span; return its id.

        Args:
            name: the span's kind, as ``llm`` or ``agent.speech``.
            start_ns: when it began, nanoseconds of call time.
            end_ns: when it ended, not before it began.
            parent: id of the span that it belongs to.
            span_id: an id reserved with :meth:`reserve`, for a span that others were recorded under.
            attributes: JSON values; a name with a dot is given as ``**{"gen_ai.tool.name": ...}``.

        Raises:
            ValueError: the span ends before it begins.
        """
        if end_ns < start_ns:
            raise ValueError(f"span {name!r} ends at {end_ns} ns, before it begins at {start_ns} ns")
        span_id = span_id or self.reserve()
        line = {
            "type": "span",
            "trace_id": self.trace_id,
            "span_id": span_id,
            "parent_span_id": parent,
            "name": name,
            "start_ns": start_ns,
            "end_ns": end_ns,
            "attributes": attributes,
        }
        self._record(start_ns, line)
        return span_id

    def event(self, name: str, /, at_ns: int | None = None, *, span: str | None = None, **attributes: Any) -> None:
        """Record something that happened at one instant, by default now."""
        time_ns = self._now_ns() if at_ns is None else at_ns
        line = {
            "type": "event",
            "trace_id": self.trace_id,
            "span_id": span,
            "name": name,
            "time_ns": time_ns,
            "attributes": attributes,
        }
        self._record(time_ns, line)

    def _record(self, at_ns: int, line: dict[str, Any]) -> None:
        self._rows.append(_Row(at_ns, len(self._rows), line))
        if self._watch is not None:
            self._watch(line)

    def reserve(self) -> str:
        """Return the id of a span that will be recorded later, so that others can name it as their parent."""
        span_id = self._id("span", self._spans, 16)
        self._spans += 1
        return span_id

    def lines(self) -> list[dict[str, Any]]:
        """Return all spans and events, by their start and then in the order in which they were recorded."""
        return [row.line for row in sorted(self._rows, key=lambda row: (row.at_ns, row.sequence))]

    def _id(self, kind: str, sequence: int, digits: int) -> str:
        return sha256(f"{kind}\x1f{self._seed}\x1f{sequence}".encode()).hexdigest()[:digits]
