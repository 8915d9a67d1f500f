"""When a failed request is sent again: while the caller would not have heard the wait."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["BUDGET_S", "asked_wait_s", "wait_before_retry"]

BUDGET_S = 0.5
"""Seconds of call time that all failed tries of a request and the waits between them may take; less, not equal."""

_FIRST_WAIT_S = 0.05
"""The first wait; each further one is twice as long, which bounds their number."""


def wait_before_retry(retries: int, spent_s: float, headers: Mapping[str, str]) -> float | None:
    """Return how long to wait before the next try of a request, seconds, or None if there is no time for one.

    Args:
        retries: how often it was sent again so far.
        spent_s: call time since it was first sent.
        headers: of the refusal, names in lower case; the wait is never shorter than these ask for.
    """
    wait_s = max(_FIRST_WAIT_S * 2**retries, asked_wait_s(headers))
    return wait_s if spent_s + wait_s < BUDGET_S else None


def asked_wait_s(headers: Mapping[str, str]) -> float:
    """Return the wait that a refusal asks for, seconds; 0 if it asks for none.

    ``retry-after-ms`` counts before ``Retry-After``, which is in seconds or a date (RFC 9110, 10.2.3); a date is
    compared with the response's own.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000.0
    after = headers.get("retry-after", "")
    seconds = _number(after)
    if seconds is not None:
        return seconds
    until, now = _date(after), _date(headers.get("date", ""))
    return max(0.0, (until - now).total_seconds()) if until is not None and now is not None else 0.0


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _date(text: str) -> datetime | None:
    """Return a date of HTTP, which is in GMT even where it names no zone."""
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)
