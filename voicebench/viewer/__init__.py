"""The pages: a call to listen to and why it passed or failed, and the ways to it."""

from __future__ import annotations

from voicebench.viewer.app import make_app, serve
from voicebench.viewer.site import Site
from voicebench.viewer.static_site import write_site

__all__ = ["Site", "make_app", "serve", "write_site"]
