"""The archive of a submission: written so that equal runs give equal bytes, and read as a stranger's file."""

from __future__ import annotations

import hashlib
import re
import stat
import zipfile
from collections.abc import Iterable
from pathlib import Path

from voicebench.errors import VoicebenchError

__all__ = ["MANIFEST", "Refused", "is_part", "unpack", "write_archive"]

MANIFEST = "manifest.json"

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}"
_PARTS = re.compile(
    rf"manifest\.json|run\.json|packs/{_NAME}\.json"
    rf"|calls/{_NAME}/{_NAME}/[0-9]{{1,6}}/attempt-[0-9]{{1,3}}/"
    r"(call\.json|state\.json|trace\.jsonl|exchanges\.jsonl|recording\.wav)"
)
"""The only names that a submission may hold: data, and never code, links or folders above its own."""

_DIGEST = 64
_CHUNK = 1 << 20
# Five trials of 200 tasks with three attempts each have 15,000 files; the longest recording, ten minutes in stereo at
# 16 kHz, has 38 MB. The limits stand well above both, and well below what fills a disk.
_MOST_FILES = 200_000
_LARGEST_FILE = 64 << 20
_LARGEST_TOTAL = 16 << 30
_FREE = 16 << 20
_HIGHEST_RATIO = 250
"""How many times its size an archive may unfold to, beyond the first 16 MiB; prompts that repeat reach 60."""


class Refused(VoicebenchError):
    """An archive is no submission, or was changed."""


def is_part(name: str) -> bool:
    """Return whether a file of a run belongs into its submission; ``name`` is relative to the run's folder."""
    return _PARTS.fullmatch(name) is not None and ".." not in name


def write_archive(target: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write a ZIP archive without times and owners, whose comment is the SHA-256 of all that comes before it."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in files:
            # ZipInfo's own date, 1980-01-01, is kept: a real one would make equal runs different archives.
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, data)
        # The comment stands last in the file. Zeros hold its place, since its length is part of what is hashed.
        archive.comment = b"0" * _DIGEST
    with target.open("r+b") as file:
        digest = _digest(target)
        file.seek(-_DIGEST, 2)
        file.write(digest)


def unpack(source: Path, folder: Path) -> list[str]:
    """Unpack a submission into an empty folder; return the names of its files.

    Nothing is written outside the folder, no name is used that a submission cannot hold, nothing is run.

    Raises:
        Refused: it is no archive, a byte was changed, or it holds what a submission cannot hold.
        OSError: it cannot be read.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            entries = archive.infolist()
            _check(entries, source.stat().st_size)
            if len(archive.comment) != _DIGEST or archive.comment != _digest(source):
                raise Refused("a byte of the archive was changed: it is not what its digest says")
            for entry in entries:
                _unpack_one(archive, entry, folder / entry.filename)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        # Which of these zipfile raises depends on where the damage is: RuntimeError is an encrypted entry.
        raise Refused(f"{source}: no archive of a submission, or a damaged one ({error})") from error
    return [entry.filename for entry in entries]


def _check(entries: list[zipfile.ZipInfo], size: int) -> None:
    if len(entries) > _MOST_FILES:
        raise Refused(f"{len(entries)} files are more than a run has")
    seen: set[str] = set()
    for entry in entries:
        kind = stat.S_IFMT(entry.external_attr >> 16)  # 0: written by a program that knows no modes of Unix
        if kind not in (0, stat.S_IFREG):
            raise Refused(f"{entry.filename!r} is a link or no plain file")
        if not is_part(entry.filename):
            raise Refused(f"{entry.filename!r} is no file of a submission")
        if entry.filename in seen:
            raise Refused(f"{entry.filename!r} is there twice")
        if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Refused(f"{entry.filename!r} is encrypted or packed in an unknown way")
        if entry.file_size > _LARGEST_FILE:
            raise Refused(f"{entry.filename!r} would unfold to {entry.file_size:,} bytes")
        seen.add(entry.filename)
    # The sizes are what the archive claims; _unpack_one holds each file to its claim.
    total = sum(entry.file_size for entry in entries)
    if total > min(_LARGEST_TOTAL, _FREE + _HIGHEST_RATIO * size):
        raise Refused(f"{size:,} bytes would unfold to {total:,}")


def _unpack_one(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    left = entry.file_size
    with archive.open(entry) as packed, target.open("xb") as file:
        while chunk := packed.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise Refused(f"{entry.filename!r} is larger than it says")
            file.write(chunk)


def _digest(path: Path) -> bytes:
    """Return the SHA-256 of all of a file but its last 64 bytes, as 64 hexadecimal digits."""
    digest = hashlib.sha256()
    left = path.stat().st_size - _DIGEST
    with path.open("rb") as file:
        while left > 0 and (chunk := file.read(min(_CHUNK, left))):
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest().encode()
