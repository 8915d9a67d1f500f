"""The page of a run: its summary, and a matrix of tasks and trials."""

from __future__ import annotations

from voicebench.viewer.render import Page
from voicebench.viewer.site import Site

__all__ = ["page"]


def page(site: Site, run: str) -> Page:
    """Return the page of a run."""
    return Page("error.html", {"title": "Run"})
