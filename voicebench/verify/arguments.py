"""Expected arguments of a step against the actual ones of a call, each with the rule that decided it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voicebench.language.compare import ValueComparison, compare_values
from voicebench.language.slots import FactType
from voicebench.packs.templates import Results, Unresolved, as_written, expand, options_of
from voicebench.record.json_types import JsonValue
from voicebench.record.verdict import ArgumentRow

__all__ = ["agree", "compare_arguments"]


def agree(kind: FactType | None, expected: Any, actual: JsonValue) -> ValueComparison:
    """Compare an expected value with an actual one.

    ``expected`` is an expanded template: a value, ``{any: true}`` or ``{one_of: [...]}``. Lists agree when their items
    do, in any order.
    """
    if isinstance(expected, dict) and expected.get("any") is True:
        return ValueComparison(True, "any value: not compared")
    outcomes = [_agree_value(kind, option, actual) for option in options_of(expected)]
    equal = next((outcome for outcome in outcomes if outcome.equal), None)
    return equal or (outcomes[0] if outcomes else ValueComparison(False, "one of nothing"))


def _agree_value(kind: FactType | None, expected: Any, actual: JsonValue) -> ValueComparison:
    if isinstance(expected, Unresolved):
        return ValueComparison(False, f"{expected.text}: nothing to compare with")
    if not (isinstance(expected, list) and isinstance(actual, list)):
        return compare_values(kind, expected, actual)
    left = list(actual)
    for item in expected:
        twin = next((other for other in left if _agree_value(kind, item, other).equal), None)
        if twin is None:
            break
        left.remove(twin)
    equal = len(expected) == len(actual) and not left
    sign = "=" if equal else "≠"
    return ValueComparison(
        equal, f"list of {kind or 'exact'}, in any order: {actual} {sign} {[str(e) for e in expected]}"
    )


def compare_arguments(
    expected: Mapping[str, JsonValue],
    actual: Mapping[str, JsonValue],
    types: Mapping[str, FactType],
    facts: Mapping[str, str],
    results: Results,
) -> list[ArgumentRow]:
    """Compare all arguments of a step with those of a call; the ones that the step does not name are only shown.

    An empty text is an argument that was not given.
    """
    given = {name: value for name, value in actual.items() if not isinstance(value, str) or value.strip()}
    rows = [
        _compare(name, expand(value, facts, results), given.get(name), types.get(name))
        for name, value in expected.items()
    ]
    return rows + [
        _row(name, None, value, equal=True, gates=False, rule="not named by the task: not compared")
        for name, value in actual.items()
        if name not in expected
    ]


def _compare(name: str, expected: Any, actual: JsonValue, kind: FactType | None) -> ArgumentRow:
    shown = as_written(expected)
    if kind == "prose":
        given, *allowed = (" ".join(str(text).lower().split()) for text in (actual, *options_of(shown)))
        missed = shown != {"any": True} and given not in allowed
        return _row(name, shown, actual, equal=True, gates=False, rule="prose: not compared", missed=missed)
    if actual is None and None not in options_of(expected):
        return _row(name, shown, None, equal=False, gates=True, rule=f"{kind or 'exact'}: not given", missed=True)
    outcome = agree(kind, expected, actual)
    equal = outcome.equal
    return _row(name, shown, actual, equal=equal, gates=True, rule=outcome.rule, missed=not equal)


def _row(
    name: str, expected: JsonValue, actual: JsonValue, *, equal: bool, gates: bool, rule: str, missed: bool = False
) -> ArgumentRow:
    return ArgumentRow(name=name, expected=expected, actual=actual, equal=equal, gates=gates, rule=rule, missed=missed)
