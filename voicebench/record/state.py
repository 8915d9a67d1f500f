"""``state.json``: the database of a call when it ended, and how it differs from the start."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from voicebench.record.base import Items, Record
from voicebench.record.json_types import JsonObject

__all__ = ["ChangedRow", "StateDifference", "StateRecord", "TableDifference"]


class ChangedRow(Record):
    """A row that the call changed."""

    before: JsonObject
    """The row at the start."""
    after: JsonObject
    """The row at the end."""
    columns: Items[str]
    """The columns that differ."""


class TableDifference(Record):
    """The rows of a table that the call changed, whole, ignored columns included."""

    # A difference is evidence: a misspelled key may not read as "nothing was added".
    model_config = ConfigDict(extra="forbid")

    added: Items[JsonObject] = ()
    """Rows that are new."""
    removed: Items[JsonObject] = ()
    """Rows that are gone."""
    changed: Items[ChangedRow] = ()
    """Rows that are others."""

    @property
    def count(self) -> int:
        """How many rows differ."""
        return len(self.added) + len(self.removed) + len(self.changed)


class StateDifference(Record):
    """How a database differs from its start; tables without a difference are not listed."""

    model_config = ConfigDict(extra="forbid")

    tables: dict[str, TableDifference] = Field(default_factory=dict)
    """The tables that differ."""


class StateRecord(Record):
    """The tables that a task may change, with the values of the database."""

    final: dict[str, Items[JsonObject]]
    """Table to its rows at the end."""
    seed: dict[str, Items[JsonObject]]
    """Table to its rows at the start."""
    difference: StateDifference
    """What the call changed."""
