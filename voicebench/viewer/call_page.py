"""The page of one call."""

from __future__ import annotations

from voicebench.viewer.call_view import call_view
from voicebench.viewer.render import Page
from voicebench.viewer.site import Site

__all__ = ["page"]


def page(site: Site, run: str, pack: str, task: str, trial: int, attempt: int) -> Page:
    """Return the page of a call, also of one that is corrupt or has not ended.

    Raises:
        NotFound: there is no such call.
    """
    view = call_view(site, run, pack, task, trial, attempt)
    return Page("call.html", {"title": f"{view.task}, {view.title}: {view.verdict}", "call": view})
