"""A headless Chromium for the tests of a module, and the pages served on the loopback interface."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from voicebench.viewer import Site, make_app

__all__ = ["CHROMIUM", "browser", "context", "page", "server", "serving"]

CHROMIUM = "/usr/bin/chromium"
"""Debian's, which ``scripts/system_packages`` installs."""


_PATIENCE_MS = 30_000
"""As for whatever else is waited for; by itself an expectation has five seconds, and a busy machine takes longer."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser; sound may start without a click, since a test's click is none to it.

    It ends with the module: while Playwright is there, no other test of this process can run a loop of its own.
    """
    expect.set_options(timeout=_PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
        )
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A window of its own, 1,200 pixels wide."""
    opened = browser.new_context(viewport={"width": 1200, "height": 900})
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page in which an error of a script, or anything that the policy refused, fails the test."""
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield opened
    assert complaints == []


def serving(folder: Path) -> Iterator[str]:
    """Serve a folder of runs; give the address of the start page."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(make_app(Site(folder)), log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="session")
def server(runs: Path) -> Iterator[str]:
    """The address of the start page of the fixture runs."""
    yield from serving(runs)
