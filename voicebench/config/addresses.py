"""Addresses of models' servers: what of one is shown and stored, and what of one is a secret."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote, unquote, urlsplit

from pydantic import PlainSerializer

__all__ = ["REDACTED", "Address", "secrets_in", "shown_address"]

REDACTED = "[redacted]"


def shown_address(url: str) -> str:
    """Return an address without user, password and the values of its query, which often hold a key."""
    scheme, colon, rest = url.partition("://")
    if not colon:
        scheme, rest = "", url
    rest, hash_mark, _ = rest.partition("#")
    rest, question, query = rest.partition("?")
    host, slash, path = rest.partition("/")
    user, at, host = host.rpartition("@")
    names = [f"{part.partition('=')[0]}={REDACTED}" if "=" in part else REDACTED for part in query.split("&") if part]
    return "".join(
        (
            *(scheme, colon, REDACTED if user else "", at, host, slash, path, question, "&".join(names)),
            *((hash_mark, REDACTED) if hash_mark else ()),
        )
    )


def secrets_in(url: str | None) -> tuple[str, ...]:
    """Return what of an address may be secret, as it stands there and decoded, longest first."""
    if not url:
        return ()
    parts = urlsplit(url)
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    values = [user, password, parts.fragment]
    values += [part.partition("=")[2] or part for part in parts.query.split("&")]
    found = {form for value in values if value for form in (value, unquote(value), quote(unquote(value), safe=""))}
    return tuple(sorted(found, key=len, reverse=True))


Address = Annotated[str, PlainSerializer(shown_address, return_type=str, when_used="json")]
"""Where a server is; as JSON, and so in everything that is stored, without its secrets."""
