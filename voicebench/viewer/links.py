"""The addresses of pages, relative to the page that has the link, so that a server and a folder of files share them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

__all__ = ["Links", "page_path"]


def page_path(kind: str, *parts: object) -> str:
    """Return the address of a page below the root, without a slash in front and with one at its end; "" is the start.

    Args:
        kind: ``start``, ``run``, ``pack``, ``task`` or ``call``.
        parts: what names it: run; pack; pack and task; run, pack, task, trial and attempt.
    """
    if kind == "start":
        return ""
    return "/".join([kind, *(quote(str(part), safe="") for part in parts)]) + "/"


@dataclass(frozen=True)
class Links:
    """Addresses as one page writes them.

    Attributes:
        page: address of that page below the root, as :func:`page_path` gives it.
        static: whether the site is a folder of files, where nothing answers for a folder but the file itself.
    """

    page: str
    static: bool = False

    @property
    def root(self) -> str:
        """The way up to the root: "./" or some "../"."""
        return "../" * self.page.count("/") or "./"

    def link(self, kind: str, *parts: object) -> str:
        """Return the address of a page; see :func:`page_path`."""
        return self.root + page_path(kind, *parts) + ("index.html" if self.static else "")

    def file(self, path: str) -> str:
        """Return the address of a file below the root, such as ``static/base.css``."""
        return self.root + quote(path)
