"""A Hugging Face hub on loopback: files of one repository at ``/REPO/resolve/REVISION/PATH``."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "c0ffee" * 6 + "c0ff"


class Hub(ThreadingHTTPServer):
    """Serves ``files`` of ``repo`` and notes what was asked for."""

    daemon_threads = True

    def __init__(self, repo: str, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repo = repo
        self.files = files
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _answer(self, *, with_body: bool) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        repo, _, rest = self.path.lstrip("/").partition("/resolve/")
        body = self.server.files.get(rest.partition("/")[2]) if repo == self.server.repo else None
        if body is None:
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound" if repo == self.server.repo else "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)


@contextmanager
def serving(repo: str, files: dict[str, bytes]) -> Iterator[Hub]:
    """Run a hub for the length of a ``with`` block."""
    hub = Hub(repo, files)
    thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        thread.join()
        hub.server_close()
