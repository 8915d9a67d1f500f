"""A hash is computed once and trusted only while the file is as it was."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from voicebench.errors import ConfigError
from voicebench.speech import hash_cache

pytestmark = pytest.mark.unit

BIG = bytes(9 << 20)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(hash_cache, "_seen", {})


def test_a_marker_spares_the_next_process_the_hashing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(BIG)
    digest = hash_cache.sha256_of(path)
    assert digest == hashlib.sha256(BIG).hexdigest()
    hash_cache._seen.clear()
    monkeypatch.setattr(hashlib, "file_digest", lambda *_: pytest.fail("hashed again"))
    assert hash_cache.sha256_of(path) == digest


def test_a_changed_file_of_equal_size_and_time_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(BIG)
    before, stat = hash_cache.sha256_of(path), path.stat()
    path.write_bytes(b"x" + BIG[1:])
    while path.stat().st_ctime_ns == stat.st_ctime_ns or path.stat().st_mtime_ns != stat.st_mtime_ns:
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # a file system's clock ticks every few milliseconds
    assert path.stat().st_mtime_ns == stat.st_mtime_ns
    assert hash_cache.sha256_of(path) == hashlib.sha256(b"x" + BIG[1:]).hexdigest() != before


def test_a_damaged_marker_is_not_trusted(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(BIG)
    digest = hash_cache.sha256_of(path)
    (marker,) = (tmp_path / "cache" / "verified").iterdir()
    assert json.loads(marker.read_bytes())["sha256"] == digest
    marker.write_text("{")
    hash_cache._seen.clear()
    assert hash_cache.sha256_of(path) == digest


def test_small_files_leave_no_marker(tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(b"abc")
    hash_cache.sha256_of(tmp_path / "small")
    assert not (tmp_path / "cache").exists()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")
    with pytest.raises(ConfigError, match="VOICEBENCH_CACHE"):
        hash_cache.join_files([tmp_path / "absent"], target)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert target.read_bytes() == b"old"


def test_what_is_joined_can_be_read_by_every_user_of_the_machine(tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_bytes(b"weights")
    hash_cache.join_files([part, part], tmp_path / "cache" / "model.bin")
    assert (tmp_path / "cache" / "model.bin").read_bytes() == b"weightsweights"
    assert (tmp_path / "cache" / "model.bin").stat().st_mode & 0o777 == 0o644
