"""``voicebench view``: the pages served until Ctrl-C."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

import uvicorn

from voicebench.errors import ConfigError
from voicebench.viewer.app import make_app
from voicebench.viewer.render import load_templates
from voicebench.viewer.site import Site

__all__ = ["serve"]


def serve(site: Site, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve the pages until the process is told to end.

    Args:
        site: the runs.
        host: the address to listen on.
        port: TCP port; 0 takes a free one.
        announce: called with the address of the start page once it can be opened.

    Raises:
        ConfigError: the address cannot be used.
    """
    config = uvicorn.Config(make_app(site, host), log_level="warning", access_log=False, lifespan="off")
    config.load()
    load_templates()
    with _listen(host, port) as listener:
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{listener.getsockname()[1]}/")
        uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise ConfigError(f"view: {host} port {port} cannot be used ({why}); choose another, or 0 for one") from error
