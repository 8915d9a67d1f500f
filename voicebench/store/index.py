"""``index.db``: one row a call, for queries and for Datasette; derived, so that it can be deleted and built again."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Self, TypeVar

from voicebench.config.models import stored_model
from voicebench.errors import NotWritable, StoreError, advise
from voicebench.store.files import TEMPORARY, not_writable
from voicebench.store.folder import RunFolder, StoredCall, find_runs
from voicebench.store.utterance_rows import FACT, UTTERANCE, Columns, Row, call_key, fact_rows, utterance_rows
from voicebench.store.views import VIEWS

__all__ = ["Index", "rebuild_index"]

T = TypeVar("T")
_VERSION = 10
_BUSY_S = 10.0
_ADVICE = {
    "SQLITE_FULL": "free some space",
    "SQLITE_READONLY": "make it writable",
    "SQLITE_CANTOPEN": "make its folder writable",
    "SQLITE_BUSY": "wait until no other process has it open",
}
"""By the beginning of SQLite's name for an error."""
_KEY = ("run_id", "pack", "task", "trial", "attempt")

_RUN: Columns = {
    "run_id": str,
    "dir": str,
    "pipeline": str,
    "model": str,
    "seed": int,
    "config_hash": str,
    "unranked": str,
    "started_at": str,
}
"""``unranked``: what keeps the run from a rank whatever its scores, as charges that were not measured."""
_CALL: Columns = {
    "run_id": str,
    "pack": str,
    "task": str,
    "trial": int,
    "attempt": int,
    "verdict": str,
    "scoring_version": int,
    "void_kind": str,
    "hung_up": int,
    "cause": str,
    "sentence": str,
    "tools": float,
    "handoffs": float,
    "database": float,
    "said": float,
    "call_s": float,
    "wall_s": float,
    "cpu_s": float,
    "ttft_p50_ms": float,
    "ttft_p95_ms": float,
    "v2v_p50_ms": float,
    "v2v_p95_ms": float,
    "yield_p50_ms": float,
    "talk_over_s": float,
    "missed_turns": int,
    "turns_heard": int,
    "turns_not_understood": int,
    "usd": float,
    "dir": str,
    "checked": str,
}
"""``cause`` and ``sentence``: why a call did not pass; ``checked``: the signature of a call's files when they were
found whole; null if that was not checked."""
_LATENCY: Columns = {
    "run_id": str,
    "pack": str,
    "task": str,
    "trial": int,
    "attempt": int,
    "kind": str,
    "number": int,
    "ms": float,
}
"""One row a request (``ttft``), answered turn (``v2v``, its parts as ``v2v_llm``, ``first_audio``) or time that the
caller broke in (``yield``) of a call, counted from 1."""
_TABLES: dict[str, tuple[Columns, tuple[str, ...]]] = {
    "runs": (_RUN, ("run_id",)),
    "calls": (_CALL, _KEY),
    "latencies": (_LATENCY, (*_KEY, "kind", "number")),
    "utterances": (UTTERANCE, (*_KEY, "number")),
    "fact_mentions": (FACT, (*_KEY, "number")),
    "problems": ({"run_id": str, "problem": str}, ()),
}
"""Columns and key of each."""

_INDEXES = {"calls": ("pack, task", "verdict"), "latencies": ("kind, ms",), "fact_mentions": ("fact, right",)}
_SQL_TYPES = {str: "text", int: "integer", float: "real"}


