"""Processes, for tests that kill them and look for what is left."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path


def descendants(pid: int | str) -> set[int]:
    """The processes that a process has started, and theirs."""
    found: set[int] = set()
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found |= {int(child)} | descendants(int(child))
    except FileNotFoundError:
        return found
    return found


def workers(pid: int | str) -> list[int]:
    """Those of them that make calls."""
    return [child for child in sorted(descendants(pid)) if "voicebench.engines.processes" in command_line(child)]


def command_line(pid: int) -> str:
    """The command of a process, empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def listens(pid: int) -> bool:
    """Whether a process has a TCP port on which it takes connections."""
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    open_ports = {f"socket:[{row[9]}]" for row in rows if row[3] == "0A"}
    with contextlib.suppress(FileNotFoundError):  # a file may be closed while they are looked through
        return any(os.readlink(entry) in open_ports for entry in Path(f"/proc/{pid}/fd").iterdir())
    return False


def all_gone(pids: Iterable[int]) -> bool:
    """Whether none of these processes runs any more; one whose parent did not ask for its end has no command."""
    return not any("voicebench" in command_line(pid) for pid in pids)


@contextlib.contextmanager
def held(pid: int) -> Iterator[None]:
    """Stop a child of this process, and let it go on afterwards, with the signals that it got meanwhile."""
    os.kill(pid, signal.SIGSTOP)
    os.waitid(os.P_PID, pid, os.WSTOPPED)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def kill(pid: int, number: int) -> None:
    """Send a signal to a process that may have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
