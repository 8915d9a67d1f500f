"""``voicebench view`` as a process, and what it says when it cannot serve."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from voicebench.errors import ConfigError
from voicebench.viewer import Site, serve

pytestmark = pytest.mark.unit


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let children end by Ctrl-C, also where the tests were started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_it_prints_its_address_serves_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "voicebench.cli", "view", str(tmp_path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.fullmatch(
            r"voicebench pages: (http://127\.0\.0\.1:\d+/)  \(Ctrl-C ends\)\n", server.stdout.readline()
        )
        assert found is not None
        with urlopen(f"{found[1]}healthz") as answer:
            assert json.loads(answer.read())["status"] == "ok"
        server.send_signal(signal.SIGINT)
        assert server.wait() == 130
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            ConfigError, match=rf"view: 127\.0\.0\.1 port {port} cannot be used \(Address already in use\)"
        ):
            serve(Site(tmp_path), "127.0.0.1", port, print)
