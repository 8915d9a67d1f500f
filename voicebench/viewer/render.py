"""From a page's template and values to HTML: everything is escaped, and what is missing is an error."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from voicebench import __version__
from voicebench.viewer.links import Links

__all__ = ["Page", "load_templates", "policy", "render"]


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
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    environment.filters.update(
        clock=_clock,
        seconds=_seconds,
        ms=_ms,
        usd=_usd,
        percent=_percent,
        pretty=_pretty,
        count=_count,
        words=_words,
        size=_size,
    )
    return environment


def _clock(seconds: float | None) -> str:
    """Write a time as ``3:51``."""
    if seconds is None:
        return "-"
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.1f} s"


def _ms(ms: float | None) -> str:
    return "-" if ms is None else f"{ms:,.0f} ms"


def _usd(usd: float | None) -> str:
    if usd is None:
        return "unknown"
    return f"${usd:.3f}" if usd else "$0"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def _pretty(value: Any) -> str:
    """Write a value as a person reads it: text as it stands, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _count(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def _words(name: str) -> str:
    """Write a name of the field, as ``caller_to_agent``, in words."""
    return name.replace("_", " ").replace("-", " ")


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{-(-size // 1000)} kB"
