"""Expected arguments of a step against the actual ones of a call, each with the rule that decided it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voicebench.packs.compare import compare
from voicebench.packs.models import FactType

__all__ = ["ArgumentRow", "Unresolved", "compare_arguments", "resolve"]

_REFERENCE = re.compile(r"\$(?P<kind>fact|result)\.(?P<name>\w+)(?:\.(?P<path>[\w.]+))?")


@dataclass(frozen=True)
class Unresolved:
    """A ``$result`` whose call was never made."""

    reference: str


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
    """Replace ``$fact.NAME`` and ``$result.TOOL.path``; other values stay as they are.

    ``results`` maps a tool's name to the envelope of the call matched to its step.
    """
    match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value
    if match["kind"] == "fact":
        return facts[match["name"]] if match["name"] in facts else Unresolved(str(value))
    found: Any = results.get(match["name"], Unresolved(str(value)))
    for key in (match["path"] or "").split("."):
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        else:
            return Unresolved(str(value))
    return found


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
    for name, value in actual.items():
        if name not in expected:
            rows.append(ArgumentRow(name, None, value, True, False, "not named by the task: not compared", False))
    return rows


def _compare(name: str, expected: Any, actual: Any, kind: FactType | None) -> ArgumentRow:
    if isinstance(expected, Unresolved):
        return ArgumentRow(name, expected.reference, actual, False, True, "the call it refers to was not made", True)
    if isinstance(expected, dict) and expected.get("any"):
        return ArgumentRow(name, "any", actual, True, False, "any value: not compared", False)
    options = expected["one_of"] if isinstance(expected, dict) and "one_of" in expected else [expected]
    if kind == "prose":
        same = str(actual).strip().lower() in [str(option).strip().lower() for option in options]
        return ArgumentRow(name, _shown(expected), actual, True, False, "prose: not compared", not same)
    if actual is None and None not in options:
        return ArgumentRow(name, _shown(expected), None, False, True, f"{kind or 'exact'}: not given", True)
    comparisons = [compare(kind, option, actual) for option in options]
    best = next((c for c in comparisons if c.equal), comparisons[0])
    return ArgumentRow(name, _shown(expected), actual, best.equal, True, best.rule, not best.equal)


def _shown(expected: Any) -> Any:
    return {"one_of": expected["one_of"]} if isinstance(expected, dict) and "one_of" in expected else expected
