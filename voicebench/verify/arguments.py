"""Expected arguments of a step against the actual ones of a call, each with the rule that decided it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voicebench.language.compare import ValueComparison, compare_values
from voicebench.language.slots import FactType
from voicebench.packs.templates import Unresolved, as_written, expand, options_of

__all__ = ["ArgumentRow", "agree", "compare_arguments"]

_ANY = "any value: not compared"


@dataclass(frozen=True)
class ArgumentRow:
    """One argument of an expected call beside the actual one.

    Attributes:
        name: of the argument.
        expected: resolved value; None if the step does not name it.
        actual: value of the call, None if it was not given.
        equal: whether it agrees; True if it is not compared.
        gates: whether disagreement fails the step.
        rule: what decided it.
        missed: whether it is shown as a parameter miss: it differs, whether that gates or not.
    """

    name: str
    expected: Any
    actual: Any
    equal: bool
    gates: bool
    rule: str
    missed: bool

    def as_json(self) -> dict[str, Any]:
        """Return the row as JSON."""
        return {**vars(self)}


def agree(kind: FactType | None, expected: Any, actual: Any) -> ValueComparison:
    """Compare a resolved expected value with an actual one.

    ``expected`` is a value, ``{any: true}`` or ``{one_of: [...]}``. Lists agree when their items do, in any order.
    """
    if isinstance(expected, dict) and expected.get("any") is True:
        return ValueComparison(True, _ANY)
    options = options_of(expected)
    outcomes = [_agree_value(kind, option, actual) for option in options]
    equal = next((outcome for outcome in outcomes if outcome.equal), None)
    return equal or (outcomes[0] if outcomes else ValueComparison(False, "one of nothing"))


def _agree_value(kind: FactType | None, expected: Any, actual: Any) -> ValueComparison:
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
    expected: Mapping[str, Any],
    actual: Mapping[str, Any],
    types: Mapping[str, FactType],
    facts: Mapping[str, str],
    results: Mapping[str, dict[str, Any]],
) -> list[ArgumentRow]:
    """Compare all arguments of a step with those of a call; the ones that the step does not name are only shown."""
    rows = [
        _compare(name, expand(value, facts, results), actual.get(name), types.get(name))
        for name, value in expected.items()
    ]
    rows += [
        ArgumentRow(name, None, value, True, False, "not named by the task: not compared", False)
        for name, value in actual.items()
        if name not in expected
    ]
    return rows


def _compare(name: str, expected: Any, actual: Any, kind: FactType | None) -> ArgumentRow:
    shown = as_written(expected)
    if kind == "prose":
        same = shown == {"any": True} or _plain(actual) in [_plain(option) for option in options_of(shown)]
        return ArgumentRow(name, shown, actual, True, False, "prose: not compared", not same)
    if actual is None and None not in options_of(expected):
        return ArgumentRow(name, shown, None, False, True, f"{kind or 'exact'}: not given", True)
    outcome = agree(kind, expected, actual)
    return ArgumentRow(name, shown, actual, outcome.equal, True, outcome.rule, not outcome.equal)


def _plain(text: Any) -> str:
    return " ".join(str(text).lower().split())
