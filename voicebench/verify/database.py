"""The database gate: the rows that the call added, removed and changed are exactly the expected ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from voicebench.language.slots import FactType
from voicebench.packs.database import Row, StateDiff, TableDiff
from voicebench.packs.models import Case, PackSpec, RowChange, StateTable
from voicebench.packs.templates import expand
from voicebench.verify.arguments import agree
from voicebench.verify.matching import largest_matching

__all__ = ["DatabaseResult", "RowDifference", "check_database"]

Kind = Literal["added", "removed", "changed"]


@dataclass(frozen=True)
class RowDifference:
    """A row in which the expected and the actual database differ at hangup.

    Attributes:
        kind: ``extra`` (only actual), ``missing`` (only expected) or ``changed`` (in both, but not alike).
        table: its name.
        expected: the row, or the columns of it that the task writes; None if it should not be there.
        actual: likewise; None if it is not there.
    """

    kind: Literal["extra", "missing", "changed"]
    table: str
    expected: dict[str, Any] | None
    actual: dict[str, Any] | None

    def as_json(self) -> dict[str, Any]:
        """Return the difference as JSON, ``count`` rows each."""
        return {**vars(self), "count": 1}

    def __str__(self) -> str:
        return f"{self.kind} · {self.table} · 1"


@dataclass(frozen=True)
class DatabaseResult:
    """Outcome of the database gate. ``reward`` is equal changes / expected or actual ones; 1 if there are none."""

    passed: bool
    reward: float
    reasons: list[str]
    differences: list[RowDifference]


@dataclass(frozen=True)
class _Change:
    """One change of a table: ``where`` finds a changed row, ``values`` are its new values or the row itself."""

    kind: Kind
    values: Row
    where: Row


def check_database(case: Case, spec: PackSpec, difference: Mapping[str, Any] | None) -> DatabaseResult:
    """Compare the changes that a call made with the expected ones; order and ignored columns do not matter.

    Args:
        case: the task, with its expected rows.
        spec: the pack, whose ``state`` says which tables count and how columns are compared.
        difference: a :class:`voicebench.packs.database.StateDiff` as JSON. None, or anything that is not one, is
            missing evidence, which never passes.
    """
    stored = _read(difference)
    if stored is None:
        return DatabaseResult(False, 0.0, ["missing evidence: the final database was not stored"], [])
    facts = {name: fact.value for name, fact in case.caller.facts.items()}
    equal = union = 0
    reasons: list[str] = []
    differences: list[RowDifference] = []
    for table in dict.fromkeys([*spec.state, *case.expect.rows]):
        settings = spec.state.get(table, StateTable())
        expected = [_expected(row, facts) for row in case.expect.rows.get(table, [])]
        actual = _actual(stored.tables.get(table, TableDiff())) if table in spec.state else []
        pairs = _match(expected, actual, settings)
        equal += len(pairs)
        union += len(expected) + len(actual) - len(pairs)
        reasons += [f"{table}: {_rule(expected[i], actual[j], settings)}" for i, j in pairs.items()]
        missing = [expected[i] for i in range(len(expected)) if i not in pairs]
        extra = [actual[j] for j in range(len(actual)) if j not in pairs.values()]
        differences += _differences(table, missing, extra, settings)
    reasons += [str(d) for d in differences]
    reward = equal / union if union else 1.0
    return DatabaseResult(not differences, reward, reasons or ["nothing was to change, and nothing did"], differences)


def _read(difference: Mapping[str, Any] | None) -> StateDiff | None:
    if difference is None or "tables" not in difference:
        return None
    try:
        return StateDiff.model_validate(difference)
    except ValidationError:
        return None


def _expected(row: RowChange, facts: Mapping[str, str]) -> _Change:
    def resolved(values: Mapping[str, Any]) -> dict[str, Any]:
        return {column: expand(value, facts) for column, value in values.items()}

    if row.added is not None:
        return _Change("added", resolved(row.added), {})
    if row.removed is not None:
        return _Change("removed", resolved(row.removed), {})
    assert row.changed is not None
    return _Change("changed", resolved(row.changed.set), resolved(row.changed.where))


def _actual(table: TableDiff) -> list[_Change]:
    changes = [_Change("added", row, {}) for row in table.added]
    changes += [_Change("removed", row, {}) for row in table.removed]
    changes += [_Change("changed", row.after, row.before) for row in table.changed]
    return changes


def _match(expected: list[_Change], actual: list[_Change], settings: StateTable) -> dict[int, int]:
    """Return expected index → actual index of a largest matching."""
    fits = {
        i: [j for j, done in enumerate(actual) if _rule(change, done, settings)] for i, change in enumerate(expected)
    }
    return dict(sorted(largest_matching(fits, fits).items()))


def _rule(expected: _Change, actual: _Change, settings: StateTable) -> str:
    """Return the rules by which a change agrees with an expected one, empty if it does not."""
    if expected.kind != actual.kind:
        return ""
    where = _agree(expected.where, actual.where, settings.types)
    compared = {column: value for column, value in expected.values.items() if column not in settings.ignore}
    values = _agree(compared, actual.values, settings.types)
    if where is None or values is None:
        return ""
    ignored = [f"{column} ignored" for column in expected.values if column not in compared]
    return f"{expected.kind}: " + "; ".join([*where, *values, *ignored])


def _agree(expected: Row, actual: Row, types: Mapping[str, FactType]) -> list[str] | None:
    """Return the rule of each column, None if one disagrees or is not there."""
    rules = []
    for column, value in expected.items():
        outcome = agree(types.get(column), value, actual[column]) if column in actual else None
        if outcome is None or not outcome.equal:
            return None
        rules.append(f"{column} {outcome.rule}")
    return rules


def _differences(table: str, missing: list[_Change], extra: list[_Change], settings: StateTable) -> list[RowDifference]:
    """Say as rows of the final databases what changes are missing and what changes are over."""
    rows: list[RowDifference] = []
    left = list(extra)
    for change in missing:
        twin = next((other for other in left if _is_same_row(change, other, settings)), None)
        if twin is not None:
            left.remove(twin)
        rows.append(_undone(table, change, twin))
    return rows + [_overdone(table, change) for change in left]


def _undone(table: str, expected: _Change, actual: _Change | None) -> RowDifference:
    if expected.kind == "added":
        return RowDifference("missing", table, expected.values, None)
    if expected.kind == "removed":
        return RowDifference("extra", table, None, expected.values)
    row = expected.where if actual is None else actual.values
    return RowDifference("changed", table, {**expected.where, **expected.values}, row)


def _overdone(table: str, actual: _Change) -> RowDifference:
    if actual.kind == "added":
        return RowDifference("extra", table, None, actual.values)
    if actual.kind == "removed":
        return RowDifference("missing", table, actual.values, None)
    return RowDifference("changed", table, actual.where, actual.values)


def _is_same_row(expected: _Change, actual: _Change, settings: StateTable) -> bool:
    both_changed = expected.kind == actual.kind == "changed"
    return both_changed and _agree(expected.where, actual.where, settings.types) is not None
