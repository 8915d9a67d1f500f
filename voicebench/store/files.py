"""The one way to the disk: a temporary file or folder beside the target, fsync, one rename, fsync of the folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from voicebench.errors import StoreError
from voicebench.store.redaction import redact

__all__ = ["TEMPORARY", "commit_call", "make_folder", "sweep", "write_file"]

TEMPORARY = ".tmp-"
"""How the names of unfinished files and folders begin; whatever is called so was never committed."""

_TEXT = {".json", ".jsonl", ".yaml", ".csv", ".md", ".txt", ".xml"}


def make_folder(path: Path) -> None:
    """Make a folder and its parents, if they are not there.

    Raises:
        StoreError: the folder cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(path, error) from error


def write_file(path: Path, data: bytes) -> None:
    """Write one file so that it is there wholly or not at all, without known secrets.

    Raises:
        StoreError: the file cannot be written; what was there before is still there.
    """
    make_folder(path.parent)
    try:
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                _write(file.fileno(), path.name, data)
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise _refused(path, error) from error


def commit_call(call_dir: Path, files: Mapping[str, bytes]) -> None:
    """Store all files of a call at once: after this returns the folder is there, before that nothing is.

    Args:
        call_dir: the folder to be, which must not exist yet.
        files: file name to content.

    Raises:
        StoreError: the folder exists already, or cannot be written.
    """
    if call_dir.exists():
        raise StoreError(f"{call_dir}: this attempt is committed already; an attempt is never written twice")
    make_folder(call_dir.parent)
    try:
        temporary = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=call_dir.parent))
        try:
            for name, data in files.items():
                with (temporary / name).open("wb") as file:
                    _write(file.fileno(), name, data)
            _sync_folder(temporary)
            temporary.chmod(0o755)
            temporary.rename(call_dir)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        _sync_folder(call_dir.parent)
    except OSError as error:
        raise _refused(call_dir, error) from error


def sweep(folder: Path) -> int:
    """Remove what killed processes left unfinished below a folder; return how many leftovers there were.

    Only the process that holds the run's lock may call this.
    """
    leftovers = [path for path in folder.rglob(f"{TEMPORARY}*")]
    for path in leftovers:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                path.unlink()
    return len(leftovers)


def _write(descriptor: int, name: str, data: bytes) -> None:
    view = memoryview(redact(data) if Path(name).suffix in _TEXT else data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{path}: cannot be written ({error.strerror or error}); free some space, or give another folder with --out"
    )
