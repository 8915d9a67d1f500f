"""The one way to the disk: a temporary file or folder next to the target, fsync, one rename, fsync of the folder."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from voicebench.config import known_secrets
from voicebench.errors import NotWritable, StoreError
from voicebench.store.lines import to_json

__all__ = ["TEMPORARY", "commit_call", "make_folder", "not_writable", "redact", "sweep", "write_file"]

TEMPORARY = ".tmp-"
"""How the names of unfinished files and folders begin; whatever is called so was never committed."""

_TEXT = {".json", ".jsonl", ".yaml", ".csv", ".md", ".txt", ".xml"}

_ADVICE = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "make it writable"),
    **dict.fromkeys((errno.ENOTDIR, errno.EEXIST), "move the file that is in the way of a folder"),
    errno.EFBIG: "raise the limit on the size of files",
    errno.ENAMETOOLONG: "take shorter names",
}


def make_folder(path: Path) -> None:
    """Make a folder and its parents, if they are not there.

    Raises:
        NotWritable: the folder cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_writable(path, error) from error


def write_file(path: Path, data: bytes) -> None:
    """Write one file so that it is there wholly or not at all, without known secrets.

    Raises:
        NotWritable: the file cannot be written; what was there before is still there.
    """
    make_folder(path.parent)
    try:
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                _write(file.fileno(), _without_secrets(path.name, data))
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise not_writable(path, error) from error


def commit_call(call_dir: Path, files: Mapping[str, bytes]) -> None:
    """Store all files of a call at once: after this returns the folder is there, before that nothing is.

    The lengths that ``call.json`` has under ``files`` are those of what is stored, without known secrets.

    Args:
        call_dir: the folder to be, which must not exist yet.
        files: file name to content.

    Raises:
        StoreError: the folder exists already.
        NotWritable: it cannot be written.
    """
    if call_dir.exists():
        raise StoreError(f"{call_dir}: this attempt is committed already; an attempt is never written twice")
    make_folder(call_dir.parent)
    try:
        temporary = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=call_dir.parent))
        try:
            for name, data in _as_stored(files).items():
                with (temporary / name).open("wb") as file:
                    _write(file.fileno(), data)
            _sync_folder(temporary)
            temporary.chmod(0o755)
            temporary.rename(call_dir)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        _sync_folder(call_dir.parent)
    except OSError as error:
        raise not_writable(call_dir, error) from error


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


def not_writable(path: Path, error: OSError) -> NotWritable:
    """Return the error that says why a path cannot be written, and what helps against that."""
    advice = _ADVICE.get(error.errno or 0, "look at its disk")
    return NotWritable(f"{path}: cannot be written ({error.strerror or error}); {advice}")


def redact(data: bytes, secrets: Mapping[str, str] | None = None) -> bytes:
    """Return the bytes with every known secret value replaced by ``[redacted:VARIABLE]``.

    A value is found as it stands and as JSON writes it inside a string.

    Args:
        data: UTF-8 text of a file about to be written.
        secrets: variable name to value; by default :func:`voicebench.config.known_secrets`.
    """
    found = known_secrets() if secrets is None else secrets
    for name, value in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        for written in {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}:
            data = data.replace(written.encode(), f"[redacted:{name}]".encode())
    return data


def _as_stored(files: Mapping[str, bytes]) -> dict[str, bytes]:
    stored = {name: _without_secrets(name, data) for name, data in files.items()}
    lengths = {name: len(data) for name, data in stored.items() if name != "call.json"}
    if "call.json" in stored and any(length != len(files[name]) for name, length in lengths.items()):
        call = json.loads(stored["call.json"])
        said = call.get("files") or {}
        stored["call.json"] = to_json({**call, "files": {name: lengths.get(name, said[name]) for name in said}})
    return stored


def _without_secrets(name: str, data: bytes) -> bytes:
    return redact(data) if Path(name).suffix in _TEXT else data


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
