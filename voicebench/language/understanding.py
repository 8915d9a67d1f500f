"""What a listener takes from recognised words, and whether that is what was meant: one rule for the whole product."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from voicebench.language.compare import compare_values
from voicebench.language.extract import extract_all
from voicebench.language.slots import FactSpec

__all__ = ["Understood", "hear_facts", "readable"]


@dataclass(frozen=True)
class Understood:
    """What was taken for a fact.

    Attributes:
        value: the value that a listener takes first; None if the words hold none.
        right: whether it is the one meant, by the rule of its type.
        rule: what decided it, as ``id: KE4479002 = KE-4479002``.
    """

    value: str | None
    right: bool
    rule: str


def hear_facts(
    specs: Mapping[str, FactSpec], meant: Mapping[str, str], text: str, *, today: dt.date | None = None
) -> dict[str, Understood]:
    """Return what is taken for each of some facts that were said together, so that no digit serves two of them.

    Args:
        specs: the facts, in the order in which they were said or asked for.
        meant: their values.
        text: what was recognised.
        today: places a date that was said without its year.
    """
    taken = {}
    for name, found in extract_all(specs, text, today=today).items():
        kind = specs[name].type
        if found:
            outcome = compare_values(kind, meant[name], found[0])
            taken[name] = Understood(found[0], outcome.equal, outcome.rule)
        else:
            taken[name] = Understood(None, False, f"{kind}: nothing found")
    return taken


def readable(spec: FactSpec) -> bool:
    """Whether values of a fact can be taken from speech: not free words, nor choices that the pack does not name."""
    return spec.type != "prose" and (spec.type != "enum" or bool(spec.choices))
