"""``index.db``: one row a call, for queries and for Datasette; derived, so that it can be deleted and built again."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sqlite_utils

from voicebench.errors import StoreError
from voicebench.store.files import TEMPORARY
from voicebench.store.folder import RunFolder, StoredCall, read_json

__all__ = ["rebuild_index"]

_RUN = {
    "run_id": str,
    "dir": str,
    "pipeline": str,
    "model": str,
    "seed": int,
    "config_hash": str,
    "started_at": str,
}
_CALL = {
    "run_id": str,
    "pack": str,
    "task": str,
    "trial": int,
    "attempt": int,
    "verdict": str,
    "tools": float,
    "handoffs": float,
    "database": float,
    "call_s": float,
    "wall_s": float,
    "cpu_s": float,
    "ttft_p50_ms": float,
    "ttft_p95_ms": float,
    "v2v_p50_ms": float,
    "v2v_p95_ms": float,
    "dir": str,
}
_PROBLEM = {"run_id": str, "problem": str}


def rebuild_index(path: Path, runs: Iterable[RunFolder]) -> int:
    """Build the index anew from the folders of runs and put it in place at once; return how many calls it lists.

    Tables: ``runs``, ``calls`` (gates as rewards from 0 to 1), and ``problems``, what could not be read.

    Raises:
        StoreError: the index cannot be written.
    """
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, suffix=".db", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        with contextlib.closing(sqlite3.connect(temporary)) as connection:
            count = _fill(sqlite_utils.Database(connection), path.parent, runs)
        temporary.chmod(0o644)
        temporary.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path}: the index cannot be written ({error}); free some space") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    return count


def _fill(database: sqlite_utils.Database, base: Path, runs: Iterable[RunFolder]) -> int:
    count = 0
    seen: set[str] = set()
    with database.conn:
        database.table("runs").create(_RUN, pk="run_id")
        calls = database.table("calls").create(_CALL, pk=("run_id", "pack", "task", "trial", "attempt"))
        calls.create_index(["pack", "task"])
        calls.create_index(["verdict"])
        problems = database.table("problems").create(_PROBLEM)
        for run in runs:
            try:
                row = _run_row(run, base)
            except StoreError as error:
                problems.insert({"run_id": run.root.name, "problem": str(error)})
                continue
            if row["run_id"] in seen:
                problems.insert({"run_id": row["run_id"], "problem": f"{run.root}: a copy of another run here"})
                continue
            seen.add(row["run_id"])
            database.table("runs").insert(row)
            for call in run.calls():
                if isinstance(call, StoreError):
                    problems.insert({"run_id": row["run_id"], "problem": str(call)})
                else:
                    calls.insert(_call_row(call, row["run_id"], base))
                    count += 1
    return count


def _run_row(run: RunFolder, base: Path) -> dict[str, Any]:
    stored = read_json(run.run_json)
    model = stored.get("configuration", {}).get("agent", {}).get("llm", {}).get("model")
    return {
        "run_id": str(stored.get("run_id", run.root.name)),
        "dir": os.path.relpath(run.root, base),
        "pipeline": stored.get("pipeline"),
        "model": model,
        "seed": stored.get("seed"),
        "config_hash": stored.get("config_hash"),
        "started_at": stored.get("started_at"),
    }


def _call_row(stored: StoredCall, run_id: str, base: Path) -> dict[str, Any]:
    call = stored.call
    gates = call.get("gates") or {}
    latencies = {
        f"{kind}_{quantile}_ms": (call.get(f"{kind}_ms") or {}).get(quantile)
        for kind in ("ttft", "v2v")
        for quantile in ("p50", "p95")
    }
    return {
        "run_id": run_id,
        **{key: call.get(key) for key in ("pack", "task", "trial", "attempt", "verdict", "call_s", "wall_s", "cpu_s")},
        **{gate: (gates.get(gate) or {}).get("reward") for gate in ("tools", "handoffs", "database")},
        **latencies,
        "dir": os.path.relpath(stored.dir, base),
    }
