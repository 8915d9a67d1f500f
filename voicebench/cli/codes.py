"""Exit codes of the command line; 0 is a complete run, whatever the scores."""

from __future__ import annotations

__all__ = ["CHECK_SAID_NO", "INCOMPLETE", "INTERNAL", "INTERRUPTED", "USAGE"]

INTERNAL = 1
USAGE = 2
INCOMPLETE = 3
"""Too many calls of a run have no verdict on the agent, or some cannot be read."""
CHECK_SAID_NO = 4
INTERRUPTED = 130
