"""Hashes of big files, computed once: a marker in the user's cache vouches for a file that has not changed since."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

import platformdirs

from voicebench.errors import ConfigError

__all__ = ["cache_dir", "join_files", "sha256_of", "write_atomically"]

_CHUNK = 1 << 20
_MARK_FROM_BYTES = 8 << 20
_seen: dict[Path, tuple[list[int], str]] = {}


def cache_dir() -> Path:
    """Return the folder for joined weights and markers: ``VOICEBENCH_CACHE``, else the platform's user cache."""
    return Path(os.environ.get("VOICEBENCH_CACHE") or platformdirs.user_cache_dir("voicebench"))


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hex.

    The hash is remembered for this process and, for files above 8 MiB, in a marker under :func:`cache_dir`. It is
    trusted only while inode, size, modification and change time are all as they were, so a changed file is read again.
    """
    path = path.resolve()
    stat = path.stat()
    state = [stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]
    remembered = _seen.get(path) or _read_marker(path)
    if remembered is not None and remembered[0] == state:
        digest = remembered[1]
    else:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if state[1] >= _MARK_FROM_BYTES:
            _write_marker(path, state, digest)
    _seen[path] = (state, digest)
    return digest


def join_files(parts: Iterable[Path], target: Path) -> None:
    """Write ``parts``, one after the other, to ``target``: wholly or not at all.

    Raises:
        ConfigError: the folder cannot be written.
    """
    write_atomically(target, (chunk for part in parts for chunk in _chunks(part)))


def write_atomically(target: Path, chunks: Iterable[bytes]) -> None:
    """Write ``chunks`` to a temporary file in the folder of ``target`` and rename it there.

    Raises:
        ConfigError: the folder cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f"{target.name}.", suffix=".part", dir=target.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                for chunk in chunks:
                    stream.write(chunk)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.chmod(0o644)  # an installation, as in an image, may be used by others than its owner
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(
            f"cannot write {target} ({error.strerror}): set VOICEBENCH_CACHE to a folder with room that can be written"
        ) from error


def _chunks(path: Path) -> Iterable[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def _marker(path: Path) -> Path:
    return cache_dir() / "verified" / f"{hashlib.sha256(str(path).encode()).hexdigest()[:32]}.json"


def _read_marker(path: Path) -> tuple[list[int], str] | None:
    try:
        marker = json.loads(_marker(path).read_bytes())
        return [int(number) for number in marker["state"]], str(marker["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write_marker(path: Path, state: list[int], digest: str) -> None:
    content = json.dumps({"path": str(path), "state": state, "sha256": digest}) + "\n"
    try:
        write_atomically(_marker(path), [content.encode()])
    except ConfigError:  # a cache that cannot be written only costs the next start its time
        return
