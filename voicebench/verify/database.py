"""The database gate: the rows that the call added, removed and changed are exactly the expected ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from voicebench.language.slots import FactType
from voicebench.packs.models import Case, PackSpec, RowChange, StateTable
from voicebench.packs.templates import as_written, expand
from voicebench.record.json_types import JsonObject
from voicebench.record.state import StateDifference, TableDifference
from voicebench.record.verdict import GateResult, RowDifference
from voicebench.verify.arguments import agree
from voicebench.verify.matching import largest_matching

__all__ = ["DatabaseResult", "check_database"]


@dataclass(frozen=True)
class DatabaseResult:
    """Outcome of the database gate. The reward is equal changes / expected or actual ones; 1 if there are none."""

    gate: GateResult
    differences: tuple[RowDifference, ...]


@dataclass(frozen=True)
class _Change:
    """One change of a table: ``where`` finds a changed row, ``values`` are its new values or the row itself."""

    kind: Literal["added", "removed", "changed"]
    values: JsonObject
    where: JsonObject


def check_database(case: Case, spec: PackSpec, stored: StateDifference | None) -> DatabaseResult:
    """Compare the changes that a call made with the expected ones; order and ignored columns do not matter.

    Args:
        case: the task, with its expected rows.
        spec: the pack, whose ``state`` says which tables count and how columns are compared.
        stored: what the call changed. None is missing evidence, which never passes.
    """
    if stored is None:
        missing_evidence = ("missing evidence: the final database was not stored",)
        return DatabaseResult(GateResult(passed=False, reward=0.0, reasons=missing_evidence), ())
    facts = {name: fact.value for name, fact in case.caller.facts.items()}
    equal = union = 0
    reasons: list[str] = []
    differences: list[RowDifference] = []
    for table in dict.fromkeys([*spec.state, *case.expect.rows]):
        settings = spec.state.get(table, StateTable())
        expected = [_expected(row, facts) for row in case.expect.rows.get(table, [])]
        made = stored.tables.get(table, TableDifference()) if table in spec.state else TableDifference()
        actual = [
            *(_Change("added", row, {}) for row in made.added),
            *(_Change("removed", row, {}) for row in made.removed),
            *(_Change("changed", row.after, row.before) for row in made.changed),
        ]
        fits = {i: [j for j, done in enumerate(actual) if _rule(one, done, settings)] for i, one in enumerate(expected)}
        pairs = dict(sorted(largest_matching(fits, fits).items()))
        equal += len(pairs)
        union += len(expected) + len(actual) - len(pairs)
        reasons += [f"{table}: {_rule(expected[i], actual[j], settings)}" for i, j in pairs.items()]
        missing = [expected[i] for i in range(len(expected)) if i not in pairs]
        extra = [actual[j] for j in range(len(actual)) if j not in pairs.values()]
        differences += _differences(table, missing, extra, settings)
    reasons += [f"{one.kind} · {one.table} · {one.count}" for one in differences]
    gate = GateResult(
        passed=not differences,
        reward=equal / union if union else 1.0,
        reasons=tuple(reasons or ["nothing was to change, and nothing did"]),
    )
    return DatabaseResult(gate, tuple(differences))


def _expected(row: RowChange, facts: Mapping[str, str]) -> _Change:
    if row.added is not None:
        return _Change("added", expand(row.added, facts), {})
    if row.removed is not None:
        return _Change("removed", expand(row.removed, facts), {})
    assert row.changed is not None
    return _Change("changed", expand(row.changed.set, facts), expand(row.changed.where, facts))


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


def _agree(expected: JsonObject, actual: JsonObject, types: Mapping[str, FactType]) -> list[str] | None:
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

    def row(
        kind: Literal["extra", "missing", "changed"], expected: JsonObject | None, actual: JsonObject | None
    ) -> RowDifference:
        return RowDifference(kind=kind, table=table, expected=as_written(expected), actual=as_written(actual), count=1)

    rows: list[RowDifference] = []
    left = list(extra)
    for change in missing:
        same_row = (
            other
            for other in left
            if change.kind == other.kind == "changed" and _agree(change.where, other.where, settings.types) is not None
        )
        twin = next(same_row, None)
        if twin is not None:
            left.remove(twin)
        if change.kind == "added":
            rows.append(row("missing", change.values, None))
        elif change.kind == "removed":
            rows.append(row("extra", None, change.values))
        else:
            actual = change.where if twin is None else twin.values
            rows.append(row("changed", {**change.where, **change.values}, actual))
    for change in left:
        if change.kind == "added":
            rows.append(row("extra", None, change.values))
        elif change.kind == "removed":
            rows.append(row("missing", change.values, None))
        else:
            rows.append(row("changed", change.where, change.values))
    return rows
