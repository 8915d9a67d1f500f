"""The page of a pack: its agents and its tasks."""

from __future__ import annotations

from voicebench.viewer.render import Page
from voicebench.viewer.site import Site

__all__ = ["page"]


def page(site: Site, pack: str) -> Page:
    """Return the page of a pack."""
    return Page("error.html", {"title": "Pack"})
