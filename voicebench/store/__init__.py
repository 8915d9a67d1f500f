"""The run folder: traces, exchanges, atomic writes, the lock, and the index made from them."""

from __future__ import annotations

from voicebench.store.files import commit_call, make_folder, redact, sweep, write_file
from voicebench.store.folder import RunFolder, StoredCall, find_runs, read_call, read_json
from voicebench.store.lines import from_jsonl, read_exchanges, read_trace, to_json, to_jsonl
from voicebench.store.lock import run_lock
from voicebench.store.schema import SCHEMA_VERSION, SCORING_VERSION, changed_since
from voicebench.store.trace import Exchanges, Tracer

__all__ = [
    "SCHEMA_VERSION",
    "SCORING_VERSION",
    "Exchanges",
    "RunFolder",
    "StoredCall",
    "Tracer",
    "changed_since",
    "commit_call",
    "find_runs",
    "from_jsonl",
    "make_folder",
    "read_call",
    "read_exchanges",
    "read_json",
    "read_trace",
    "redact",
    "run_lock",
    "sweep",
    "to_json",
    "to_jsonl",
    "write_file",
]
