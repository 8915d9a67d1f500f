"""Expected arguments of a step against the actual ones of a call, each with the rule that decided it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voicebench.language.compare import Comparison, compare
from voicebench.language.slots import FactType

__all__ = ["ArgumentRow", "Unresolved", "agree", "as_json", "compare_arguments", "in_words", "resolve"]

_REFERENCE = re.compile(r"\$(?P<kind>fact|result)\.(?P<name>\w+)(?:\.(?P<path>[\w.]+))?")

_ANY = "any value: not compared"


@dataclass(frozen=True)
class Unresolved:
    """A reference to a fact that the task does not have, or to the result of a step that no call satisfies."""

    reference: str

    def __str__(self) -> str:
        return self.reference


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


def resolve(value: Any, facts: Mapping[str, str], results: Mapping[str, dict[str, Any]]) -> Any:
    """Replace ``$fact.NAME`` and ``$result.TOOL.path``, also within lists and ``one_of``; other values stay.

    What cannot be resolved becomes :class:`Unresolved`, which agrees with nothing.

    Args:
        value: as a solution or an expected row has it.
        facts: the caller's facts, by name.
        results: envelopes of the calls that were matched to earlier steps, by the step's tool.
    """
    if isinstance(value, list):
        return [resolve(item, facts, results) for item in value]
    if isinstance(value, dict):
        return {key: resolve(item, facts, results) for key, item in value.items()}
    match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value
    if match["kind"] == "fact":
        return facts.get(match["name"], Unresolved(value))
    found: Any = results.get(match["name"])
    for key in (match["path"] or "").split("."):
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        else:
            return Unresolved(value)
    return found


def agree(kind: FactType | None, expected: Any, actual: Any) -> Comparison:
    """Compare a resolved expected value with an actual one.

    ``expected`` is a value, ``{any: true}`` or ``{one_of: [...]}``. Lists agree when their items do, in any order.
    """
    if isinstance(expected, dict) and expected.get("any") is True:
        return Comparison(True, _ANY)
    options = _options(expected)
    outcomes = [_agree_value(kind, option, actual) for option in options]
    equal = next((outcome for outcome in outcomes if outcome.equal), None)
    return equal or (outcomes[0] if outcomes else Comparison(False, "one of nothing"))


def _options(expected: Any) -> list[Any]:
    return list(expected["one_of"]) if isinstance(expected, dict) and "one_of" in expected else [expected]


def _agree_value(kind: FactType | None, expected: Any, actual: Any) -> Comparison:
    if isinstance(expected, Unresolved):
        return Comparison(False, f"{expected}: nothing to compare with")
    if not (isinstance(expected, list) and isinstance(actual, list)):
        return compare(kind, expected, actual)
    left = list(actual)
    for item in expected:
        twin = next((other for other in left if _agree_value(kind, item, other).equal), None)
        if twin is None:
            break
        left.remove(twin)
    equal = len(expected) == len(actual) and not left
    sign = "=" if equal else "≠"
    return Comparison(equal, f"list of {kind or 'exact'}, in any order: {actual} {sign} {[str(e) for e in expected]}")


def compare_arguments(
    expected: Mapping[str, Any],
    actual: Mapping[str, Any],
    types: Mapping[str, FactType],
    facts: Mapping[str, str],
    results: Mapping[str, dict[str, Any]],
) -> list[ArgumentRow]:
    """Compare all arguments of a step with those of a call; the ones that the step does not name are only shown."""
    rows = [
        _compare(name, resolve(value, facts, results), actual.get(name), types.get(name))
        for name, value in expected.items()
    ]
    rows += [
        ArgumentRow(name, None, value, True, False, "not named by the task: not compared", False)
        for name, value in actual.items()
        if name not in expected
    ]
    return rows


def _compare(name: str, expected: Any, actual: Any, kind: FactType | None) -> ArgumentRow:
    shown = as_json(expected)
    if kind == "prose":
        same = shown == {"any": True} or _plain(actual) in [_plain(option) for option in _options(expected)]
        return ArgumentRow(name, shown, actual, True, False, "prose: not compared", not same)
    if actual is None and None not in _options(expected):
        return ArgumentRow(name, shown, None, False, True, f"{kind or 'exact'}: not given", True)
    outcome = agree(kind, expected, actual)
    return ArgumentRow(name, shown, actual, outcome.equal, True, outcome.rule, not outcome.equal)


def _plain(text: Any) -> str:
    return " ".join(str(text).lower().split())


def as_json(expected: Any) -> Any:
    """Return a resolved value as JSON: a reference that could not be resolved as it is written."""
    if isinstance(expected, dict):
        return {key: as_json(value) for key, value in expected.items()}
    if isinstance(expected, list):
        return [as_json(value) for value in expected]
    return str(expected) if isinstance(expected, Unresolved) else expected


def in_words(expected: Any) -> str:
    """Return an expected value as people read it: JSON, but for choices, values that are free, and open references."""
    if isinstance(expected, dict) and expected.get("any") is True:
        return "any value"
    if isinstance(expected, dict) and "one_of" in expected:
        return " or ".join(in_words(option) for option in expected["one_of"])
    reference = _REFERENCE.fullmatch(expected) if isinstance(expected, str) else None
    if reference is None:
        return json.dumps(expected, ensure_ascii=False)
    if reference["kind"] == "fact":
        return f"the caller's {reference['name']}"
    return f"the {(reference['path'] or 'result').rpartition('.')[2]} of {reference['name']}"
