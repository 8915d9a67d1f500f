"""One process at a time writes to a run's folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from voicebench.errors import StoreError
from voicebench.store.files import make_folder, not_writable

__all__ = ["run_lock"]

_held: set[tuple[int, Path]] = set()
"""The folders that threads of this process hold; with the process, since a forked one starts with a copy."""
_held_lock = threading.Lock()


@contextlib.contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold the folder's lock.

    It is a POSIX record lock on ``.lock``: the system drops it when its owner dies, and a forked worker has no part in
    it. Threads of one process are kept apart by a table, since such a lock is the whole process's.

    Raises:
        StoreError: another process, or another thread of this one, holds it.
        NotWritable: the folder cannot be written.
    """
    make_folder(folder)
    key = os.getpid(), folder.resolve()
    with _held_lock:
        # Before the file is opened: to close any descriptor of it would drop the lock of the thread that has it.
        if key in _held:
            raise StoreError(
                f"{folder}: another thread of this process ({key[0]}) is running in this folder; wait for its end"
            )
        _held.add(key)
    try:
        with _process_lock(folder):
            yield
    finally:
        with _held_lock:
            _held.discard(key)


@contextlib.contextmanager
def _process_lock(folder: Path) -> Iterator[None]:
    path = folder / ".lock"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise not_writable(path, error) from error
    try:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.read(descriptor, 32).decode("ascii", "replace").strip() or "unknown"
            raise StoreError(
                f"{folder}: another voicebench (process {owner}) is running in this folder; wait for its end"
            ) from error
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            raise not_writable(path, error) from error
        yield
    finally:
        os.close(descriptor)