class Index:
    """The index of a folder of runs, open for a run that adds its calls to it.

    An index that is missing, broken or of another version is built again first.

    Args:
        path: the file, in the folder of runs or in that of the one run.
        in_memory: keep it in memory and write nothing: it starts with the rows of the file, or empty if that is not
            current; threads may share it if they take turns.

    Raises:
        StoreError: it cannot be written.
    """

    def __init__(self, path: Path, *, in_memory: bool = False) -> None:
        self._path = path
        if not in_memory and not _is_current(path):
            rebuild_index(path, find_runs(path.parent))
        try:
            if in_memory:
                self._connection = _copy_of(path)
            else:
                self._connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
                self._connection.execute("PRAGMA synchronous = OFF")  # a lost index is built again
        except sqlite3.Error as error:
            raise _refused(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def put_run(self, run: RunFolder) -> str:
        """Add a run, or write its row again; return its id."""
        row = _run_row(run, self._path.parent)
        self._put("runs", [row])
        return str(row["run_id"])

    def put_calls(self, run_id: str, calls: Iterable[StoredCall]) -> None:
        """Add calls whose files were found whole, or write their rows again."""
        listed = list(calls)
        rows = [{**_call_row(call, run_id, self._path.parent), "checked": call.signature()} for call in listed]
        self._put("calls", rows)
        self._put("latencies", [row for call in listed for row in _latency_rows(call, run_id)])
        self._put("utterances", [row for call in listed for row in utterance_rows(call, run_id)])
        self._put("fact_mentions", [row for call in listed for row in fact_rows(call, run_id)])

    def drop_calls(self, calls: Iterable[tuple[str, str, str, int, int]]) -> None:
        """Forget calls: run, pack, task, trial and attempt of each."""
        keys = list(calls)
        where = " and ".join(f"{name} = ?" for name in _KEY)
        with self._connection:
            for table in ("calls", "latencies", "utterances", "fact_mentions"):
                self._connection.executemany(f"delete from {table} where {where}", keys)  # noqa: S608

    def query(self, make: Callable[..., T], query: str, values: Sequence[str | int | float | None] = ()) -> list[T]:
        """Return the rows of a query, each made to a record.

        Args:
            make: gets the columns of a row, in the order of the query.
            query: SQL.
            values: of its question marks.
        """
        return [make(*row) for row in self._connection.execute(query, values)]

    def checked(self, run_id: str) -> dict[tuple[str, str, int, int], str]:
        """Return pack, task, trial and attempt to the signature of the files as they were when found whole."""
        query = f"select {', '.join(_KEY[1:])}, checked from calls where run_id = ? and checked is not null"  # noqa: S608
        try:
            return {row[:4]: row[4] for row in self._connection.execute(query, (run_id,))}
        except sqlite3.Error as error:
            raise _refused(self._path, error) from error

    def _put(self, table: str, rows: list[Row]) -> None:
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                _insert(self._connection, table, rows)
        except sqlite3.Error as error:
            raise _refused(self._path, error) from error


def rebuild_index(path: Path, runs: Iterable[RunFolder]) -> int:
    """Build the index from the folders of runs and put it in place at once; return how many calls it lists.

    Tables: ``runs``, ``calls`` (gates as rewards from 0 to 1), ``latencies``, ``utterances``, ``fact_mentions``
    (what was heard of them), and ``problems``, what could not be read; and the views of :mod:`voicebench.store.views`.

    Raises:
        StoreError: the index cannot be written.
    """
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, suffix=".db", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        with contextlib.closing(sqlite3.connect(temporary)) as connection:
            count = _fill(connection, path.parent, runs)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        temporary.chmod(0o644)
        temporary.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise _refused(path, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    return count


def _is_current(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_BUSY_S)) as connection:
            return bool(connection.execute("PRAGMA user_version").fetchone() == (_VERSION,))
    except sqlite3.Error:
        return False


def _copy_of(path: Path) -> sqlite3.Connection:
    """Return an index in memory: a copy of the one on disk, or an empty one."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    if _is_current(path):
        with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as stored:
            stored.backup(connection)
    else:
        _create(connection)
    return connection


def _refused(path: Path, error: OSError | sqlite3.Error) -> NotWritable:
    if isinstance(error, OSError):
        return not_writable(path, error)
    name = str(getattr(error, "sqlite_errorname", ""))
    advice = next((advice for start, advice in _ADVICE.items() if name.startswith(start)), "delete it")
    return NotWritable(f"{path}: the index cannot be written ({error}); {advice}")


def _create(connection: sqlite3.Connection) -> None:
    for table, (columns, key) in _TABLES.items():
        parts = [f"{name} {_SQL_TYPES[of]}" for name, of in columns.items()]
        if key:
            parts.append(f"primary key ({', '.join(key)})")
        connection.execute(f"create table {table} ({', '.join(parts)})")
    for table, indexes in _INDEXES.items():
        for indexed in indexes:
            connection.execute(f"create index idx_{table}_{indexed.replace(', ', '_')} on {table} ({indexed})")
    for name, query in VIEWS.items():
        connection.execute(f"create view {name} as {query}")


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    """Add rows, each in the place of one with the same key."""
    columns, _ = _TABLES[table]
    values = ", ".join(f":{name}" for name in columns)
    connection.executemany(f"insert or replace into {table} values ({values})", rows)  # noqa: S608


def _fill(connection: sqlite3.Connection, base: Path, runs: Iterable[RunFolder]) -> int:
    count = 0
    seen: set[str] = set()
    with connection:
        _create(connection)
        for run in runs:
            try:
                row = _run_row(run, base)
            except StoreError as error:
                _insert(connection, "problems", [{"run_id": run.root.name, "problem": advise(error)}])
                continue
            run_id = str(row["run_id"])
            if run_id in seen:
                problem = f"{run.root}: a copy of another run here"
                _insert(connection, "problems", [{"run_id": run_id, "problem": problem}])
                continue
            seen.add(run_id)
            _insert(connection, "runs", [row])
            read = list(run.calls())
            listed = [call for call in read if isinstance(call, StoredCall)]
            _insert(connection, "calls", (_call_row(call, run_id, base) for call in listed))
            for call in listed:
                _insert(connection, "latencies", _latency_rows(call, run_id))
                _insert(connection, "utterances", utterance_rows(call, run_id))
                _insert(connection, "fact_mentions", fact_rows(call, run_id))
            failed = [advise(error) for error in read if isinstance(error, StoreError)]
            _insert(connection, "problems", ({"run_id": run_id, "problem": problem} for problem in failed))
            count += len(listed)
    return count


def _run_row(run: RunFolder, base: Path) -> Row:
    stored = run.record()
    try:
        model = stored_model(stored.configuration)
    except (KeyError, TypeError):
        model = None
    return {
        "run_id": stored.run_id,
        "dir": os.path.relpath(run.root, base),
        "pipeline": stored.pipeline,
        "model": model,
        "seed": stored.seed,
        "config_hash": stored.config_hash,
        "unranked": "; ".join(stored.unranked) or None,
        "started_at": stored.started_at,
    }


def _call_row(stored: StoredCall, run_id: str, base: Path) -> Row:
    call = stored.call
    gates = call.gates
    return {
        **call_key(stored, run_id),
        "verdict": call.verdict,
        "scoring_version": call.scored_by,
        "void_kind": call.voided_by,
        "hung_up": int(call.hung_up),
        "cause": None if call.attribution is None else call.attribution.cause,
        "sentence": None if call.attribution is None else call.attribution.sentence,
        "tools": None if gates is None else gates.tools.reward,
        "handoffs": None if gates is None else gates.handoffs.reward,
        "database": None if gates is None else gates.database.reward,
        "said": None if call.said is None else call.said.reward,
        "call_s": call.call_s,
        "wall_s": call.wall_s,
        "cpu_s": call.cpu_s,
        "ttft_p50_ms": None if call.ttft_ms is None else call.ttft_ms.p50,
        "ttft_p95_ms": None if call.ttft_ms is None else call.ttft_ms.p95,
        "v2v_p50_ms": None if call.v2v_ms is None else call.v2v_ms.p50,
        "v2v_p95_ms": None if call.v2v_ms is None else call.v2v_ms.p95,
        "yield_p50_ms": None if call.yield_ms is None else call.yield_ms.p50,
        "talk_over_s": call.talk_over_s,
        "missed_turns": call.missed_turns,
        "turns_heard": None if call.comprehension is None else call.comprehension.heard,
        "turns_not_understood": None if call.comprehension is None else call.comprehension.not_understood,
        "usd": None if call.cost is None else call.cost.usd,
        "dir": os.path.relpath(stored.dir, base),
        "checked": None,
    }


def _latency_rows(stored: StoredCall, run_id: str) -> list[Row]:
    values = {} if stored.call.latencies_ms is None else stored.call.latencies_ms.by_kind()
    parts: dict[str, list[float]] = {}
    for turn in stored.call.v2v_parts:
        for part, ms in turn.parts_ms.items():
            parts.setdefault(f"v2v_{part}", []).append(ms)
    key = call_key(stored, run_id)
    return [
        {**key, "kind": kind, "number": number, "ms": ms}
        for kind, of_call in {**values, **parts}.items()
        for number, ms in enumerate(of_call, start=1)
    ]
