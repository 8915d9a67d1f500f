"""What a listener takes from recognised words, and whether that is what was meant: one judgement for all who ask."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from voicebench.language.compare import compare
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
    found = extract_all(specs, text, today=today)
    return {name: _judge(spec, meant[name], found[name]) for name, spec in specs.items()}


def _judge(spec: FactSpec, meant: str, found: list[str]) -> Understood:
    if not found:
        return Understood(None, False, f"{spec.type}: nothing found")
    outcome = compare(spec.type, meant, found[0])
    return Understood(found[0], outcome.equal, outcome.rule)


def readable(spec: FactSpec) -> bool:
    """Whether values of a fact can be taken from speech: not free words, nor choices that the pack does not name."""
    return spec.type != "prose" and (spec.type != "enum" or bool(spec.choices))
