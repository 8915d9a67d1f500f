"""A run's folder: what lies where, and reading it back."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from voicebench.errors import CorruptFile, StoreError
from voicebench.record.base import Record
from voicebench.record.call import CallRecord
from voicebench.record.exchanges import Exchange
from voicebench.record.json_types import JsonObject
from voicebench.record.run import RunRecord
from voicebench.record.state import StateRecord
from voicebench.record.trace import TraceRecord
from voicebench.store.files import make_folder, not_writable
from voicebench.store.lines import read_exchanges, read_trace, where_wrong
from voicebench.store.schema import check_version, upgrade_call

__all__ = ["RunFolder", "StoredCall", "find_runs", "read_call", "read_json"]

_RECORDING = "recording.wav"

R = TypeVar("R", bound=Record)


def read_json(path: Path) -> JsonObject:
    """Return the object in a JSON file.

    Raises:
        StoreError: the file is missing.
        CorruptFile: it holds no JSON object.
    """
    try:
        value = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StoreError(f"{path}: not there; is the path that of a run or a call?") from error
    except (OSError, ValueError, RecursionError) as error:
        raise CorruptFile(f"{path}: cannot be read ({error}); the file is corrupt") from error
    if not isinstance(value, dict):
        raise CorruptFile(f"{path}: holds no JSON object; the file is corrupt")
    return value


@dataclass(frozen=True)
class StoredCall:
    """One committed attempt; all but ``call`` is read when it is first asked for.

    Attributes:
        dir: the attempt's folder.
        call: the content of ``call.json``.
    """

    dir: Path
    call: CallRecord

    @cached_property
    def trace(self) -> list[TraceRecord]:
        """Spans and events, by start."""
        return read_trace(self._read("trace.jsonl"), str(self.dir / "trace.jsonl"))

    @cached_property
    def exchanges(self) -> list[Exchange]:
        """What the models were asked and answered."""
        return read_exchanges(self._read("exchanges.jsonl"), str(self.dir / "exchanges.jsonl"))

    @cached_property
    def state(self) -> StateRecord | None:
        """The final database and its difference from the seed; None if the call left none."""
        path = self.dir / "state.json"
        if "state.json" not in self.lengths and not path.exists():
            return None
        try:
            return None if path.read_bytes().strip() == b"null" else _as_record(read_json(path), StateRecord, path)
        except FileNotFoundError as error:
            raise CorruptFile(f"{path}: not there, and call.json lists it") from error

    @property
    def lengths(self) -> dict[str, int]:
        """The length of each file next to ``call.json``, bytes, as that has them; older versions stored none."""
        return self.call.files

    @cached_property
    def _stats(self) -> dict[str, os.stat_result]:
        with os.scandir(self.dir) as entries:
            return {entry.name: entry.stat() for entry in entries}

    def check_lengths(self, *, recordings: bool = True) -> None:
        """Compare the call's files with the lengths in ``call.json``; none is read.

        Args:
            recordings: False lets the recording be absent, as in a submission.

        Raises:
            CorruptFile: one is missing, or longer or shorter.
        """
        for name, length in self.lengths.items():
            stat = self._stats.get(name)
            if stat is None and (recordings or name != _RECORDING):
                raise CorruptFile(f"{self.dir / name}: not there, and call.json lists it")
            if stat is not None and stat.st_size != length:
                raise CorruptFile(
                    f"{self.dir / name}: has {stat.st_size} bytes, call.json says {length}; the file is corrupt"
                )

    def check(self) -> None:
        """Compare the lengths of the call's files, and read every text file if it took place.

        Raises:
            CorruptFile: one of them is missing or corrupt.
        """
        self.check_lengths()
        if self.has_trace or self.call.verdict in ("passed", "failed"):
            _ = self.trace, self.exchanges, self.state

    def signature(self) -> str:
        """Return what differs once a file of the call was touched: names, sizes and times of change."""
        return " ".join(f"{name}:{stat.st_size}:{stat.st_mtime_ns}" for name, stat in sorted(self._stats.items()))

    @property
    def has_trace(self) -> bool:
        """Whether the call took place: what infrastructure prevented left no trace."""
        return (self.dir / "trace.jsonl").exists()

    @property
    def recording(self) -> Path:
        """The stereo recording; the file may be missing on a channel without sound."""
        return self.dir / _RECORDING

    def _read(self, name: str) -> bytes:
        path = self.dir / name
        try:
            return path.read_bytes()
        except OSError as error:
            raise CorruptFile(f"{path}: cannot be read ({error.strerror}); is this the folder of a call?") from error


def read_call(call_dir: Path) -> StoredCall:
    """Return a committed call.

    Raises:
        StoreError: the folder holds no ``call.json``, or a later version wrote it.
        CorruptFile: it cannot be read or names no call, or is missing where an attempt is.
    """
    path = call_dir / "call.json"
    try:
        call = read_json(path)
    except StoreError as error:
        if call_dir.name.startswith("attempt-") and call_dir.is_dir() and not path.exists():
            raise CorruptFile(f"{path}: not there, in the folder of an attempt") from error
        raise
    check_version(call, path)
    return StoredCall(call_dir, _as_record(upgrade_call(call), CallRecord, path))


def _as_record(value: JsonObject, kind: type[R], path: Path) -> R:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise CorruptFile(f"{path}: {where_wrong(error)}; the file is corrupt") from error


@dataclass(frozen=True)
class RunFolder:
    """The paths of one run."""

    root: Path

    @property
    def run_json(self) -> Path:
        """What was run: configuration, versions, seed."""
        return self.root / "run.json"

    def record(self) -> RunRecord:
        """Return the content of ``run.json``.

        Raises:
            StoreError: it is missing, or a later version wrote it.
            CorruptFile: it is corrupt.
        """
        record = read_json(self.run_json)
        check_version(record, self.run_json)
        return _as_record(record, RunRecord, self.run_json)

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

    def calls(self, *, recordings: bool = True) -> Iterator[StoredCall | StoreError]:
        """All committed calls; one that cannot be read, or lacks a file, is given as the error that says why.

        Args:
            recordings: False lets recordings be absent.
        """
        for path in self.call_dirs():
            try:
                stored = read_call(path)
                stored.check_lengths(recordings=recordings)
            except StoreError as error:
                yield error
            else:
                yield stored

    def quarantine(self, path: Path) -> Path:
        """Move a corrupt attempt or file out of the way, to ``corrupt/``; return where it is now.

        Raises:
            NotWritable: it cannot be moved.
        """
        parts = path.relative_to(self.root).parts
        target = self.root / "corrupt" / "-".join(parts[1:] if parts[0] == "calls" else parts)
        make_folder(target.parent)
        number = sum(1 for other in target.parent.iterdir() if other.name.startswith(target.name))
        target = target.with_name(f"{target.name}.{number}")
        try:
            shutil.move(str(path), target)
        except OSError as error:
            raise not_writable(path, error) from error
        return target


def find_runs(folder: Path) -> list[RunFolder]:
    """Return the runs in a folder, itself included, found by their ``run.json`` and sorted by name."""
    found = [folder / "run.json", *sorted(folder.glob("*/run.json"))]
    return [RunFolder(path.parent) for path in found if path.is_file()]


def _attempt_number(path: Path) -> int:
    number = path.name.removeprefix("attempt-")
    return int(number) if number.isdigit() else -1
