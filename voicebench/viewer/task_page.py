"""The page of a task, with one call of it in full."""

from __future__ import annotations

from voicebench.viewer.render import Page
from voicebench.viewer.site import Site

__all__ = ["page"]


def page(site: Site, pack: str, task: str, choice: str | None = None) -> Page:
    """Return the page of a task."""
    return Page("error.html", {"title": "Task"})
