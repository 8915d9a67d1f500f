"""Typed comparison of an expected and an actual value, and the rule that decided it, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from voicebench.language import values
from voicebench.language.slots import FactType

__all__ = ["ValueComparison", "compare_values"]


@dataclass(frozen=True)
class ValueComparison:
    """The outcome of one comparison.

    Attributes:
        equal: whether the values are the same; always True for prose, which is not compared.
        rule: what decided it, as ``id: KE4471860 = KE-4471860`` (actual first).
    """

    equal: bool
    rule: str


_SAME: dict[str, Callable[[object, object], bool]] = {
    "id": values.same_id,
    "phone": values.same_phone,
    "date": values.same_date,
    "number": values.same_number,
    "enum": values.same_enum,
    "bool": values.same_bool,
    "name": values.same_name,
}


def compare_values(type: FactType | None, expected: object, actual: object) -> ValueComparison:
    """Compare two values by type.

    Args:
        type: how; None for a column without a declared type: numbers by value, everything else exactly.
        expected: what the task demands. ``None`` equals only ``None``.
        actual: what the agent gave or left.
    """
    if type == "prose":
        return ValueComparison(True, "prose: not compared")
    if expected is None or actual is None:
        equal = expected is None and actual is None
    elif type is None and isinstance(expected, int | float) == isinstance(actual, int | float):
        equal = bool(expected == actual)
    elif type is None:
        equal = values.same_number(expected, actual)
    else:
        equal = _SAME[type](expected, actual)
    sign = "=" if equal else "≠"
    return ValueComparison(equal, f"{type or 'exact'}: {_show(actual)} {sign} {_show(expected)}")


def _show(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
