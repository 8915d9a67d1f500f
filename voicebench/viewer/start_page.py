"""The start page: what the benchmarks are, and the runs."""

from __future__ import annotations

from voicebench.viewer.render import Page
from voicebench.viewer.site import Site

__all__ = ["page"]


def page(site: Site) -> Page:
    """Return the page."""
    return Page("error.html", {"title": "voicebench"})
