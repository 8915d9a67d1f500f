"""A run's folder: what lies where, and reading it back."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from voicebench.errors import StoreError
from voicebench.store.files import make_folder
from voicebench.store.lines import from_jsonl
from voicebench.store.schema import check_version

__all__ = ["RunFolder", "StoredCall", "find_runs", "read_call", "read_json"]

_NAMES = {"pack": str, "task": str, "trial": int, "attempt": int, "verdict": str}
"""What every ``call.json`` has, whatever became of the call."""


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file.

    Raises:
        StoreError: the file is missing, or holds no JSON object.
    """
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise StoreError(f"{path}: not there; is the path that of a run or a call?") from error
    except (OSError, ValueError) as error:
        raise StoreError(f"{path}: cannot be read ({error}); the file is corrupt") from error
    if not isinstance(value, dict):
        raise StoreError(f"{path}: holds no JSON object; the file is corrupt")
    return value


@dataclass(frozen=True)
class StoredCall:
    """One committed attempt; all but ``call`` is read when it is first asked for.

    Attributes:
        dir: the attempt's folder.
        call: the content of ``call.json``.
    """

    dir: Path
    call: dict[str, Any]

    @cached_property
    def trace(self) -> list[dict[str, Any]]:
        """Spans and events, by start."""
        return self._lines("trace.jsonl")

    @cached_property
    def exchanges(self) -> list[dict[str, Any]]:
        """What the models were asked and answered."""
        return self._lines("exchanges.jsonl")

    @cached_property
    def state(self) -> dict[str, Any] | None:
        """The final database and its difference from the seed; None if the call left none."""
        path = self.dir / "state.json"
        if not path.exists() or path.read_bytes().strip() == b"null":
            return None
        return read_json(path)

    def check(self) -> None:
        """Read every text file of the call, if it took place.

        Raises:
            StoreError: one of them is missing or corrupt.
        """
        if self.has_trace or self.call["verdict"] in ("passed", "failed"):
            _ = self.trace, self.exchanges, self.state

    def has_all_bytes(self) -> bool:
        """Return whether the call's files are as long as ``call.json`` says; False if it says nothing."""
        sizes = self.call.get("files")
        if not isinstance(sizes, dict) or not sizes:
            return False
        with os.scandir(self.dir) as entries:
            found = {entry.name: entry.stat().st_size for entry in entries}
        return all(found.get(name) == size for name, size in sizes.items())

    def signature(self) -> str:
        """Return what differs once a file of the call was touched: names, sizes and times of change."""
        with os.scandir(self.dir) as entries:
            stats = sorted((entry.name, entry.stat()) for entry in entries)
        return " ".join(f"{name}:{stat.st_size}:{stat.st_mtime_ns}" for name, stat in stats)

    @property
    def has_trace(self) -> bool:
        """Whether the call took place: what infrastructure prevented left no trace."""
        return (self.dir / "trace.jsonl").exists()

    @property
    def recording(self) -> Path:
        """The stereo recording; the file may be missing on a channel without sound."""
        return self.dir / "recording.wav"

    def _lines(self, name: str) -> list[dict[str, Any]]:
        path = self.dir / name
        try:
            return from_jsonl(path.read_bytes(), str(path))
        except OSError as error:
            raise StoreError(f"{path}: cannot be read ({error.strerror}); is this the folder of a call?") from error


def read_call(call_dir: Path) -> StoredCall:
    """Return a committed call.

    Raises:
        StoreError: the folder holds no readable ``call.json``, it names no call, or a later version wrote it.
    """
    path = call_dir / "call.json"
    call = read_json(path)
    check_version(call, path)
    for key, kind in _NAMES.items():
        if not isinstance(call.get(key), kind):
            raise StoreError(f"{path}: {key!r} is {call.get(key)!r}; the file is corrupt")
    return StoredCall(call_dir, call)


@dataclass(frozen=True)
class RunFolder:
    """The paths of one run."""

    root: Path

    @property
    def run_json(self) -> Path:
        """What was run: configuration, versions, seed."""
        return self.root / "run.json"

    def record(self) -> dict[str, Any]:
        """Return the content of ``run.json``.

        Raises:
            StoreError: it is missing or corrupt, or a later version wrote it.
        """
        record = read_json(self.run_json)
        check_version(record, self.run_json)
        return record

    def pack_json(self, pack: str) -> Path:
        """The pack as it was, with its hash."""
        return self.root / "packs" / f"{pack}.json"

    def attempt_dir(self, pack: str, task: str, trial: int, attempt: int) -> Path:
        """The folder of one attempt, which exists once it is committed."""
        return self.root / "calls" / pack / task / str(trial) / f"attempt-{attempt}"

    def attempts(self, pack: str, task: str, trial: int) -> list[Path]:
        """The committed attempts of one trial, first to last."""
        parent = self.root / "calls" / pack / task / str(trial)
        return sorted(parent.glob("attempt-*"), key=_attempt_number)

    def call_dirs(self) -> Iterator[Path]:
        """All committed attempts, in the order of their names; unfinished ones have other names."""
        found = self.root.glob("calls/*/*/*/attempt-*")
        yield from sorted(found, key=lambda path: (*path.parts[-4:-2], int(path.parts[-2]), _attempt_number(path)))

    def calls(self) -> Iterator[StoredCall | StoreError]:
        """All committed calls; one that cannot be read is given as the error that says why."""
        for path in self.call_dirs():
            try:
                yield read_call(path)
            except StoreError as error:
                yield error

    def quarantine(self, call_dir: Path) -> Path:
        """Move a corrupt attempt out of the way, to ``corrupt/``; return where it is now."""
        target = self.root / "corrupt" / "-".join(call_dir.relative_to(self.root / "calls").parts)
        make_folder(target.parent)
        number = sum(1 for other in target.parent.iterdir() if other.name.startswith(target.name))
        target = target.with_name(f"{target.name}.{number}")
        shutil.move(str(call_dir), target)
        return target


def find_runs(folder: Path) -> list[RunFolder]:
    """Return the runs in a folder, itself included, found by their ``run.json`` and sorted by name."""
    found = [folder / "run.json", *sorted(folder.glob("*/run.json"))]
    return [RunFolder(path.parent) for path in found if path.is_file()]


def _attempt_number(path: Path) -> int:
    number = path.name.removeprefix("attempt-")
    return int(number) if number.isdigit() else -1
