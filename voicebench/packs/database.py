"""The state of a call's database, and how it differs from the seed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from voicebench.errors import StoreError
from voicebench.language.compare import compare_values
from voicebench.packs.models import PackSpec, StateTable
from voicebench.record.json_types import JsonObject, JsonValue
from voicebench.record.state import ChangedRow, StateDifference, TableDifference

__all__ = [
    "Row",
    "State",
    "copy_database",
    "diff_state",
    "dump_state",
    "dump_tables",
    "equal_rows",
    "make_database",
]

Row = JsonObject
State = dict[str, list[Row]]


def make_database(schema_sql: str, seed_sql: str) -> bytes:
    """Return a database with schema and seed applied, as SQLite serializes it.

    Raises:
        sqlite3.Error: they are no SQL that makes one; other files than the database itself cannot be attached.
    """
    db = sqlite3.connect(":memory:")
    try:
        db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # a pack's SQL must not open other files
        db.execute("PRAGMA foreign_keys = ON")
        db.executescript(schema_sql)
        db.executescript(seed_sql)
        db.commit()
        return db.serialize()
    finally:
        db.close()


def copy_database(serialized: bytes) -> sqlite3.Connection:
    """Return a database in memory of its own, rows as ``sqlite3.Row``.

    It may be used from other threads, one at a time.
    """
    db = sqlite3.connect(":memory:", check_same_thread=False)
    db.deserialize(serialized)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA foreign_keys = ON")
    return db


def dump_state(db: sqlite3.Connection, spec: PackSpec) -> State:
    """Return the rows of the state tables, all their columns, in the order they were inserted."""
    return dump_tables(db, spec.state)


def dump_tables(db: sqlite3.Connection, tables: Iterable[str]) -> State:
    """Return the rows of some tables, all their columns, in the order they were inserted."""
    state: State = {}
    for table in tables:
        cursor = db.execute(f'SELECT * FROM "{table}"')  # noqa: S608
        names = [column[0] for column in cursor.description]
        state[table] = [dict(zip(names, tuple(row), strict=True)) for row in cursor]
    return state


def equal_rows(table: StateTable, expected: Mapping[str, JsonValue], actual: Mapping[str, JsonValue]) -> bool:
    """Whether two rows agree in every compared column that ``expected`` has."""
    return not _differing(table, expected, actual)


def _differing(table: StateTable, expected: Mapping[str, JsonValue], actual: Mapping[str, JsonValue]) -> list[str]:
    columns = []
    for column, value in expected.items():
        if column in table.ignore or (column in actual and actual[column] == value):
            continue  # most cells are the same to the letter, which spares reading them by type
        if column not in actual or not compare_values(table.types.get(column), value, actual[column]).equal:
            columns.append(column)
    return columns


def diff_state(seed: State, final: State, spec: PackSpec) -> StateDifference:
    """Return how the state tables differ; the order of rows, ignored columns and other tables do not matter.

    Raises:
        StoreError: a state table is missing from either side: missing evidence is no agreement.
    """
    tables = {}
    for name, table in spec.state.items():
        if name not in seed or name not in final:
            raise StoreError(
                f"state table {name!r} is missing from the {'seed' if name not in seed else 'final'} state"
            )
        if seed[name] == final[name]:  # as most are, which spares comparing them row by row
            continue
        difference = _diff_table(table, seed[name], final[name])
        if difference.count:
            tables[name] = difference
    return StateDifference(tables=tables)


def _diff_table(table: StateTable, seed: list[Row], final: list[Row]) -> TableDifference:
    left = list(seed)
    added, changed = [], []
    for after in final:
        same_key = [row for row in left if _key(table, row) == _key(table, after)]
        if not same_key:
            added.append(after)
            continue
        before = next((row for row in same_key if equal_rows(table, row, after)), same_key[0])
        left.remove(before)
        columns = _differing(table, before, after)
        if columns:
            changed.append(ChangedRow(before=before, after=after, columns=tuple(columns)))
    removed = []
    for row in left:
        twin = next((new for new in added if equal_rows(table, row, new)), None)
        if twin is None:
            removed.append(row)
        else:
            added.remove(twin)
    return TableDifference(added=tuple(added), removed=tuple(removed), changed=tuple(changed))


def _key(table: StateTable, row: Row) -> tuple[JsonValue, ...]:
    return tuple(row[column] for column in (table.key or list(row)[:1]))
