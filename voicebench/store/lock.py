"""One process at a time writes to a run's folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from voicebench.errors import StoreError
from voicebench.store.files import make_folder, not_writable

__all__ = ["run_lock"]


@contextlib.contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold the folder's lock.

    It is a POSIX record lock on ``.lock``: the system drops it when its owner dies, and a forked worker has no part in
    it.

    Raises:
        StoreError: another process holds it.
        NotWritable: the folder cannot be written.
    """
    make_folder(folder)
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
