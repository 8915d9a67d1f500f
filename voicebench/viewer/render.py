"""From a page's template and values to HTML (everything is escaped, what is missing is an error), and its links."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from voicebench import __version__
from voicebench.record.json_types import JsonValue

__all__ = ["Links", "Page", "load_templates", "page_path", "policy", "render"]


@dataclass(frozen=True)
class Page:
    """What a page shows.

    Attributes:
        template: its file in ``templates/``.
        context: the values in it.
        status: the HTTP status that it is served with.
    """

    template: str
    context: dict[str, Any]
    status: int = 200


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


def render(page: Page, links: Links, nonce: str, *, meta_policy: bool = False) -> str:
    """Return a page as HTML.

    Args:
        page: the page.
        links: how it links to others.
        nonce: what the policy allows a style to be marked with.
        meta_policy: whether the page states its policy itself, since no server does.
    """
    stated = policy(nonce, in_page=True) if meta_policy else None
    shared = {"links": links, "nonce": nonce, "policy": stated, "version": __version__}
    return _environment().get_template(page.template).render(**shared, **page.context)


def policy(nonce: str, *, in_page: bool = False) -> str:
    """Return the Content-Security-Policy: own files only, no inline script, and one style with the nonce.

    The one style is that of the waveform, which lives in a shadow tree of its own.
    """
    # A page that is opened from a folder has no origin: 'self' matches nothing there, and its files are of file:.
    own = "'self' file:" if in_page else "'self'"
    rules = [
        "default-src 'none'",
        f"script-src {own}",
        f"style-src {own} 'nonce-{nonce}'",
        f"img-src {own} data:",
        f"media-src {own}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(rules if in_page else [*rules, "frame-ancestors 'none'"])


def load_templates() -> None:
    """Compile all templates, so that the first reader of a page does not wait for it."""
    for name in _environment().list_templates(extensions=["html"]):
        _environment().get_template(name)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("voicebench.viewer"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Jinja's tojson sorts keys, and the order of attributes in a span says what belongs together.
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    environment.filters.update(FILTERS)
    return environment


def clock(at_s: float | None) -> str:
    """Write a time as ``3:51``."""
    return "-" if at_s is None else f"{int(at_s // 60)}:{int(at_s % 60):02d}"


def ms(value: float | None) -> str:
    """Write whole milliseconds."""
    return "-" if value is None else f"{value:,.0f} ms"


def usd(cost: float | None) -> str:
    """Write US dollars."""
    if cost is None:
        return "unknown"
    return f"${cost:.3f}" if cost else "$0"


def percent(share: float | None) -> str:
    """Write a share in percent."""
    return "-" if share is None else f"{100 * share:.0f} %"


def pretty(value: JsonValue) -> str:
    """Write a value as a person reads it: text as it stands, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Write a number of things, as ``1 call``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def words(name: str) -> str:
    """Write a name of the field, as ``caller_to_agent``, in words."""
    return name.replace("_", " ").replace("-", " ")


def size(length: int) -> str:
    """Write bytes, as ``1.2 MB``."""
    return f"{length / 1e6:.1f} MB" if length >= 1_000_000 else f"{-(-length // 1000)} kB"


FILTERS = {
    "clock": clock,
    "ms": ms,
    "usd": usd,
    "percent": percent,
    "pretty": pretty,
    "count": count,
    "words": words,
    "size": size,
}
"""The filters of the templates, by name."""
