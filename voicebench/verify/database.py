"""The database gate: the rows that the call added, removed and changed are exactly the expected ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from voicebench.packs.compare import compare
from voicebench.packs.models import Case, PackSpec, RowChange, StateTable
from voicebench.verify.arguments import resolve

__all__ = ["DatabaseResult", "RowDifference", "check_database"]

Kind = Literal["added", "removed", "changed"]


@dataclass(frozen=True)
class RowDifference:
    """A row in which the expected and the actual database differ at hangup.

    ``kind`` is ``extra`` (only actual), ``missing`` (only expected) or ``changed`` (the row is there, with other values).
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
    """Outcome of the database gate. ``reward`` is equal changes / (expected ∪ actual changes)."""

    passed: bool
    reward: float
    reasons: list[str]
    differences: list[RowDifference]


@dataclass(frozen=True)
class _Change:
    """One change of a table: ``where`` finds a changed row, ``values`` are its new values or the row itself."""

    kind: Kind
    values: dict[str, Any]
    where: dict[str, Any]


def check_database(case: Case, spec: PackSpec, difference: Mapping[str, Any] | None) -> DatabaseResult:
    """Compare the changes that a call made with the expected ones; order and ignored columns do not matter.

    Args:
        case: the task, with its expected rows.
        spec: the pack, whose ``state`` says which tables count and how columns are compared.
        difference: as :func:`voicebench.packs.diff_state` gives it; None is missing evidence, which never passes.
    """
    if difference is None:
        return DatabaseResult(False, 0.0, ["missing evidence: the final database was not stored"], [])
    facts = {name: fact.value for name, fact in case.caller.facts.items()}
    equal = union = 0
    reasons: list[str] = []
    differences: list[RowDifference] = []
    for table, settings in spec.state.items():
        expected = [_expected(row, facts) for row in case.expect.rows.get(table, [])]
        actual = _actual(difference.get("tables", {}).get(table, {}))
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


def _expected(row: RowChange, facts: Mapping[str, str]) -> _Change:
    def resolved(values: Mapping[str, Any]) -> dict[str, Any]:
        return {column: resolve(value, facts, {}) for column, value in values.items()}

    if row.added is not None:
        return _Change("added", resolved(row.added), {})
    if row.removed is not None:
        return _Change("removed", resolved(row.removed), {})
    assert row.changed is not None
    return _Change("changed", resolved(row.changed.set), resolved(row.changed.where))


def _actual(table: Mapping[str, Any]) -> list[_Change]:
    changes = [_Change("added", row, {}) for row in table.get("added", [])]
    changes += [_Change("removed", row, {}) for row in table.get("removed", [])]
    changes += [_Change("changed", row["after"], row["before"]) for row in table.get("changed", [])]
    return changes


def _match(expected: list[_Change], actual: list[_Change], settings: StateTable) -> dict[int, int]:
    """Return expected index → actual index of a largest matching (augmenting paths)."""
    fits = [[_rule(e, a, settings) != "" for a in actual] for e in expected]
    owner: dict[int, int] = {}

    def assign(i: int, seen: set[int]) -> bool:
        for j, fit in enumerate(fits[i]):
            if fit and j not in seen:
                seen.add(j)
                if j not in owner or assign(owner[j], seen):
                    owner[j] = i
                    return True
        return False

    for i in range(len(expected)):
        assign(i, set())
    return {i: j for j, i in sorted(owner.items(), key=lambda item: item[1])}


def _rule(expected: _Change, actual: _Change, settings: StateTable) -> str:
    """Return the rules by which a change agrees with an expected one, empty if it does not."""
    if expected.kind != actual.kind:
        return ""
    rules = _agree(expected.where, actual.where, settings) if expected.kind == "changed" else []
    values = _agree(expected.values, actual.values, settings)
    if rules is None or values is None:
        return ""
    return f"{expected.kind}: " + "; ".join([*rules, *values])


def _agree(expected: Mapping[str, Any], actual: Mapping[str, Any], settings: StateTable) -> list[str] | None:
    rules = []
    for column, value in expected.items():
        if isinstance(value, dict) and value.get("any"):
            rules.append(f"{column} any value: not compared")
            continue
        options = value["one_of"] if isinstance(value, dict) and "one_of" in value else [value]
        comparisons = [compare(settings.types.get(column), option, actual.get(column)) for option in options]
        best = next((c for c in comparisons if c.equal), None)
        if best is None:
            return None
        rules.append(f"{column} {best.rule}")
    return rules


def _differences(
    table: str, missing: list[_Change], extra: list[_Change], settings: StateTable
) -> list[RowDifference]:
    rows: list[RowDifference] = []
    left = list(extra)
    for change in missing:
        twin = next((a for a in left if _same_row(change, a, settings)), None)
        if twin is None:
            rows.append(RowDifference("missing", table, {**change.where, **change.values}, None))
            continue
        left.remove(twin)
        rows.append(RowDifference("changed", table, {**change.where, **change.values}, twin.values))
    return rows + [RowDifference("extra", table, None, a.values) for a in left]


def _same_row(expected: _Change, actual: _Change, settings: StateTable) -> bool:
    return (
        expected.kind == "changed"
        and actual.kind == "changed"
        and _agree(expected.where, actual.where, settings) is not None
    )
