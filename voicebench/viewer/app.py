"""The pages as a web application that only reads, and its server."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from voicebench import __version__
from voicebench.errors import ConfigError
from voicebench.viewer import pages
from voicebench.viewer.guard import Guard
from voicebench.viewer.render import Links, Page, load_templates, page_path, render
from voicebench.viewer.site import NotFound, Site

__all__ = ["CALL_FILES", "STATIC", "make_app", "serve"]

STATIC = Path(__file__).parent / "static"

CALL_FILES = {
    "recording.wav": "audio/wav",
    "trace.jsonl": "text/plain; charset=utf-8",
    "exchanges.jsonl": "text/plain; charset=utf-8",
    "call.json": "application/json",
    "state.json": "application/json",
}
"""The files of a call that are served, and as what."""


def make_app(site: Site, host: str = "127.0.0.1") -> Starlette:
    """Return the application that serves a folder of runs.

    Args:
        site: the runs.
        host: the address that it will listen on, by which it knows which names it goes by.
    """
    return Starlette(
        routes=_Pages(site).routes(),
        middleware=[Middleware(Guard, bound=host)],
        exception_handlers={404: _not_here, NotFound: _not_here},
    )


def serve(site: Site, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve the pages until Ctrl-C.

    Args:
        site: the runs.
        host: the address to listen on.
        port: TCP port; 0 takes a free one.
        announce: called with the address of the start page once it can be opened.

    Raises:
        ConfigError: the address cannot be used.
    """
    config = uvicorn.Config(make_app(site, host), log_level="warning", access_log=False, lifespan="off")
    # Or the first reader would wait for both; the address is announced when they are done.
    config.load()
    load_templates()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise ConfigError(f"view: {host} port {port} cannot be used ({why}); choose another, or 0 for one") from error
    with listener:
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{listener.getsockname()[1]}/")
        uvicorn.Server(config).run(sockets=[listener])


class _Pages:
    """The routes of one site; Starlette runs each in a thread, since all of them read files."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self) -> list[BaseRoute]:
        call = "/call/{run}/{pack}/{task}/{trial:int}/{attempt:int}/"
        return [
            Route("/", self.start),
            Route("/run/{run}/", self.run),
            Route(call, self.call),
            Route(call + "{name}", self.file),
            Route("/task/{pack}/{task}/", self.task),
            Route("/task/{pack}/{task}/{choice}/", self.task),
            Route("/pack/{pack}/", self.pack),
            Route("/healthz", self.health),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]

    def start(self, request: Request) -> Response:
        return self._answer(request, "start", lambda: pages.start_page(self._site))

    def run(self, request: Request) -> Response:
        name = request.path_params["run"]
        return self._answer(request, "run", lambda: pages.run_page(self._site, name))

    def call(self, request: Request) -> Response:
        return self._answer(request, "call", lambda: pages.call_page(self._site, *_call_key(request)))

    def task(self, request: Request) -> Response:
        return self._answer(request, "task", lambda: pages.task_page(self._site, **request.path_params))

    def pack(self, request: Request) -> Response:
        return self._answer(request, "pack", lambda: pages.pack_page(self._site, request.path_params["pack"]))

    def file(self, request: Request) -> Response:
        """Send a file of a call, in ranges where they are asked for."""
        name = request.path_params["name"]
        path = self._site.call_dir(*_call_key(request)) / name
        # A run may be a stranger's: a link in it could lead to any file of this machine.
        if name not in CALL_FILES or path.is_symlink() or not path.is_file():
            raise HTTPException(404)
        return FileResponse(path, media_type=CALL_FILES[name])

    def _answer(self, request: Request, kind: str, make: Callable[[], Page]) -> Response:
        with self._site.one_look():
            page = make()
        links = Links(page_path(kind, *request.path_params.values()))
        return HTMLResponse(render(page, links, request.state.nonce), status_code=page.status)

    def health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__})


def _call_key(request: Request) -> tuple[str, str, str, int, int]:
    given = request.path_params
    return given["run"], given["pack"], given["task"], given["trial"], given["attempt"]


def _not_here(request: Request, _: Exception) -> Response:
    """Say so on a page; the way up to the root is counted from the address that was asked for."""
    folder = request.url.path.removeprefix("/").rpartition("/")[0]
    page = Page("error.html", {"title": "There is no such page"}, 404)
    html = render(page, Links(f"{folder}/" if folder else ""), request.state.nonce)
    return HTMLResponse(html, status_code=page.status)
