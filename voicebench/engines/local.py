"""One call after another, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from voicebench.call import run_call_unit
from voicebench.engines.base import Job, Outcome

__all__ = ["LocalEngine"]


class LocalEngine:
    """Makes calls one at a time; models stay loaded from one call to the next.

    Args:
        on_line: called with speaker and text of each finished turn, for showing a call as it happens.
    """

    def __init__(self, on_line: Callable[[str, str], None] | None = None) -> None:
        self._on_line = on_line

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Make the calls in their order."""
        for job in jobs:
            try:
                yield Outcome(job, run_call_unit(job.unit, job.pipeline, job.pack, job.case, on_line=self._on_line))
            except Exception as error:
                yield Outcome(job, error)
