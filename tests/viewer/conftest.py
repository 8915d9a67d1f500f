"""Fixtures of the pages' tests: runs, a server, a browser."""

from __future__ import annotations

from tests.viewer.browser import browser, context, page, server
from tests.viewer.runs import runs

__all__ = ["browser", "context", "page", "runs", "server"]
