"""The page of one call."""

from __future__ import annotations

from voicebench.viewer.render import Page
from voicebench.viewer.site import Site

__all__ = ["page"]


def page(site: Site, run: str, pack: str, task: str, trial: int, attempt: int) -> Page:
    """Return the page of a call."""
    return Page("error.html", {"title": "Call"})
