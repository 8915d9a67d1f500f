"""What a pack's tools work on in one call: a database, a day, and what the call has established so far."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from typing import Any

from voicebench.language import values
from voicebench.packs.database import State, dump_state
from voicebench.packs.models import PackSpec

__all__ = ["ToolContext"]

Cell = str | int | float | bytes | None
"""A value of a column, as SQLite keeps it."""

_MEMORY = "CREATE TABLE IF NOT EXISTS _desk (key TEXT PRIMARY KEY, value TEXT NOT NULL)"


class ToolContext:
    """What a tool gets as its first argument.

    The functions ``same_id``, ``same_phone``, ``same_name`` and ``same_date`` can be used in its SQL:
    ``SELECT * FROM orders WHERE same_id(order_number, ?)``.

    Attributes:
        db: the database of this call alone; rows are ``sqlite3.Row``. :meth:`Tool.invoke` commits after each tool.
        today: the pack's fixed date.
    """

    def __init__(self, db: sqlite3.Connection, today: dt.date) -> None:
        self.db = db
        self.today = today
        db.row_factory = sqlite3.Row
        db.execute(_MEMORY)
        db.commit()
        for function in (values.same_id, values.same_phone, values.same_name, values.same_date):
            db.create_function(function.__name__, 2, function, deterministic=True)

    def dump(self, spec: PackSpec) -> State:
        """Return the rows of the state tables, as they are now."""
        return dump_state(self.db, spec)

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    def one(self, sql: str, *parameters: Cell) -> sqlite3.Row | None:
        """Return the first row of a query, or None."""
        row: sqlite3.Row | None = self.db.execute(sql, parameters).fetchone()
        return row

    def all(self, sql: str, *parameters: Cell) -> list[sqlite3.Row]:
        """Return the rows of a query."""
        return list(self.db.execute(sql, parameters))

    def insert(self, table: str, **columns: Cell) -> None:
        """Add one row."""
        names = ", ".join(f'"{name}"' for name in columns)
        marks = ", ".join("?" for _ in columns)
        self.db.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', tuple(columns.values()))  # noqa: S608

    def new_id(self, prefix: str) -> str:
        """Return ``prefix`` and a count that starts at 1 in each call: the same calls make the same ids."""
        count = self.state(f"count of {prefix}", 0) + 1
        self.set_state(f"count of {prefix}", count)
        return f"{prefix}{count:04d}"

    def state(self, key: str, default: Any = None) -> Any:
        """Return what the call has remembered under ``key``; it is no state table and is never compared."""
        row = self.one("SELECT value FROM _desk WHERE key = ?", key)
        return default if row is None else json.loads(row["value"])

    def set_state(self, key: str, value: Any) -> None:
        """Remember a JSON value for the rest of the call."""
        self.db.execute("INSERT OR REPLACE INTO _desk (key, value) VALUES (?, ?)", (key, json.dumps(value)))
