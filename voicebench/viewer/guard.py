"""Before every page: the host of the request is checked, and the answer gets the headers that restrict a browser."""

from __future__ import annotations

import ipaddress
import secrets
import socket

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voicebench.viewer.render import policy

__all__ = ["Guard", "is_allowed"]

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def is_allowed(header: str, bound: str) -> bool:
    """Return whether a Host header may be answered.

    A page elsewhere can point a name of its own at this machine and read what is served here (DNS rebinding); so only
    names that no one else can own are answered.

    Args:
        header: the header's value, with or without a port.
        bound: the address that the server listens on. An address that others may reach also answers to this
            machine's name and to bare addresses.
    """
    if header.startswith("["):  # IPv6, whose colons are no port's
        host = header[1:].partition("]")[0].lower()
    else:
        host = (header.rpartition(":")[0] if header.count(":") == 1 else header).lower()
    address = _address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return True
    listening = _address(bound)
    if listening is not None and listening.is_loopback:
        return False
    return host == bound.lower() or address is not None or host == socket.gethostname().lower()


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


class Guard:
    """Refuses other host names, gives each request a nonce, and adds the headers to each answer."""

    def __init__(self, app: ASGIApp, bound: str) -> None:
        self._app = app
        self._bound = bound

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = policy(nonce)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        host = Headers(scope=scope).get("host", "")
        if is_allowed(host, self._bound):
            await self._app(scope, receive, send_guarded)
        else:
            # 421, misdirected request (RFC 9110, section 15.5.20): not for this server, and no error of the page.
            refusal = PlainTextResponse("This host name is not served here; use localhost.\n", status_code=421)
            await refusal(scope, receive, send_guarded)
